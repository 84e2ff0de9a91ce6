//===- HopperToLLVM.h - assembly for the instructions of sm_90a -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_NVXTOLLVM_HOPPERTOLLVM_H
#define WEFT_LIB_CONVERSION_NVXTOLLVM_HOPPERTOLLVM_H

#include "mlir/IR/PatternMatch.h"

namespace weft {

/// Patterns for barriers in shared memory, copies of boxes and products of four warps.
void populateHopperToLLVM(mlir::RewritePatternSet &patterns);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_NVXTOLLVM_HOPPERTOLLVM_H
