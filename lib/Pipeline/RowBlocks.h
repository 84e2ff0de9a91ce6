//===- RowBlocks.h - matrices computed in blocks of rows ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_ROWBLOCKS_H
#define WEFT_LIB_PIPELINE_ROWBLOCKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft {

/// A function that computes the first rows of what it computed all rows of.
struct RowBlocks {
  int64_t elements = 0; ///< of the result
  /// By how many elements each argument lies further on for the next block.
  llvm::SmallVector<int64_t> distances;
};

/// Makes a function at stage `fused` with one result, whose rows its first dimension counts, one of
/// blocks of at most about `elements` elements: of the largest divisor of its rows for which all
/// that it reads of its arguments lies by constant distances further on. Formulas that are read by
/// others are computed for these rows only, if each of their rows is read for the same row of the
/// reader. All rows if there is none.
RowBlocks splitRows(mlir::func::FuncOp function, int64_t elements);

} // namespace weft

#endif // WEFT_LIB_PIPELINE_ROWBLOCKS_H
