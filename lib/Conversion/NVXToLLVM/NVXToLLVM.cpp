//===- NVXToLLVM.cpp - intrinsics of LLVM for the instructions of a GPU ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/NVXToLLVM/Passes.h"

#include "mlir/Transforms/DialectConversion.h"

namespace weft {
#define GEN_PASS_DEF_NVXTOLLVM
#include "weft/Conversion/NVXToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

/// A register that NVVM has an op for.
template <typename Op, typename Register> struct LowerRegister : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Register>(op, op.getType());
    return success();
  }
};

/// A function of one operand that is an intrinsic of LLVM.
template <typename Op> struct LowerFunction : OpConversionPattern<Op> {
  LowerFunction(MLIRContext *context, StringRef intrinsic)
      : OpConversionPattern<Op>(context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(intrinsic), adaptor.getOperand());
    return success();
  }

private:
  StringRef intrinsic;
};

struct LowerShuffle : OpConversionPattern<nvx::ShuffleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto constant = [&](int32_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32IntegerAttr(value));
    };
    rewriter.replaceOpWithNewOp<NVVM::ShflOp>(
        op, op.getType(), /*thread_mask=*/constant(-1), adaptor.getOperand(),
        constant(int32_t(op.getDistance())), /*mask_and_clamp=*/constant(31), NVVM::ShflKind::bfly,
        /*return_value_and_is_valid=*/UnitAttr());
    return success();
  }
};

struct LowerBarrier : OpConversionPattern<nvx::BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

struct NVXToLLVMPass : weft::impl::NVXToLLVMBase<NVXToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<LowerRegister<nvx::ThreadIdOp, NVVM::ThreadIdXOp>,
                 LowerRegister<nvx::BlockIdOp, NVVM::BlockIdXOp>, LowerShuffle, LowerBarrier>(
        context);
    patterns.add<LowerFunction<nvx::Ex2Op>>(context, "llvm.nvvm.ex2.approx.ftz");
    patterns.add<LowerFunction<nvx::RsqrtOp>>(context, "llvm.nvvm.rsqrt.approx.ftz.f");
    ConversionTarget target(*context);
    target.addIllegalDialect<nvx::NVXDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
