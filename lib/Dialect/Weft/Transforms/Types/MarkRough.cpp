//===- MarkRough.cpp - weft-mark-rough ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace weft {
#define GEN_PASS_DEF_MARKROUGHPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Whether `user` makes codes of rows, which have 8 bits.
static bool makesCodes(Operation *user) {
  return isa<RowOp>(user) && getElementTypeOrSelf(user->getResult(0)).isInteger(8);
}

static bool isRounded(Value result) {
  if (getElementTypeOrSelf(result).isBF16())
    return true;
  return !result.use_empty() && llvm::all_of(result.getUsers(), makesCodes);
}

namespace {

struct MarkRoughPass : weft::impl::MarkRoughPassBase<MarkRoughPass> {
  void runOnOperation() override {
    getOperation().walk([](math::ErfOp op) {
      Operation *formula = op->getParentOp();
      if (isa<ContractOp, MapOp>(formula) && llvm::all_of(formula->getResults(), isRounded))
        op.setFastmath(op.getFastmath() | arith::FastMathFlags::afn);
    });
  }
};

} // namespace
