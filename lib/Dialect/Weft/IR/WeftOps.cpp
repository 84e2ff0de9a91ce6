//===- WeftOps.cpp - the ops: interfaces and verifiers --------------------------------------===//

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

#define WEFT_FORMULA_OP(OpTy)                                                                      \
  unsigned OpTy::getNumOutputIndices() { return outputRank(*this, getOutput()); }                  \
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

void AtOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<MemRefType>(getSource().getType()))
    effects.emplace_back(MemoryEffects::Read::get());
}

//===----------------------------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------------------------===//

LogicalResult MapOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult ContractOp::verify() { return success(); }
LogicalResult SoftmaxOp::verify() { return success(); }
LogicalResult AttentionOp::verify() { return success(); }
LogicalResult CheckOp::verify() { return success(); }
LogicalResult WeightOp::verify() { return success(); }
LogicalResult IndexOp::verify() { return success(); }
LogicalResult AtOp::verify() { return success(); }
LogicalResult InnerOp::verify() { return success(); }
