//===- RowSchedules.h - what the emitters for every target can be told ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_ROWSCHEDULES_H
#define WEFT_CODEGEN_COMMON_ROWSCHEDULES_H

#include "weft/Codegen/Common/Schedule.h"

namespace weft {

/// How the outer loops over results, the *rows*, become tasks.
struct RowTasks {
  std::optional<int64_t> rows; ///< of a task; none: there is one task
  /// Of a task, instead of rows, which are cut then along the index of their lanes.
  std::optional<int64_t> vectors;
  bool parallel = false;

  template <typename Fields> void visit(Fields &fields) {
    fields("rows", rows);
    fields("vectors", vectors);
    fields("parallel", parallel);
  }
  /// `hasLanes`: a row consists of vectors along an index of its own.
  void check(ScheduleRules &rules, bool hasLanes = false) const;
};

/// Maps: a row is everything along the output's last stored index, which has the lanes.
struct RowSchedule {
  int64_t width = 1;
  RowTasks tasks;

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    tasks.visit(fields);
  }
  void check(ScheduleRules &rules, FormulaOpInterface op) const;
};

/// Softmaxes: a row is everything along the axis and the output's last stored index, which has the
/// lanes.
struct SoftmaxSchedule {
  int64_t width = 1;
  /// Neighbouring elements along the axis (vectors of them, if it has the lanes) that go through a
  /// pass together: there are as many independent maxima.
  int64_t chains = 1;
  /// 3: the maximum, the sum of the exponentials, the results; those of a softmax keep the
  /// exponentials meanwhile. 2: maximum and sum together, at one exponential more for each step of
  /// the chains, and the results, of which those of a softmax take the exponentials again.
  int64_t passes = 3;
  /// The results keep the elements, too, so that they are computed once.
  bool kept = false;
  RowTasks tasks;

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("chains", chains);
    fields("passes", passes);
    fields("kept", kept);
    tasks.visit(fields);
  }
  void check(ScheduleRules &rules, SoftmaxOp op) const;
};

/// Rows with statistics: a row is everything along the axis.
struct RowOpSchedule {
  int64_t width = 1;
  /// Neighbouring rows along the last of the other stored indices that are computed in the same
  /// loops, where the lanes run along the axis: there are as many independent sums.
  int64_t tile = 1;
  RowTasks tasks;

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("tile", tile);
    tasks.visit(fields);
  }
  void check(ScheduleRules &rules, RowOp op) const;
};

/// The index of the places of an argtop, if each of them is a result.
std::optional<unsigned> getPlaceIndex(ReduceOp op);
/// Into how many blocks an argtop cuts what it ranks, and how many there may be.
int64_t getRankedBlocks(ReduceOp op, int64_t block);
inline constexpr int64_t kMostRankedBlocks = 4096;

/// Argtop: a row is all its places, the lanes run along what is ranked.
struct ArgTopSchedule {
  int64_t width = 1;
  /// Elements of which the largest that is left is kept on the stack, so that a place takes a walk
  /// through these and one through a block; none: a walk through all.
  std::optional<int64_t> block;
  RowTasks tasks;

  /// At most so many blocks for a call: none where a walk through all costs as much.
  void chooseBlock(ReduceOp op, int64_t mostBlocks);

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("block", block);
    tasks.visit(fields);
  }
  void check(ScheduleRules &rules, ReduceOp op) const;
};

/// Checks: the lanes run along the last index.
struct CheckSchedule {
  int64_t width = 1;
  std::optional<int64_t> vectors; ///< of a task; none: there is one task

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("vectors", vectors);
  }
  void check(ScheduleRules &rules, CheckOp op) const;
};

/// Reductions and contractions without a product of their own. A row is a result, a tile of them
/// or, where there are no tiles and the lanes are results, all along their index.
struct ReductionSchedule {
  int64_t width = 1;
  /// The index of the lanes, by its position: the output's last stored one (every lane is another
  /// result) or a reduced one (the lanes are combined at the end). None at width 1.
  std::optional<unsigned> lane;
  /// Neighbouring results along the output's last stored index (vectors of them, if it has the
  /// lanes) that are computed in the same loops: an element that they share is read once.
  int64_t tile = 1;
  /// Neighbouring results along the stored index before that one, computed in the same loops, too.
  std::optional<int64_t> across;
  /// The loop over tiles is not the innermost one: those over rows that read the same again are
  /// inside it, for which what a tile reads stays in the cache.
  bool tilesOutside = false;
  RowTasks tasks;

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("lane", lane);
    fields("tile", tile);
    fields("across", across);
    fields("tiles_outside", tilesOutside);
    tasks.visit(fields);
  }
  void check(ScheduleRules &rules, FormulaOpInterface op) const;
};

/// Attentions: a row is a few neighbouring columns of a result.
struct AttentionRowSchedule {
  /// Of a row, along the last of the indices that count columns: their sums go through the same
  /// loop over the keys, so each score is computed once for so many columns.
  int64_t columns = 1;
  RowTasks tasks;

  template <typename Fields> void visit(Fields &fields) {
    fields("columns", columns);
    tasks.visit(fields);
  }
  void check(ScheduleRules &rules, AttentionOp op) const;
};

/// A schedule with those fields of another one of the same emitter that it lacks. Tasks are of rows
/// or of vectors, as it says.
LoweringAttr completeLowering(LoweringAttr given, LoweringAttr chosen);

/// Of these emitters, what any target can run: one lane, one task. Null for other anchors.
LoweringAttr getScalarLowering(mlir::Operation *anchor);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_ROWSCHEDULES_H
