//===- Passes.h - stage fused to stage kernels ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_WEFTTOKERNELS_PASSES_H
#define WEFT_CONVERSION_WEFTTOKERNELS_PASSES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <numeric>

namespace weft {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "weft/Conversion/WeftToKernels/Passes.h.inc"

/// The most new rows at once of a cache of which only the last `reach` old positions are read.
inline int64_t getWindowPiece(int64_t reach) { return reach + 2; }

/// The first position in such a cache is a multiple of this on a GPU: rows of few bytes, a mask's,
/// are read some at once, from an address that is one of 16 bytes.
inline int64_t getWindowStep(int64_t rowBytes) { return 16 / std::gcd<int64_t>(16, rowBytes); }

/// The rows of such a cache: room for the old positions and for new ones, so that the old ones are
/// moved to its front once in so many positions.
inline int64_t getWindowRows(int64_t reach, int64_t rowBytes) {
  return reach + getWindowPiece(reach) + getWindowStep(rowBytes) - 1;
}

/// The symbol in which `weft.flops` are polynomials; empty if the module has none.
llvm::StringRef getFlopsSymbol(mlir::ModuleOp module);

/// What stage `kernels` needs to know of the target and the command line.
struct KernelsOptions {
  bool optimize = true;        ///< choose layouts and pack weights (not at -O0)
  int64_t panelWidth = 32;     ///< columns of a panel of a packed weight; 0: pack codes alone
  bool joinLaunches = false;   ///< launches that do not depend on each other are one
  bool chainsProducts = false; ///< tasks have memory for what products make for each other
  bool storesInPlace = false;  ///< kernels may write a buffer that they read
  bool padRows = false; ///< the target has a matrix unit that loads a line of many rows at once
};

/// Adds the passes from stage `fused` to stage `kernels`.
void buildKernelsPipeline(mlir::OpPassManager &pm, const KernelsOptions &options);

} // namespace weft

#endif // WEFT_CONVERSION_WEFTTOKERNELS_PASSES_H
