//===- Choosers.h - which schedule a processor gets, an emitter each -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_CHOOSERS_H
#define WEFT_LIB_CODEGEN_CPU_CHOOSERS_H

#include "BufferBytes.h"

#include "weft/Codegen/Common/RowSchedules.h"

namespace weft {

/// What schedules are chosen for.
struct CodeGoals {
  int64_t width;     ///< f32 lanes of a vector; 1: scalar code
  int64_t registers; ///< vector registers
  int64_t l2;        ///< bytes of the second cache
  int64_t weights;   ///< bytes of all weights: what comes between two calls of a kernel
  bool parallel;     ///< tasks may go to threads
  bool tiles;        ///< there are tile registers for bf16
  bool dots;         ///< dots of pairs of bf16 are faster than multiply-adds
  bool words;        ///< codes are multiplied by words
  int64_t fetchRows; ///< fewer rows read what lies in a row as fast without hints
  const BufferBytes &buffers;

  /// Rows of a register tile two vectors wide: with the two vectors and a broadcast they fill
  /// the registers. 8 of 32 registers is as fast as more and divides most sizes.
  int64_t getTileRows() const { return width == 1 ? 1 : registers >= 32 ? 8 : 6; }
};

/// Steps of k that a register tile takes at once.
inline constexpr int64_t kUnroll = 4;

/// Tasks for rows that touch `work` elements each.
RowTasks chooseTasks(int64_t work, const CodeGoals &goals);

/// Null for a map without an input that is stored across its output, in whole vectors.
LoweringAttr chooseTranspose(MapOp op, const CodeGoals &goals);
LoweringAttr chooseMap(MapOp op, const CodeGoals &goals);
LoweringAttr chooseSoftmax(SoftmaxOp op, const CodeGoals &goals);
LoweringAttr chooseRow(RowOp op, const CodeGoals &goals);
LoweringAttr chooseArgTop(ReduceOp op, const CodeGoals &goals);
LoweringAttr chooseCheck(CheckOp op, const CodeGoals &goals);
LoweringAttr chooseRunning(ReduceOp op, const CodeGoals &goals);
LoweringAttr chooseReduce(ReduceOp op, const CodeGoals &goals);
LoweringAttr chooseContract(ContractOp op, const CodeGoals &goals);
/// Null for a contraction that is no product of a packed factor, or whose panels are not whole
/// vectors.
LoweringAttr chooseGemm(ContractOp op, const CodeGoals &goals);
/// An error if a schedule of it says that rows have memory behind them which they have not.
mlir::LogicalResult verifyPaddedRows(ContractOp op, LoweringAttr lowering,
                                     const BufferBytes &buffers);
LoweringAttr chooseAttention(AttentionOp op, const CodeGoals &goals);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_CHOOSERS_H
