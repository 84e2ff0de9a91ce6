//===- ApproximateMath.cpp - polynomials for functions --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The functions of RealMath.h, of numbers as of vectors: which of both a kernel computes is the
// schedule's choice, and another one in a batch. Logarithms are rare and left to MLIR's
// polynomials. Sines and powers are computed in f64.
//
//===----------------------------------------------------------------------------------------===//

#include "SineFunctions.h"
#include "WideFunctions.h"

#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Conversion/KernelsToLLVM/RealMath.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace weft {
#define GEN_PASS_DEF_APPROXIMATEMATH
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

template <typename Op, Value (*emit)(RealMath &, Value)>
using Approximate = ApproximateFunction<Op, emit, Type>;

namespace {

/// Of functions that may be approximated, before the accurate one.
struct RoughErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    RealMath real(rewriter, op);
    rewriter.replaceOp(op, emitRoughErf(real, op.getOperand()));
    return success();
  }
};

struct WidePower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    rewriter.replaceOp(op, emitPower(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
    return success();
  }
};

struct ApproximateMathPass : weft::impl::ApproximateMathBase<ApproximateMathPass> {
  void runOnOperation() override {
    callSineFunctions(getOperation());
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (isa<math::ExpOp, math::LogOp, math::Log1pOp, math::TanhOp, math::ErfOp, math::PowFOp>(
              op) &&
          getElementTypeOrSelf(op->getResult(0).getType()).isF32())
        functions.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<Approximate<math::ExpOp, emitExp>, Approximate<math::TanhOp, emitTanh>,
                 Approximate<math::ErfOp, emitErf>, WidePower>(&getContext());
    patterns.add<RoughErf>(&getContext(), /*benefit=*/2);
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(
          {math::LogOp::getOperationName(), math::Log1pOp::getOperationName()}, name);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(functions, std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
