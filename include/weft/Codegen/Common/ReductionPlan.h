//===- ReductionPlan.h - which loop of a reduction goes where -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_REDUCTIONPLAN_H
#define WEFT_CODEGEN_COMMON_REDUCTIONPLAN_H

#include "weft/Codegen/Common/RowSchedules.h"

namespace weft {

/// Whether what is read along the index may be read again for another value of `row`.
bool isReadAgain(FormulaOpInterface op, unsigned position, unsigned row);

/// The loops of a reduction or contraction under a schedule, by the positions of its indices.
struct ReductionPlan {
  ReductionPlan(FormulaOpInterface op, const ReductionSchedule &schedule);

  llvm::SmallVector<unsigned> rows;    ///< loops over results, outermost first
  llvm::SmallVector<unsigned> reduced; ///< scalar loops over the elements of a result
  unsigned lane = 0;                   ///< the index of the lanes
  bool alongOutput = false, alongReduced = false;
  int64_t width, tile;
  unsigned acrossIndex = 0; ///< the stored index before the last one, if `across` is more than one
  int64_t across;
  int64_t work; ///< elements read in one iteration of the rows

  /// Results in a tile, along the output's last stored index.
  int64_t getTileSize() const { return tile * (alongOutput ? width : 1); }
};

} // namespace weft

#endif
