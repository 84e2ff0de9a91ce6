//===- MarkRounded.cpp - weft-mark-rounded --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/DiscardableAttrs.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_MARKROUNDEDPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

struct MarkRoundedPass : weft::impl::MarkRoundedPassBase<MarkRoundedPass> {
  void runOnOperation() override {
    getOperation().walk([](YieldOp yield) {
      auto reduce = dyn_cast<ReduceOp>(yield->getParentOp());
      if (reduce && reduce.getKind() == ReduceKind::Sum)
        return;
      for (Value value : yield.getValues())
        if (auto product = value.getDefiningOp<arith::MulFOp>())
          attrs::Rounded::set(product);
    });
  }
};

} // namespace
