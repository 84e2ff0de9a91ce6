//===- MicroKernel.h - the register tile of products and attention --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_MICROKERNEL_H
#define WEFT_LIB_CODEGEN_CPU_MICROKERNEL_H

#include "weft/Codegen/Common/Kernel.h"

namespace weft {

/// The factors of a register tile: `rows[i][k * stride]` times the vector number v of `width`
/// elements at `panel[k * panelStride]`.
struct TileFactors {
  llvm::SmallVector<mlir::Value> rows; ///< pointers to the first elements of the rows
  Lanes stride;
  mlir::Value panel;
  int64_t panelStride;
  int64_t numVectors;
  int64_t unroll; ///< steps of k that are written out
};

/// sums[i * numVectors + v] += sum(k < size) of the products, with k unrolled. The sums stay in
/// registers: they are loop-carried vectors and nothing is stored inside the loop.
llvm::SmallVector<mlir::Value> emitTileProduct(LaneBuilder &lanes, const TileFactors &factors,
                                               const Lanes &size, mlir::ValueRange sums);

/// Turns `width` vectors, the rows of a square, into its columns.
llvm::SmallVector<mlir::Value> transpose(LaneBuilder &lanes, llvm::SmallVector<mlir::Value> rows);

/// 2^x within 2 ulp for x <= 127; 0 for x < -126, minus infinity included.
mlir::Value emitExp2(LaneBuilder &lanes, mlir::Value x);

} // namespace weft

#endif
