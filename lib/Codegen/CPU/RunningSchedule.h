//===- RunningSchedule.h - reductions of all that was before --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_RUNNINGSCHEDULE_H
#define WEFT_LIB_CODEGEN_CPU_RUNNINGSCHEDULE_H

#include "weft/Codegen/Common/RowSchedules.h"

namespace weft {

/// Of a running reduction (`findRunning`), each result of which begins with the one before.
/// The lanes run along the output's last stored index, if that is another one.
struct RunningSchedule {
  int64_t width = 1;
  int64_t tile = 1; ///< vectors of neighbouring results that run together
  RowTasks tasks;

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("tile", tile);
    tasks.visit(fields);
  }
  void check(ScheduleRules &rules, ReduceOp op) const;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_RUNNINGSCHEDULE_H
