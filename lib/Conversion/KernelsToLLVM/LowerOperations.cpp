//===- LowerOperations.cpp - what functions compute as operations of LLVM -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/KernelsToLLVM/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"

namespace weft {
#define GEN_PASS_DEF_LOWEROPERATIONS
#include "weft/Conversion/KernelsToLLVM/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// What LLVM has no operation for, and those of several dimensions: operations on vectors that it
/// has. They look at one operation alone, so that they may run in the conversion.
static void populateVectorPatterns(RewritePatternSet &patterns) {
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  vector::populateVectorToElementsUnrollPatterns(patterns);
}

namespace {

struct LowerOperationsPass : weft::impl::LowerOperationsBase<LowerOperationsPass> {
  using Base::Base;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    IRRewriter rewriter(context);
    (void)simplifyRegions(rewriter, getOperation()->getRegions());
    LLVMTypeConverter types(context);
    RewritePatternSet patterns(context);
    SymbolTableCollection symbols;
    populatePatterns(types, patterns, symbols);
    LLVMConversionTarget target(*context);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }

private:
  void populatePatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns,
                        SymbolTableCollection &symbols) const {
    populateVectorPatterns(patterns);
    populateVectorToLLVMConversionPatterns(types, patterns, reassociate,
                                           /*force32BitVectorIndices=*/true);
    populateMathToLLVMConversionPatterns(types, patterns);
    if (libm) // for what has no intrinsic of LLVM: other patterns have a larger benefit
      populateMathToLibmConversionPatterns(patterns, /*benefit=*/0);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    cf::populateAssertToLLVMConversionPattern(types, patterns);
    ub::populateUBToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns, &symbols);
  }
};

} // namespace
