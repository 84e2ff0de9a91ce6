//===- MapSchedule.h - how a map is computed ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_MAPSCHEDULE_H
#define WEFT_CODEGEN_COMMON_MAPSCHEDULE_H

#include "weft/Codegen/Common/RowSchedules.h"

namespace weft {

/// Maps: a row is everything along the output's last stored index, which has the lanes.
struct MapSchedule : RowSchedule {
  /// Neighbouring rows that are computed together, a vector of each in turn; none: one.
  std::optional<int64_t> tile;

  template <typename Fields> void visit(Fields &fields) {
    RowSchedule::visit(fields);
    fields("tile", tile);
  }
  void check(ScheduleRules &rules, MapOp op) const;
};

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_MAPSCHEDULE_H
