//===- FormulaChecks.cpp - Run-time checks of indices that are data -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FormulaEmitter.h"

using namespace llvm;

namespace weft::sema {

/// True if `coordinate` runs over all elements of an integer tensor.
static bool isWholeTensor(const Scalar *coordinate) {
  DenseSet<const Index *> plain;
  for (auto [arg, dim] : zip(coordinate->args, coordinate->tensor->dims))
    if (arg->op != ScalarOp::Index || !plain.insert(arg->index).second ||
        !arg->index->extent->same(dim))
      return false;
  return true;
}

/// Checks an index. What is read from an input whose default is a formula is checked where the
/// caller passes it, and the default only if it is not known to be in range.
void FormulaEmitter::emitChecks(const PendingCheck &check) {
  const Scalar *coordinate = check.read->args[check.dim];
  const Extent &extent = check.read->tensor->dims[check.dim];
  bool plain = coordinate->op == ScalarOp::Read && check.conditions.empty();
  if (!plain) {
    std::string what = "the index '" + reporter.text(coordinate->range).str() + "'";
    checks.push_back(emitCheck(check, coordinate, what));
    return;
  }
  const TensorValue &tensor = *coordinate->tensor;
  auto emitOnce = [&](const Scalar *element) { // every element of a tensor: once is enough
    std::string key;
    raw_string_ostream os(key);
    os << element->tensor->value.getAsOpaquePointer() << " < " << extent.str();
    mlir::Operation *known = isWholeTensor(element) ? function.checks[key] : nullptr;
    checks.push_back(known ? known : emitCheck(check, element, "'" + element->tensor->name + "'"));
    if (isWholeTensor(element))
      function.checks[key] = checks.back();
  };
  const Scalar *passed =
      tensor.passed ? formula.addRead(tensor.passed, coordinate->args, coordinate->range) : nullptr;
  if (passed) {
    planner.planLike(passed, coordinate);
    emitOnce(passed);
  }
  bool proven = tensor.defaultBounds && tensor.defaultBounds->isNonNegative() && !extent.dynamic &&
                tensor.defaultBounds->max < extent.size;
  if (!passed || !proven)
    emitOnce(coordinate);
}

/// `condition... implies 0 <= coordinate < size`, for all indices they depend on.
mlir::Operation *FormulaEmitter::emitCheck(const PendingCheck &check, const Scalar *coordinate,
                                           const std::string &what) {
  const TensorValue &tensor = *check.read->tensor;
  const Extent &extent = tensor.dims[check.dim];
  std::set<const Index *> indices = free.of(coordinate);
  for (const Condition &condition : check.conditions)
    indices.insert(free.of(condition.scalar).begin(), free.of(condition.scalar).end());
  OpBody body;
  body.indices = FreeIndices::ordered(indices);
  collect(coordinate, body);
  for (const Condition &condition : check.conditions)
    collect(condition.scalar, body);
  mlir::OpBuilder &builder = function.builder;
  mlir::Location loc = reporter.location(coordinate->range);
  std::string message = what + " is out of range for dimension " + std::to_string(check.dim) +
                        " of '" + tensor.name + "' (" + extent.str() + ")";
  auto op = CheckOp::create(builder, loc, message, body.inputs, indexAttrs(body.indices),
                            builder.getAffineMapArrayAttr(body.maps));
  BodyEmitter region = regionEmitter(body, op.getBody());
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
  return op;
}

} // namespace weft::sema
