//===- TransposeSchedule.h - how a transposing map is cut -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_TRANSPOSESCHEDULE_H
#define WEFT_LIB_CODEGEN_CPU_TRANSPOSESCHEDULE_H

#include "weft/Codegen/Common/RowSchedules.h"

namespace weft {

/// Of a map with inputs that are stored across its output. The lanes run along the output's last
/// stored index; a row is everything along it, and `run` values of the index `across`.
struct TransposeSchedule {
  int64_t width = 1;
  /// The index, by its position, along which the transposed inputs lie side by side.
  std::optional<unsigned> across;
  /// What is read of it before the next lanes: a multiple of the width.
  int64_t run = 1;
  RowTasks tasks;

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("across", across);
    fields("run", run);
    tasks.visit(fields);
  }
  void check(ScheduleRules &rules, MapOp op) const;
};

/// Whether vectors of an input along the output's last stored index would be gathers, but vectors
/// along the index at `across` are none.
bool liesAcross(MapOp op, unsigned input, unsigned across);
/// How many of the inputs do.
unsigned countInputsAcross(MapOp op, unsigned across);
/// Whether there is such an input.
bool hasInputAcross(MapOp op);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_TRANSPOSESCHEDULE_H
