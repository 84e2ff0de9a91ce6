//===- FoldConstants.cpp - evaluate formulas that depend on constants only ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Maps/FixedFormulas.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Reference/Interpreter.h"

#include "llvm/Support/MathExtras.h"

namespace weft {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
class FoldConstantsPass : public weft::impl::FoldConstantsPassBase<FoldConstantsPass> {
public:
  using FoldConstantsPassBase::FoldConstantsPassBase;
  void runOnOperation() override;

private:
  void visit(FormulaOpInterface formula);
  bool isWithinLimits(FormulaOpInterface formula);
  void replace(OpResult result, const Tensor &tensor);

  /// The tensors whose values are known so far.
  DenseMap<Value, TensorRef> known;
  int64_t bytes = 0;
};
} // namespace

/// Remembers the value of a constant tensor.
static void learn(arith::ConstantOp op, DenseMap<Value, TensorRef> &known) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return;
  llvm::Expected<Tensor> tensor = Tensor::fromAttribute(elements);
  if (tensor)
    known[op.getResult()] = std::make_shared<Tensor>(std::move(*tensor));
  else
    llvm::consumeError(tensor.takeError());
}

/// Whether loading the value is cheaper than computing it.
static bool isWorthATable(FormulaOpInterface op) {
  if (attrs::Constant::isOn(op))
    return true;
  if (cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isInteger(1))
    return false;
  if (!isa<MapOp>(op))
    return true;
  bool hasFunction = false;
  op->walk([&](Operation *nested) {
    hasFunction |= isa<InnerOp>(nested) || isa<math::MathDialect>(nested->getDialect());
  });
  return hasFunction;
}

bool FoldConstantsPass::isWithinLimits(FormulaOpInterface formula) {
  int64_t points = 1;
  for (IndexAttr index : formula.getIndices().getAsRange<IndexAttr>())
    if (llvm::MulOverflow(points, std::max<int64_t>(index.getSize(), 1), points) ||
        points > maxPoints)
      return false;
  return true;
}

void FoldConstantsPass::replace(OpResult result, const Tensor &tensor) {
  auto type = cast<RankedTensorType>(result.getType());
  std::optional<int64_t> size = getLargestBytes(type);
  if (!size || *size > maxBytes - bytes) {
    ++numTooLarge;
    return;
  }
  bytes += *size;
  OpBuilder builder(result.getOwner());
  auto constant = arith::ConstantOp::create(builder, result.getLoc(), tensor.toAttribute(type));
  result.replaceAllUsesWith(constant.getResult());
  TensorRef value = known.lookup(result); // a reference would not outlive the insertion
  known[constant.getResult()] = std::move(value);
  ++numFolded;
}

void FoldConstantsPass::visit(FormulaOpInterface formula) {
  auto isKnown = [&](Value value) { return known.contains(value); };
  if (formula.hasBufferSemantics() || !dependsOnlyOn(formula, isKnown))
    return;
  if (!isWithinLimits(formula)) {
    ++numTooLarge;
    return;
  }
  llvm::Expected<SmallVector<TensorRef>> tensors = interpretOp(formula, known);
  if (!tensors) {
    // What the interpreter cannot evaluate is left to the compiled code.
    llvm::consumeError(tensors.takeError());
    return;
  }
  bool isTable = isWorthATable(formula);
  for (auto [result, tensor] : llvm::zip_equal(formula->getResults(), *tensors)) {
    known[result] = tensor;
    if (isTable)
      replace(result, *tensor);
  }
}

void FoldConstantsPass::runOnOperation() {
  known.clear();
  bytes = 0;
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  SmallVector<FormulaOpInterface> formulas;
  for (Operation &op : function.front()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      learn(constant, known);
    if (auto formula = dyn_cast<FormulaOpInterface>(op))
      formulas.push_back(formula);
  }
  for (FormulaOpInterface formula : formulas)
    visit(formula);
  for (FormulaOpInterface formula : llvm::reverse(formulas))
    if (known.contains(formula->getResult(0)) && formula->use_empty())
      formula->erase();
}
