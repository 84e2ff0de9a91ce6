//===- NVXToLLVM.cpp - intrinsics of LLVM for the instructions of a GPU ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/NVXToLLVM/Passes.h"

#include "HopperToLLVM.h"

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

/// A function of numbers that is an intrinsic of LLVM.
template <typename Op> struct LowerFunction : OpConversionPattern<Op> {
  LowerFunction(MLIRContext *context, StringRef intrinsic)
      : OpConversionPattern<Op>(context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(intrinsic), adaptor.getOperands());
    return success();
  }

private:
  StringRef intrinsic;
};

static Value getConstant(Operation *op, int32_t value, ConversionPatternRewriter &rewriter) {
  return LLVM::ConstantOp::create(rewriter, op->getLoc(), rewriter.getI32IntegerAttr(value));
}

/// All threads of the warp are there. The bits of a lane that stay are above the clamp.
static void replaceByShuffle(Operation *op, Value operand, Value place, NVVM::ShflKind kind,
                             ConversionPatternRewriter &rewriter, int32_t bits = 0) {
  rewriter.replaceOpWithNewOp<NVVM::ShflOp>(
      op, operand.getType(), /*thread_mask=*/getConstant(op, -1, rewriter), operand, place,
      /*mask_and_clamp=*/getConstant(op, bits << 8 | 31, rewriter), kind,
      /*return_value_and_is_valid=*/UnitAttr());
}

struct LowerShuffle : OpConversionPattern<nvx::ShuffleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value distance = getConstant(op, int32_t(op.getDistance()), rewriter);
    replaceByShuffle(op, adaptor.getOperand(), distance, NVVM::ShflKind::bfly, rewriter);
    return success();
  }
};

struct LowerBroadcast : OpConversionPattern<nvx::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::BroadcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value first = getConstant(op, 0, rewriter);
    replaceByShuffle(op, adaptor.getOperand(), first, NVVM::ShflKind::idx, rewriter);
    return success();
  }
};

struct LowerReadLane : OpConversionPattern<nvx::ReadLaneOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::ReadLaneOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    replaceByShuffle(op, adaptor.getOperand(), adaptor.getLane(), NVVM::ShflKind::idx, rewriter);
    return success();
  }
};

/// Bit 4 of the lane stays, the others are the index's.
struct LowerLookUp : OpConversionPattern<nvx::LookUpOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::LookUpOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    replaceByShuffle(op, adaptor.getEntry(), adaptor.getIndex(), NVVM::ShflKind::idx, rewriter,
                     /*bits=*/16);
    return success();
  }
};

struct LowerWarpBarrier : OpConversionPattern<nvx::WarpBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::WarpBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(op, getConstant(op, -1, rewriter));
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

struct LowerCpAsync : OpConversionPattern<nvx::CpAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::CpAsyncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // Past the first cache, for which what fills a line of it need not make room.
    bool isLine = op.getSize() == 16;
    auto cache = isLine ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncOp>(op, adaptor.getTarget(), adaptor.getSource(),
                                                 op.getSize(), cache, adaptor.getBytes());
    return success();
  }
};

struct LowerCpAsyncCommit : OpConversionPattern<nvx::CpAsyncCommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::CpAsyncCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct LowerCpAsyncWait : OpConversionPattern<nvx::CpAsyncWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::CpAsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getPending());
    return success();
  }
};

/// The members of a structure in the place of an op's results.
void replaceByMembers(Operation *op, Value structure, ConversionPatternRewriter &rewriter) {
  SmallVector<Value> members;
  for (unsigned i = 0; i != op->getNumResults(); ++i)
    members.push_back(LLVM::ExtractValueOp::create(rewriter, op->getLoc(), structure, i));
  rewriter.replaceOp(op, members);
}

struct LowerLdMatrix : OpConversionPattern<nvx::LdMatrixOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::LdMatrixOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    unsigned number = op.getNumResults();
    std::string name = ("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" + Twine(number) +
                        (op.getTrans() ? ".trans.b16" : ".b16"))
                           .str();
    Type type = number == 1 ? op.getResult(0).getType()
                            : LLVM::LLVMStructType::getLiteral(
                                  op.getContext(), llvm::to_vector(op.getResultTypes()));
    auto call = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), type,
                                              rewriter.getStringAttr(name), adaptor.getSource());
    if (number == 1)
      rewriter.replaceOp(op, call.getResults());
    else
      replaceByMembers(op, call.getResults(), rewriter);
    return success();
  }
};

struct LowerMma : OpConversionPattern<nvx::MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type element = op.getElement();
    StringRef name = element.isBF16()  ? "llvm.nvvm.mma.m16n8k16.row.col.bf16"
                     : element.isF16() ? "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
                                       : "llvm.nvvm.mma.m16n8k8.row.col.tf32";
    SmallVector<Value> operands;
    for (ValueRange registers : {adaptor.getA(), adaptor.getB()})
      for (Value pair : registers)
        operands.push_back(element.isF16() ? asHalves(rewriter, op.getLoc(), pair) : pair);
    llvm::append_range(operands, adaptor.getC());
    Type type =
        LLVM::LLVMStructType::getLiteral(op.getContext(), llvm::to_vector(op.getResultTypes()));
    auto call = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), type,
                                              rewriter.getStringAttr(name), operands);
    replaceByMembers(op, call.getResults(), rewriter);
    return success();
  }

private:
  static Value asHalves(OpBuilder &b, Location loc, Value pair) {
    return LLVM::BitcastOp::create(b, loc, VectorType::get({2}, b.getF16Type()), pair);
  }
};

struct LowerMmaCodes : OpConversionPattern<nvx::MmaCodesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvx::MmaCodesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type =
        LLVM::LLVMStructType::getLiteral(op.getContext(), llvm::to_vector(op->getResultTypes()));
    StringAttr name = rewriter.getStringAttr("llvm.nvvm.mma.m16n8k32.row.col.u8.s8");
    auto call =
        LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), type, name, adaptor.getOperands());
    replaceByMembers(op, call.getResults(), rewriter);
    return success();
  }
};

struct NVXToLLVMPass : weft::impl::NVXToLLVMBase<NVXToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<LowerRegister<nvx::ThreadIdOp, NVVM::ThreadIdXOp>,
                 LowerRegister<nvx::BlockIdOp, NVVM::BlockIdXOp>,
                 LowerRegister<nvx::GridSizeOp, NVVM::GridDimXOp>, LowerShuffle, LowerBroadcast,
                 LowerReadLane, LowerLookUp, LowerBarrier, LowerWarpBarrier, LowerCpAsync,
                 LowerCpAsyncCommit, LowerCpAsyncWait, LowerLdMatrix, LowerMma, LowerMmaCodes>(
        context);
    populateHopperToLLVM(patterns);
    patterns.add<LowerFunction<nvx::MulOp>>(context, "llvm.nvvm.mul.rn.ftz.f");
    patterns.add<LowerFunction<nvx::Ex2Op>>(context, "llvm.nvvm.ex2.approx.ftz");
    patterns.add<LowerFunction<nvx::RcpOp>>(context, "llvm.nvvm.rcp.approx.ftz.f");
    patterns.add<LowerFunction<nvx::RsqrtOp>>(context, "llvm.nvvm.rsqrt.approx.ftz.f");
    patterns.add<LowerFunction<nvx::RoundTF32Op>>(context, "llvm.nvvm.f2tf32.rna");
    patterns.add<LowerFunction<nvx::DotCodesOp>>(context, "llvm.nvvm.idp4a.u.s");
    ConversionTarget target(*context);
    target.addIllegalDialect<nvx::NVXDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
