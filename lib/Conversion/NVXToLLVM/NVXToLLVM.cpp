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

struct NVXToLLVMPass : weft::impl::NVXToLLVMBase<NVXToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<LowerRegister<nvx::ThreadIdOp, NVVM::ThreadIdXOp>,
                 LowerRegister<nvx::BlockIdOp, NVVM::BlockIdXOp>>(context);
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
