//===- CheckEmitter.cpp - Run-time checks of indices that are data ---------===//

#include "FormulaEmitter.h"

using namespace llvm;

namespace weft::sema {

/// `condition... implies 0 <= coordinate < size`, for all indices they depend on.
void FormulaEmitter::emitCheck(const PendingCheck &check) {
  const Scalar *coordinate = check.read->args[check.dim];
  const TensorValue &tensor = *check.read->tensor;
  const Extent &extent = tensor.dims[check.dim];
  std::string what = elaborator.sources.text(coordinate->range).str();
  bool whole = coordinate->op == ScalarOp::Read && check.conditions.empty();
  if (whole) { // every element of an integer tensor: once is enough
    what = "'" + coordinate->tensor->name + "'";
    DenseSet<const Index *> plain;
    for (auto [arg, dim] : zip(coordinate->args, coordinate->tensor->dims))
      whole &= arg->op == ScalarOp::Index && plain.insert(arg->index).second &&
               arg->index->extent->same(dim);
    std::string key;
    raw_string_ostream os(key);
    os << coordinate->tensor->value.getAsOpaquePointer() << " < " << extent.str();
    if (whole && !function.checks.insert(key).second)
      return;
  } else {
    what = "the index '" + what + "'";
  }
  std::set<const Index *> indices = freeIndices(coordinate);
  for (const Condition &condition : check.conditions)
    indices.insert(freeIndices(condition.scalar).begin(), freeIndices(condition.scalar).end());
  Body body;
  body.indices = ordered(indices);
  collect(coordinate, body);
  for (const Condition &condition : check.conditions)
    collect(condition.scalar, body);
  mlir::OpBuilder &builder = function.builder;
  mlir::Location loc = elaborator.location(coordinate->range);
  std::string message = what + " is out of range for dimension " + std::to_string(check.dim) +
                        " of '" + tensor.name + "' (" + extent.str() + ")";
  auto op = CheckOp::create(builder, loc, message, body.inputs, indexAttrs(body.indices),
                            builder.getAffineMapArrayAttr(body.maps));
  RegionEmitter region(*this, body, op.getBody());
  mlir::Value size =
      extent.dynamic
          ? mlir::Value(SizeOp::create(region.builder, loc, builder.getIndexType(), extent.name))
          : mlir::arith::ConstantIndexOp::create(region.builder, loc, extent.size);
  mlir::Value good = mlir::arith::CmpIOp::create(
      region.builder, loc, mlir::arith::CmpIPredicate::ult, region.value(coordinate), size);
  mlir::Value yes;
  for (const Condition &condition : check.conditions) {
    mlir::Value holds = region.value(condition.scalar);
    if (!condition.negated) {
      if (!yes)
        yes = mlir::arith::ConstantIntOp::create(region.builder, loc, 1, 1);
      holds = mlir::arith::XOrIOp::create(region.builder, loc, holds, yes);
    }
    good = mlir::arith::OrIOp::create(region.builder, loc, good, holds);
  }
  YieldOp::create(region.builder, loc, good);
}

} // namespace weft::sema
