//===- ShortenIndices.cpp - values of type `index` of 32 bits -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/NVXToLLVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace weft {
#define GEN_PASS_DEF_SHORTENINDICES
#include "weft/Conversion/NVXToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// The constant, if it is one of type `index`.
static std::optional<APInt> getIndexConstant(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant || !constant.getType().isIndex())
    return std::nullopt;
  return cast<IntegerAttr>(constant.getValue()).getValue();
}

static bool hasLongConstant(Operation *function) {
  WalkResult walk = function->walk([](Operation *op) {
    std::optional<APInt> value = getIndexConstant(op);
    return value && !value->isSignedIntN(32) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// What a cast to or from `index` is between integers.
template <typename Extend> static void replaceCast(Operation *op) {
  OpBuilder b(op);
  Value from = op->getOperand(0), to = op->getResult(0);
  unsigned have = from.getType().getIntOrFloatBitWidth(),
           want = to.getType().getIntOrFloatBitWidth();
  if (have < want)
    from = Extend::create(b, op->getLoc(), to.getType(), from);
  else if (have > want)
    from = arith::TruncIOp::create(b, op->getLoc(), to.getType(), from);
  to.replaceAllUsesWith(from);
  op->erase();
}

static void shorten(Operation *function) {
  Type i32 = IntegerType::get(function->getContext(), 32);
  auto change = [&](Value value) {
    if (value.getType().isIndex())
      value.setType(i32);
  };
  SmallVector<Operation *> casts;
  function->walk([&](Operation *op) {
    if (std::optional<APInt> value = getIndexConstant(op))
      cast<arith::ConstantOp>(op).setValueAttr(IntegerAttr::get(i32, value->getSExtValue()));
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
      casts.push_back(op);
    bool isIndex = op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
    auto arithmetic = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    if (arithmetic && isIndex)
      op->setAttr(arithmetic.getIntegerOverflowAttrName(),
                  arith::IntegerOverflowFlagsAttr::get(function->getContext(),
                                                       arith::IntegerOverflowFlags::nsw));
    llvm::for_each(op->getResults(), change);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), change);
  });
  for (Operation *op : casts)
    if (isa<arith::IndexCastOp>(op))
      replaceCast<arith::ExtSIOp>(op);
    else
      replaceCast<arith::ExtUIOp>(op);
}

namespace {

struct ShortenIndicesPass : weft::impl::ShortenIndicesBase<ShortenIndicesPass> {
  void runOnOperation() override {
    getOperation()->walk([](LLVM::LLVMFuncOp function) {
      if (function->removeAttr(nvx::kShortIndices) && !hasLongConstant(function))
        shorten(function);
    });
  }
};

} // namespace
