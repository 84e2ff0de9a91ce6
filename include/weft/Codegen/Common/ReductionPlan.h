//===- ReductionPlan.h - which loop of a reduction goes where -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_REDUCTIONPLAN_H
#define WEFT_CODEGEN_COMMON_REDUCTIONPLAN_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// The loops of a reduction or contraction, by the positions of its indices.
///
/// The vector runs either along a reduced index (partial results in the lanes, combined at the end)
/// or along the output's last stored index (every lane is another result), whichever lets more
/// elements be read contiguously.
///
/// If some element that is read serves neighbouring results, a tile of `tile` of them (vectors of
/// them, along the output) is computed at once: the element is read once, and there are as many
/// independent sums. If what a tile reads is read again for other rows (a weight, for every token;
/// a row of a table, wherever the data chooses it), the loop over the tiles goes outside, so that
/// it stays in the cache.
struct ReductionPlan {
  ReductionPlan(FormulaOpInterface op, LoweringAttr lowering);

  llvm::SmallVector<unsigned> rows;    ///< loops over results, outermost first
  llvm::SmallVector<unsigned> reduced; ///< scalar loops over the elements of a result
  unsigned lane = 0;                   ///< the index of the lanes
  bool alongOutput = false, alongReduced = false;
  int64_t width = 1; ///< lanes
  int64_t tile = 1;
  int64_t work = 1; ///< elements read in one iteration of the rows

  /// Results in a tile, along the output's last stored index.
  int64_t getTileSize() const { return tile * (alongOutput ? width : 1); }
};

/// The tile to ask for in `weft.lowering`, for a machine with so many vector registers; 1 if
/// neighbouring results share nothing.
int64_t chooseReductionTile(FormulaOpInterface op, int64_t width, int64_t registers);

} // namespace weft

#endif
