//===- Emitters.h - one emitter for each kind of kernel ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An emitter cuts its kernel into independent tasks and writes the loops of one task. Whether the
// tasks become a loop, are handed to threads or are the threads of a device is not its business.
// These write for any number of lanes, one included, but for attentions, of which they write single
// results; targets have emitters of their own for products and attention.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_EMITTERS_H
#define WEFT_CODEGEN_COMMON_EMITTERS_H

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Codegen/Common/RegionEmitter.h"
#include "weft/Codegen/Common/Schedule.h"

#include <memory>

namespace weft {

class KernelEmitter {
public:
  virtual ~KernelEmitter() = default;
  /// How many tasks there are: a value computed from the symbols, at least 1.
  virtual Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) = 0;
  /// Writes the code of task number `task`, from the lane builder of a single lane.
  virtual void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) = 0;
  /// Whether the schedule hands the tasks to threads.
  virtual bool isParallel() const { return false; }
  /// How many threads of a device do a task together, each with its part of it.
  virtual int64_t getThreads() const { return 1; }
  /// How many threads of a device a block has; 0: as many as others.
  virtual int64_t getBlock() const { return 0; }
  /// For how many blocks a processor of the device has registers at least; 0: for as many as do not
  /// get in the way of a kernel of its kind.
  virtual int64_t getBlocks() const { return 0; }
  /// What a block of threads has of memory that they share, in bytes, where that is worth counting.
  virtual int64_t getSharedBytes() const { return 0; }
};

/// The emitter of this class for an anchor; null and an error if the schedule is none of its own.
template <typename Emitter, typename Schedule, typename Op>
std::unique_ptr<Emitter> createFor(Op anchor, LoweringAttr lowering) {
  std::optional<Schedule> schedule = readSchedule<Schedule>(anchor, lowering);
  return schedule ? std::make_unique<Emitter>(anchor, *schedule) : nullptr;
}

/// An emitter as `weft.lowering` names it.
struct EmitterInfo {
  llvm::StringLiteral name;
  bool (*writes)(mlir::Operation *anchor);
  /// For an anchor that it writes; null and an error if the schedule is none of the emitter's.
  std::unique_ptr<KernelEmitter> (*create)(mlir::Operation *anchor, LoweringAttr lowering);
};

namespace emitters {
inline constexpr llvm::StringLiteral map = "map", reduce = "reduce", argtop = "argtop",
                                     contract = "contract", softmax = "softmax", row = "row",
                                     check = "check", attentionRows = "attention_rows";
} // namespace emitters

/// The ops of a kernel function for which emitters are made: those with a lowering. None and an
/// error if there are no such, or if the module does not have the kernel's sizes of run time.
llvm::SmallVector<mlir::Operation *> findAnchors(mlir::func::FuncOp kernel);

/// The tasks of several emitters, one's after the other's, whose threads are as many.
class JoinedEmitter : public KernelEmitter {
public:
  explicit JoinedEmitter(llvm::ArrayRef<std::shared_ptr<KernelEmitter>> all) : all(all) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override;
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override;
  /// Writes whose task this is: `emit` gets the number of the emitter, and of the task among its.
  void choose(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task,
              llvm::function_ref<void(size_t number, const Lanes &task)> emit);
  bool isParallel() const override;
  int64_t getThreads() const override { return all.front()->getThreads(); }
  int64_t getBlock() const override { return all.front()->getBlock(); }
  int64_t getBlocks() const override;
  int64_t getSharedBytes() const override;

private:
  llvm::SmallVector<std::shared_ptr<KernelEmitter>> all;
};

/// The emitters that know no target: every anchor has one.
llvm::ArrayRef<EmitterInfo> getCommonEmitters();

/// The emitter that the anchor's lowering names, of those that a target has. Null and an error if
/// there is none, or it cannot do what the schedule says.
std::unique_ptr<KernelEmitter> createEmitter(mlir::Operation *anchor,
                                             llvm::ArrayRef<EmitterInfo> emitters);
/// The one that this lowering names.
std::unique_ptr<KernelEmitter> createEmitter(mlir::Operation *anchor, LoweringAttr lowering,
                                             llvm::ArrayRef<EmitterInfo> emitters);

std::unique_ptr<KernelEmitter> createMapEmitter(MapOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createReduceEmitter(ReduceOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createArgTopEmitter(ReduceOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createContractEmitter(ContractOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createSoftmaxEmitter(SoftmaxOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createRowOpEmitter(RowOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createCheckEmitter(CheckOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createAttentionRowEmitter(AttentionOp op, LoweringAttr lowering);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_EMITTERS_H
