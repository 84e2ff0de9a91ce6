//===- MathToNVX.cpp - functions of a GPU's threads, without a library ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WideMath.h"

#include "weft/Conversion/KernelsToLLVM/RealMath.h"
#include "weft/Conversion/NVXToLLVM/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace weft {
#define GEN_PASS_DEF_MATHTONVX
#include "weft/Conversion/NVXToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// 2^(x log2(e)). What rounding the product lost is a factor near 1. It is limited where the result
/// is 0 or infinite in any case, so that no infinities are subtracted.
static Value emitExpByEx2(OpBuilder &b, Location loc, Value x) {
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  auto limit = [&](arith::CmpFPredicate predicate, Value number, float bound) -> Value {
    Value test = arith::CmpFOp::create(b, loc, predicate, number, constant(bound));
    return arith::SelectOp::create(b, loc, test, constant(bound), number);
  };
  // The low part of log2(e) is what an f32 leaves of it.
  constexpr float high = llvm::numbers::log2ef, low = 1.925963033500886e-8f,
                  log2 = 0.693147180559945f;
  x = limit(arith::CmpFPredicate::OLT, x, -90.0f);
  x = limit(arith::CmpFPredicate::OGT, x, 90.0f);
  Value exponent = arith::MulFOp::create(b, loc, x, constant(high));
  Value lost =
      math::FmaOp::create(b, loc, x, constant(high), arith::NegFOp::create(b, loc, exponent));
  lost = math::FmaOp::create(b, loc, x, constant(low), lost);
  Value factor = math::FmaOp::create(b, loc, lost, constant(log2), constant(1.0f));
  return arith::MulFOp::create(b, loc, nvx::Ex2Op::create(b, loc, exponent), factor);
}

/// x + x^3 P(x^2) for |x| < 0.55, beyond that 1 - 2 / (e^2|x| + 1) with the sign of x. Neither a
/// polynomial for the power nor a division is needed where there are instructions for both.
static Value emitTanhByEx2(OpBuilder &b, Location loc, Value x) {
  RealMath v(b, loc, x.getType());
  constexpr float kNear = 0.55f;
  const float series[] = {-0.3333294664f, 0.1332072505f, -5.267181328e-2f, 1.643758065e-2f};
  Value size = v.abs(x), square = v.mul(x, x), one = v.constant(1);
  Value near = v.fma(v.mul(v.polynomial(square, series), square), x, x);
  Value power = nvx::Ex2Op::create(b, loc, v.mul(size, v.constant(2 * llvm::numbers::log2ef)));
  Value part = nvx::RcpOp::create(b, loc, v.add(power, one));
  Value far = v.copySign(v.fma(part, v.constant(-2), one), x);
  return v.select(arith::CmpFPredicate::OLT, size, v.constant(kNear), near, far);
}

namespace {

/// A function that is an instruction.
template <typename Op, typename Instruction> struct UseInstruction : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    rewriter.replaceOpWithNewOp<Instruction>(op, op.getOperand());
    return success();
  }
};

/// A function of one number that is written out.
template <typename Op, Value (*emit)(OpBuilder &, Location, Value)>
struct WriteOut : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    rewriter.replaceOp(op, emit(rewriter, op.getLoc(), op.getOperand()));
    return success();
  }
};

struct WriteOutPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    rewriter.replaceOp(op, emitPow(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
    return success();
  }
};

/// A function of vectors as those of their elements.
static void unroll(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto type = cast<VectorType>(op->getResult(0).getType());
  SmallVector<Value> elements;
  for (int64_t i = 0; i != type.getNumElements(); ++i) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(vector::ExtractOp::create(b, loc, operand, i));
    OperationState state(loc, op->getName().getStringRef(), operands, {type.getElementType()},
                         op->getAttrs());
    elements.push_back(b.create(state)->getResult(0));
  }
  op->replaceAllUsesWith(vector::FromElementsOp::create(b, loc, type, elements));
  op->erase();
}

template <typename Op, Value (*emit)(RealMath &, Value)>
using Approximate = ApproximateFunction<Op, emit, FloatType>;

struct MathToNVXPass : weft::impl::MathToNVXBase<MathToNVXPass> {
  void runOnOperation() override {
    for (Operation *op : findFunctions())
      if (isa<VectorType>(op->getResult(0).getType()))
        unroll(op);
    SmallVector<Operation *> functions = findFunctions();
    RewritePatternSet patterns(&getContext());
    addPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(functions, std::move(patterns), config)) || !isWhole())
      signalPassFailure();
  }

private:
  SmallVector<Operation *> findFunctions() {
    SmallVector<Operation *> functions;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isInstruction(op))
        functions.push_back(op);
    });
    return functions;
  }

  /// What LLVM has an instruction for, or a few.
  static bool isInstruction(Operation *op) {
    return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::FloorOp,
               math::FmaOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
  }

  static void addPatterns(RewritePatternSet &patterns) {
    patterns.add<UseInstruction<math::Exp2Op, nvx::Ex2Op>,
                 UseInstruction<math::RsqrtOp, nvx::RsqrtOp>, WriteOut<math::ExpOp, emitExpByEx2>,
                 WriteOut<math::SinOp, emitSin>, WriteOut<math::CosOp, emitCos>, WriteOutPow,
                 WriteOut<math::TanhOp, emitTanhByEx2>, Approximate<math::ErfOp, emitErf>>(
        patterns.getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(
          {math::LogOp::getOperationName(), math::Log1pOp::getOperationName()}, name);
    });
  }

  /// LLVM ends the process at a function that it has nothing for.
  bool isWhole() {
    return !getOperation()
                ->walk([](Operation *op) {
                  if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || isInstruction(op))
                    return WalkResult::advance();
                  op->emitError() << "'" << op->getName() << "' of " << op->getResult(0).getType()
                                  << " is not written for GPUs";
                  return WalkResult::interrupt();
                })
                .wasInterrupted();
  }
};

} // namespace
