//===- ProductFactors.cpp - products and parts of scalar code -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProductFactors.h"

#include "ElementWriter.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;

std::optional<double> weft::getConstantFloat(Value value) {
  FloatAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return attr.getValueAsDouble();
}

std::optional<double> weft::getConstantNumber(Value value) {
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return double(integer.getSExtValue());
  return getConstantFloat(value);
}

void weft::collectFactors(Value value, SmallVectorImpl<Value> &factors, double &scale) {
  if (std::optional<double> constant = getConstantFloat(value)) {
    scale *= *constant;
    return;
  }
  if (auto op = value.getDefiningOp<arith::MulFOp>()) {
    collectFactors(op.getLhs(), factors, scale);
    collectFactors(op.getRhs(), factors, scale);
    return;
  }
  if (auto op = value.getDefiningOp<arith::DivFOp>())
    if (std::optional<double> divisor = getConstantFloat(op.getRhs()); divisor && *divisor != 0) {
      scale /= *divisor;
      collectFactors(op.getLhs(), factors, scale);
      return;
    }
  if (auto op = value.getDefiningOp<arith::NegFOp>()) {
    scale = -scale;
    collectFactors(op.getOperand(), factors, scale);
    return;
  }
  factors.push_back(value);
}

namespace {
/// The ops of a region that compute a value, in order.
class Slice {
public:
  Slice(Region &region, Value value) : region(region) { visit(value); }

  bool contains(Operation *op) const { return ops.contains(op); }
  bool uses(BlockArgument argument) const { return arguments.contains(argument); }

private:
  void visit(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &region.front())
        arguments.insert(argument);
      return;
    }
    Operation *op = region.findAncestorOpInRegion(*value.getDefiningOp());
    if (!op || !ops.insert(op))
      return;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        visit(operand);
    });
  }

  Region &region;
  llvm::SetVector<Operation *> ops;
  llvm::SmallDenseSet<Value> arguments;
};
} // namespace

Value weft::emitScalar(OpBuilder &builder, FormulaBuilder &formula, FormulaOpInterface op,
                       Value value, const IndexValues &indices) {
  Region &source = op->getRegion(0);
  Slice slice(source, value);
  IRMapping mapping;
  for (BlockArgument argument : source.getArguments())
    if (slice.uses(argument)) {
      unsigned input = argument.getArgNumber();
      mapping.map(argument, formula.readAt(builder, formula.getBody(), op.getInputs()[input],
                                           op.getInputMap(input), indices, op.getLoc()));
    }
  // The slice as a region of its own, so that there is one way to clone scalar code.
  Region part;
  part.emplaceBlock();
  OpBuilder inner = getBuilderAtEnd(part, builder.getContext());
  YieldOp::create(inner, op.getLoc(), cloneSlice(inner, source, value, mapping));
  return cloneScalarCode(builder, part, {}, indices).front();
}

Value weft::cloneSlice(OpBuilder &builder, Region &source, Value value, IRMapping &mapping) {
  Slice slice(source, value);
  for (Operation &op : source.front().without_terminator())
    if (slice.contains(&op))
      builder.clone(op, mapping);
  return mapping.lookupOrDefault(value);
}

void weft::eraseDeadCode(Region &region) {
  if (region.empty())
    return;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(region.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void weft::forEachInSlice(Region &source, Value value,
                          llvm::function_ref<void(Operation *)> visit) {
  Slice slice(source, value);
  for (Operation &op : source.front().without_terminator())
    if (slice.contains(&op))
      visit(&op);
}

std::pair<Value, AffineMap> weft::outlineFormula(RewriterBase &rewriter, FormulaOpInterface op,
                                                 Value value, ArrayRef<unsigned> used,
                                                 const llvm::SmallBitVector &reduced) {
  SmallVector<IndexAttr> output, all;
  SmallVector<AffineExpr> reads;
  // Unused indices have no counterpart; nothing of the slice asks for them.
  IndexValues values(op.getNumIndices(), {rewriter.getAffineConstantExpr(0), Value()});
  auto isReduced = [&](unsigned i) { return i < reduced.size() && reduced.test(i); };
  for (bool second : {false, true})
    for (unsigned i : used)
      if (isReduced(i) == second) {
        values[i].expr = rewriter.getAffineDimExpr(all.size());
        all.push_back(op.getIndexAttr(i));
        if (second)
          continue;
        output.push_back(op.getIndexAttr(i));
        reads.push_back(rewriter.getAffineDimExpr(i));
      }
  ElementWriter writer(rewriter, op.getLoc(), all);
  Value element = writer.copy(op, value, values);
  Type type = getTensorType(output, value.getType());
  FormulaOpInterface result;
  if (reduced.none())
    result = writer.buildMap(type, element);
  else
    result = writer.buildReduce(type, element);
  labelPart(op, result);
  return {result->getResult(0),
          AffineMap::get(op.getNumIndices(), 0, reads, rewriter.getContext())};
}

Value weft::multiplyBehind(RewriterBase &rewriter, ReduceOp reduce, Value product,
                           ArrayRef<Value> factors, ArrayRef<unsigned> kept) {
  if (factors.empty() && kept.empty())
    return product;
  FormulaOpInterface formula = reduce;
  SmallVector<unsigned> left = llvm::to_vector(llvm::seq(0u, formula.getNumOutputIndices()));
  llvm::append_range(left, kept);
  SmallVector<IndexAttr> indices;
  // Nothing that is left asks for the other indices.
  IndexValues values(formula.getNumIndices(), {rewriter.getAffineConstantExpr(0), Value()});
  for (unsigned position : left) {
    values[position].expr = rewriter.getAffineDimExpr(indices.size());
    indices.push_back(formula.getIndexAttr(position));
  }
  ElementWriter writer(rewriter, reduce.getLoc(), indices);
  Value result = writer.read(product);
  for (Value factor : factors)
    result = writer.multiply(result, writer.copy(formula, factor, values));
  Type type = reduce->getResult(0).getType();
  Operation *op;
  if (kept.empty())
    op = writer.buildMap(type, result);
  else {
    op = writer.buildReduce(type, result, reduce.getKind());
    attrs::Lane::set(op, -1); // a few products, each of whose rows lies together
  }
  copyLabel(reduce, op);
  return op->getResult(0);
}
