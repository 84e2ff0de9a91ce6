//===- FuseProducts.cpp - a product and a sum that round once -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM would do so when it selects instructions, but after it has unrolled loops: where both terms
// of a sum are products then, which one rounds on its own is an accident. Two kernels that compute
// the same row would give other bits. Here every loop is still as it was written.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Dialect/Weft/IR/DiscardableAttrs.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace weft {
#define GEN_PASS_DEF_FUSEPRODUCTS
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// The product that `value` is, if it is one of the block of `user`: one of an outer loop is better
/// kept as a value. What is rounded on its own elsewhere is so here.
static LLVM::FMulOp getProduct(Value value, Operation *user) {
  auto product = value.getDefiningOp<LLVM::FMulOp>();
  bool isFree = product && product->getBlock() == user->getBlock();
  return isFree && !attrs::Rounded::isOn(product) ? product : nullptr;
}

static bool hasInstruction(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

namespace {

/// a * b + c and c + a * b; of two products the first.
struct FuseSum : OpRewritePattern<LLVM::FAddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LLVM::FAddOp op, PatternRewriter &rewriter) const override {
    Value term = op.getRhs();
    LLVM::FMulOp product = getProduct(op.getLhs(), op);
    if (!product) {
      product = getProduct(op.getRhs(), op);
      term = op.getLhs();
    }
    if (!product || !hasInstruction(op.getType()))
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::FMAOp>(op, product.getLhs(), product.getRhs(), term);
    return success();
  }
};

/// a * b - c and c - a * b; of two products the first.
struct FuseDifference : OpRewritePattern<LLVM::FSubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LLVM::FSubOp op, PatternRewriter &rewriter) const override {
    LLVM::FMulOp first = getProduct(op.getLhs(), op), second = getProduct(op.getRhs(), op);
    if (!(first || second) || !hasInstruction(op.getType()))
      return failure();
    auto negate = [&](Value value) -> Value {
      return LLVM::FNegOp::create(rewriter, op.getLoc(), value);
    };
    if (first)
      rewriter.replaceOpWithNewOp<LLVM::FMAOp>(op, first.getLhs(), first.getRhs(),
                                               negate(op.getRhs()));
    else
      rewriter.replaceOpWithNewOp<LLVM::FMAOp>(op, negate(second.getLhs()), second.getRhs(),
                                               op.getLhs());
    return success();
  }
};

struct FuseProductsPass : weft::impl::FuseProductsBase<FuseProductsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseSum, FuseDifference>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // What could be fused is: LLVM need not look again.
    getOperation()->walk([](LLVM::FastmathFlagsInterface op) {
      attrs::Rounded::remove(op);
      auto flags = bitEnumClear(op.getFastmathAttr().getValue(), LLVM::FastmathFlags::contract);
      op->setAttr(op.getFastmathAttrName(), LLVM::FastmathFlagsAttr::get(op->getContext(), flags));
    });
  }
};

} // namespace
