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

static unsigned outputRank(Operation *op, Value output) {
  Type type = op->getNumResults() ? op->getResult(0).getType() : output.getType();
  return cast<ShapedType>(type).getRank();
}

/// Formulas on tensors are pure; on buffers they read their inputs and write their output.
static void
formulaEffects(Operation *op, Value output,
               SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (op->getNumResults())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  if (output)
    effects.emplace_back(MemoryEffects::Write::get());
}

/// A formula's result is called as in the model's text.
static void nameByLabel(Operation *op, OpAsmSetValueNameFn setName) {
  if (auto label = attrs::Label::get(op); label && op->getNumResults() == 1)
    setName(op->getResult(0), label.getValue());
}

#define WEFT_FORMULA_OP(OpTy)                                                                      \
  unsigned OpTy::getNumOutputIndices() { return outputRank(*this, getOutput()); }                  \
  void OpTy::getAsmResultNames(OpAsmSetValueNameFn setName) { nameByLabel(*this, setName); }       \
  void OpTy::getEffects(                                                                           \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {              \
    formulaEffects(*this, getOutput(), effects);                                                   \
  }
WEFT_FORMULA_OP(MapOp)
WEFT_FORMULA_OP(ReduceOp)
WEFT_FORMULA_OP(ContractOp)
WEFT_FORMULA_OP(SoftmaxOp)
WEFT_FORMULA_OP(AttentionOp)
#undef WEFT_FORMULA_OP

unsigned MapOp::getFirstElementInput() { return 0; }
unsigned ReduceOp::getFirstElementInput() { return 0; }
unsigned SoftmaxOp::getFirstElementInput() { return 0; }
unsigned ContractOp::getFirstElementInput() { return 2; }
unsigned AttentionOp::getFirstElementInput() { return 2 * getDots() + 1; }

void AtOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<MemRefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get());
}

//===----------------------------------------------------------------------------------------===//
// Names of results in printed text
//===----------------------------------------------------------------------------------------===//

void IndexOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  for (Operation *op = (*this)->getParentOp(); op; op = op->getParentOp()) {
    auto indices = op->getAttrOfType<ArrayAttr>("indices");
    if (!isa<FormulaOpInterface, CheckOp>(op) || !indices)
      continue;
    if (getPosition() < indices.size())
      setName(getResult(), cast<IndexAttr>(indices[getPosition()]).getName());
    return;
  }
}

void SizeOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getSymbol()); }
