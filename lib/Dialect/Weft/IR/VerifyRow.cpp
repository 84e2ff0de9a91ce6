//===- VerifyRow.cpp - The constraints of weft.row ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VerifyFormula.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace weft;

static LogicalResult verifyKinds(RowOp op) {
  unsigned numIndices = op.getIndices().size();
  if (op.getAxis() >= numIndices)
    return op.emitOpError() << "axis " << int64_t(op.getAxis()) << " is none of " << numIndices
                            << " indices (C29)";
  if (op.getReductions().empty() || op.getKinds().size() != op.getReductions().size())
    return op.emitOpError() << "has " << op.getKinds().size() << " kinds for "
                            << op.getReductions().size()
                            << " reductions, expected one for each of at least one (C29)";
  for (unsigned i = 0; i != op.getNumReductions(); ++i)
    if (ReduceKind kind = op.getKind(i); kind == ReduceKind::ArgMax || kind == ReduceKind::ArgTop)
      return op.emitOpError() << "the kind of reduction " << i << " is "
                              << stringifyReduceKind(kind)
                              << ", expected sum, mean, max, min or prod (C29)";
  return success();
}

/// The arguments of a region behind `count` reductions.
static SmallVector<Type> getArguments(RowOp op, unsigned count) {
  SmallVector<Type> arguments(count, Float32Type::get(op.getContext()));
  llvm::append_range(arguments, computeTypes(op.getInputs()));
  return arguments;
}

namespace {
/// A walk from a value of the element region up to what it is made of.
class AxisWalk {
public:
  explicit AxisWalk(RowOp op) : op(op) {}

  bool dependsOnAxis(Value value) {
    if (!visited.insert(value).second)
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isAlongAxis(argument);
    Operation *def = value.getDefiningOp();
    if (!op->isProperAncestor(def))
      return false;
    WalkResult found = def->walk([&](Operation *nested) {
      auto index = dyn_cast<weft::IndexOp>(nested);
      bool depends = (index && index.getPosition() == op.getAxis()) ||
                     llvm::any_of(nested->getOperands(),
                                  [&](Value operand) { return dependsOnAxis(operand); });
      return depends ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found.wasInterrupted();
  }

private:
  bool isAlongAxis(BlockArgument argument) {
    unsigned number = argument.getArgNumber(), first = op.getNumReductions();
    return argument.getOwner()->getParentOp() == op.getOperation() && number >= first &&
           FormulaOpInterface(op).getInputMap(number - first).isFunctionOfDim(op.getAxis());
  }

  RowOp op;
  llvm::SmallPtrSet<Value, 16> visited;
};
} // namespace

/// An output is a row, or a number for each row.
static LogicalResult verifyRowOutput(RowOp op, unsigned output) {
  auto formula = cast<FormulaOpInterface>(op.getOperation());
  AffineMap map = formula.getOutputIndexingMap(output);
  for (unsigned i = 0; i != formula.getNumIndices(); ++i)
    if (i != op.getAxis() && !map.isFunctionOfDim(i))
      return op.emitOpError() << "output " << output << " lacks index '"
                              << formula.getIndexAttr(i).getName()
                              << "', which is not the axis (C32)";
  Value value = op.getElement().front().getTerminator()->getOperand(output);
  if (!op.isAlongAxis(output) && AxisWalk(op).dependsOnAxis(value))
    return op.emitOpError() << "output " << output << " lacks the axis '"
                            << formula.getIndexAttr(op.getAxis()).getName()
                            << "', on which its value depends (C32)";
  return success();
}

LogicalResult RowOp::verify() {
  auto op = cast<FormulaOpInterface>(getOperation());
  if (failed(verifyFormula(op)) || failed(verifyNothingReduced(op)) || failed(verifyKinds(*this)))
    return failure();
  Type f32 = Float32Type::get(getContext());
  for (unsigned i = 0; i != getNumReductions(); ++i)
    if (failed(verifyRegion(
            op, getReductions()[i],
            {"reduction " + std::to_string(i), "(C30)", getArguments(*this, i), {f32}})))
      return failure();
  SmallVector<Type> yields;
  for (unsigned i = 0; i != op.getNumOutputs(); ++i)
    yields.push_back(getComputeType(op.getOutputType(i).getElementType()));
  if (failed(verifyRegion(op, getElement(),
                          {"element", "(C31)", getArguments(*this, getNumReductions()), yields})))
    return failure();
  for (unsigned i = 0; i != op.getNumOutputs(); ++i)
    if (failed(verifyRowOutput(*this, i)))
      return failure();
  return success();
}
