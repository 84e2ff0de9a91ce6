//===- ExpandDivisions.cpp - quotients that are rounded up or down --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/NVXToLLVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace weft {
#define GEN_PASS_DEF_EXPANDDIVISIONS
#include "weft/Conversion/NVXToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

struct ExpandDivisionsPass : weft::impl::ExpandDivisionsBase<ExpandDivisionsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
        divisions.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(divisions, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
