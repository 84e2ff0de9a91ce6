//===- RowWalk.h - who visits the elements of a row ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Emitters that go through a row several times say what becomes of an element. Which elements a
// thread visits, and how what it found becomes that of the whole row, is a walk: one thread visits
// all of them in vectors; targets whose threads work together share a row among some.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_ROWWALK_H
#define WEFT_CODEGEN_COMMON_ROWWALK_H

#include "weft/Codegen/Common/Accumulator.h"
#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/RowSchedules.h"

namespace weft {

/// Neighbouring elements of a row, one for each lane.
struct RowPart {
  Lanes index;        ///< along the row
  mlir::Value mask;   ///< the lanes for which memory is read and written; null: all
  mlir::Value counts; ///< the lanes that are elements of the row; null: all
  mlir::Value writes; ///< whether anything is written at all; null: always
};

class RowWalk {
public:
  virtual ~RowWalk() = default;

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(const RowPart &part,
                                                                 mlir::ValueRange carried)>;
  /// Visits `lower .. upper-1`; `lower` is a multiple of the lanes.
  virtual llvm::SmallVector<mlir::Value> visit(LaneBuilder &lanes, const Lanes &lower,
                                               const Lanes &upper, mlir::ValueRange inits,
                                               Body body) const;
  /// Replaces what each lane of each thread carries by the combination of all.
  virtual void combine(LaneBuilder &lanes, const Accumulator &accumulator,
                       llvm::MutableArrayRef<mlir::Value> carried) const;
  /// Writes what there is once for the row.
  virtual void writeOnce(LaneBuilder &, llvm::function_ref<void()> write) const { write(); }
  /// Whether elements that are computed in every visit stay in registers: then they need not be
  /// kept in memory meanwhile.
  virtual bool isHeld() const { return false; }
  /// How many threads share the row.
  virtual int64_t getThreads() const { return 1; }
};

/// Writes the elements of a part.
void writePart(LaneBuilder &lanes, const RowPart &part, llvm::function_ref<void()> write);

/// The emitters of rows that somebody else walks through, along the output's last stored index; a
/// reduction's along the index of its lanes.
std::unique_ptr<KernelEmitter> createRowOpEmitter(RowOp op, const RowOpSchedule &schedule,
                                                  std::unique_ptr<RowWalk> walk);
std::unique_ptr<KernelEmitter> createSoftmaxEmitter(SoftmaxOp op, const SoftmaxSchedule &schedule,
                                                    std::unique_ptr<RowWalk> walk);
std::unique_ptr<KernelEmitter> createReduceEmitter(ReduceOp op, const ReductionSchedule &schedule,
                                                   std::unique_ptr<RowWalk> walk);
std::unique_ptr<KernelEmitter> createContractEmitter(ContractOp op,
                                                     const ReductionSchedule &schedule,
                                                     std::unique_ptr<RowWalk> walk);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_ROWWALK_H
