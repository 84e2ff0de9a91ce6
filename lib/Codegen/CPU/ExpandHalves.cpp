//===- ExpandHalves.cpp - f16 and bf16 without instructions for them ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Codegen/Common/ElementCode.h"

namespace weft {
#define GEN_PASS_DEF_EXPANDHALVES
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// The lanes of a value and the builder for code before `op`.
static LaneBuilder getLanes(OpBuilder &b, Operation *op) {
  auto vector = dyn_cast<VectorType>(op->getOperand(0).getType());
  return LaneBuilder(b, op->getLoc(), vector ? vector.getNumElements() : 1);
}

static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

namespace {

struct ExpandHalvesPass : weft::impl::ExpandHalvesBase<ExpandHalvesPass> {
  using ExpandHalvesBase::ExpandHalvesBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      OpBuilder b(op);
      if (isa<arith::ExtFOp>(op) && f16 && getElementTypeOrSelf(op->getOperand(0)).isF16()) {
        Type bits = withElement(op->getOperand(0).getType(), b.getI16Type());
        Value loaded = arith::BitcastOp::create(b, op->getLoc(), bits, op->getOperand(0));
        LaneBuilder lanes = getLanes(b, op);
        replace(op, extendByBits(lanes, loaded, b.getF16Type()));
      } else if (isa<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op) &&
                 isExpanded(getElementTypeOrSelf(op->getResult(0)))) {
        LaneBuilder lanes = getLanes(b, op);
        Type half = getElementTypeOrSelf(op->getResult(0));
        Value rounded = roundByBits(lanes, getReal(b, op), half);
        replace(op, arith::BitcastOp::create(b, op->getLoc(), op->getResult(0).getType(), rounded));
      }
    });
  }

  /// What is rounded: of an integer, which folding may have made a half at once, the f32.
  static Value getReal(OpBuilder &b, Operation *op) {
    Value from = op->getOperand(0);
    Type real = withElement(from.getType(), b.getF32Type());
    if (isa<arith::SIToFPOp>(op))
      return arith::SIToFPOp::create(b, op->getLoc(), real, from);
    if (isa<arith::UIToFPOp>(op))
      return arith::UIToFPOp::create(b, op->getLoc(), real, from);
    return from;
  }

  bool isExpanded(Type half) const { return (half.isF16() && f16) || (half.isBF16() && bf16); }

  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
};

} // namespace
