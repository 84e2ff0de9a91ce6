//===- WeftOps.cpp - the ops: interfaces ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FormulaAsm.h"
#include "weft/Dialect/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "weft/Dialect/Weft/IR/WeftOps.cpp.inc"

//===----------------------------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------------------------===//

/// Formulas on tensors are pure; on buffers they read, inputs or what their regions read, and write
/// their outputs.
static void
formulaEffects(FormulaOpInterface op,
               SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!op.hasBufferSemantics())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  for (OpOperand &output : op.getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &output);
}

/// A formula's result is called as in the model's text, a further one by its number behind that.
static void nameByLabel(Operation *op, OpAsmSetValueNameFn setName) {
  auto label = attrs::Label::get(op);
  if (!label)
    return;
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    setName(result, label.str() + (number ? "_" + std::to_string(number) : ""));
  }
}

#define WEFT_FORMULA_OP(OpTy)                                                                      \
  unsigned OpTy::getNumOutputIndices() {                                                           \
    return FormulaOpInterface(*this).getOutputType().getRank();                                    \
  }                                                                                                \
  void OpTy::getAsmResultNames(OpAsmSetValueNameFn setName) { nameByLabel(*this, setName); }       \
  void OpTy::getEffects(                                                                           \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {              \
    formulaEffects(*this, effects);                                                                \
  }
WEFT_FORMULA_OP(MapOp)
WEFT_FORMULA_OP(ReduceOp)
WEFT_FORMULA_OP(ContractOp)
WEFT_FORMULA_OP(SoftmaxOp)
WEFT_FORMULA_OP(RowOp)
WEFT_FORMULA_OP(AttentionOp)
#undef WEFT_FORMULA_OP

#define WEFT_ONE_OUTPUT(OpTy)                                                                      \
  OperandRange OpTy::getOutputs() { return getODSOperands(1); }                                    \
  MutableOperandRange OpTy::getOutputsMutable() { return getOutputMutable(); }
WEFT_ONE_OUTPUT(MapOp)
WEFT_ONE_OUTPUT(ReduceOp)
WEFT_ONE_OUTPUT(ContractOp)
WEFT_ONE_OUTPUT(SoftmaxOp)
#undef WEFT_ONE_OUTPUT

unsigned CheckOp::getNumOutputIndices() { return getIndices().size(); }

unsigned ContractOp::getFirstElementInput() { return getChosen() ? kChoice + 1 : 2; }
bool ContractOp::isReduced(unsigned index) {
  return index >= getNumOutputIndices() && index + getChosen() + getApart() < getIndices().size();
}
SmallVector<unsigned> ContractOp::getSummed() {
  SmallVector<unsigned> summed;
  for (unsigned i = getNumOutputIndices(); i < getIndices().size(); ++i)
    if (isReduced(i)) // there may be none before the others were verified
      summed.push_back(i);
  return summed;
}
std::optional<unsigned> ContractOp::getApartIndex() {
  return getApart() ? std::optional<unsigned>(getIndices().size() - getChosen() - 1) : std::nullopt;
}
int64_t ContractOp::getNumSums() {
  return getApart() ? FormulaOpInterface(*this).getIndexAttr(*getApartIndex()).getSize() : 1;
}
Type ContractOp::getSumType() {
  Type lhs = getComputeTypeOf(getLhs());
  return lhs.isInteger() ? getComputeTypeOf(getRhs()) : lhs;
}
unsigned ContractOp::getNumFixedIndices() { return getNumOutputIndices(); }

void SoftmaxOp::rewriteIndexAttributes(ArrayRef<AffineExpr> now, unsigned) {
  setAxis(cast<AffineDimExpr>(now[getAxis()]).getPosition());
}

void RowOp::rewriteIndexAttributes(ArrayRef<AffineExpr> now, unsigned) {
  setAxis(cast<AffineDimExpr>(now[getAxis()]).getPosition());
}

bool SoftmaxOp::isReduced(unsigned index) { return index == getAxis(); }
bool RowOp::isReduced(unsigned index) { return index == getAxis(); }

bool RowOp::isAlongAxis(unsigned output) {
  return FormulaOpInterface(*this).getOutputIndexingMap(output).isFunctionOfDim(getAxis());
}

SmallVector<unsigned> RowOp::getLevels() {
  SmallVector<unsigned> levels;
  for (Region &reduction : getReductions()) {
    unsigned level = 0;
    for (auto [below, argument] : llvm::zip(levels, reduction.getArguments()))
      if (!argument.use_empty())
        level = std::max(level, below + 1);
    levels.push_back(level);
  }
  return levels;
}

unsigned AttentionOp::getFirstElementInput() { return 2 * getDots() + 1; }
unsigned AttentionOp::getNumFixedIndices() { return getKeyIndex() + 1; }

void AttentionOp::rewriteIndexAttributes(ArrayRef<AffineExpr> now, unsigned numOutputs) {
  auto rewrite = [&](AffineMapAttr bound) {
    if (!bound)
      return bound;
    AffineMap map = bound.getValue();
    return AffineMapAttr::get(map.replaceDimsAndSymbols(now.take_front(map.getNumDims()), {},
                                                        numOutputs, map.getNumSymbols()));
  };
  setKeyLowerAttr(rewrite(getKeyLowerAttr()));
  setKeyUpperAttr(rewrite(getKeyUpperAttr()));
}

bool AttentionOp::weightDependsOn(unsigned position) {
  for (auto [i, map] : llvm::enumerate(getInputMaps()))
    if (i != 2 * getDots() && map.isFunctionOfDim(position))
      return true;
  for (std::optional<AffineMap> map : {getKeyLower(), getKeyUpper()})
    if (map && position < map->getNumDims() && map->isFunctionOfDim(position))
      return true;
  WalkResult found = (*this)->walk([&](weft::IndexOp index) {
    return index.getPosition() == position ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

bool AttentionOp::selectsRow(unsigned position) {
  FormulaOpInterface formula = *this;
  return weightDependsOn(position) ||
         (formula.getNumOutputs() > 1 && formula.getOutputIndexingMap(1).isFunctionOfDim(position));
}

void AtOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<MemRefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get());
}

//===----------------------------------------------------------------------------------------===//
// Names of results in printed text
//===----------------------------------------------------------------------------------------===//

void IndexOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  // What is printed need not be valid.
  auto op = (*this)->getParentOfType<IndexedOpInterface>();
  if (op && op.getIndices() && getPosition() < op.getNumIndices())
    setName(getResult(), op.getIndexAttr(getPosition()).getName());
}

void SizeOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getSymbol()); }
