//===- Emitters.h - one emitter for each kind of kernel -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An emitter cuts its kernel into independent tasks and writes the loops of one task. Whether the
// tasks become a loop or are handed to threads is not its business.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_EMITTERS_H
#define WEFT_LIB_CODEGEN_CPU_EMITTERS_H

#include "Kernel.h"
#include "RegionEmitter.h"

#include <memory>

namespace weft {

class KernelEmitter {
public:
  virtual ~KernelEmitter() = default;
  /// How many tasks there are: a value computed from the symbols, at least 1.
  virtual Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) = 0;
  /// Writes the code of task number `task`.
  virtual void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) = 0;
};

/// The emitter of an anchor, or null and an error if there is none for it.
std::unique_ptr<KernelEmitter> createEmitter(mlir::Operation *anchor, LoweringAttr lowering);

std::unique_ptr<KernelEmitter> createMapEmitter(MapOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createReduceEmitter(ReduceOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createArgTopEmitter(ReduceOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createContractEmitter(ContractOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createGemmEmitter(ContractOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createAttentionEmitter(AttentionOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createSoftmaxEmitter(SoftmaxOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createCheckEmitter(CheckOp op, LoweringAttr lowering);

/// nr, if the contraction has a packed factor that the gemm emitter can use with vectors of this
/// width: it is read at `(n floordiv nr, k, n mod nr)`.
std::optional<int64_t> getPanelWidth(ContractOp op, int64_t width);

/// Loops over some indices of a formula, as tasks of several iterations each if it is parallel.
class IndexLoops {
public:
  /// `work` is an estimate of the elements that one iteration touches.
  IndexLoops(mlir::ArrayAttr indices, llvm::ArrayRef<unsigned> positions, int64_t work,
             bool parallel);

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) const;
  /// Calls `body` for every iteration of the task with `values` set at the loops' positions.
  void emit(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task,
            llvm::SmallVector<Lanes> values,
            llvm::function_ref<void(llvm::ArrayRef<Lanes> values)> body) const;

private:
  llvm::SmallVector<Lanes> getExtents(LaneBuilder &lanes, const Kernel &kernel) const;

  llvm::SmallVector<IndexAttr> indices;
  llvm::SmallVector<unsigned> positions;
  int64_t iterationsPerTask;
  bool parallel;
};

/// Nested loops over the indices at `positions` that carry values. `values` is restored after.
llvm::SmallVector<mlir::Value>
emitNest(LaneBuilder &lanes, const Kernel &kernel, mlir::ArrayAttr indices,
         llvm::ArrayRef<unsigned> positions, llvm::SmallVector<Lanes> values,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<Lanes> values,
                                                           mlir::ValueRange carried)>
             body);

/// The positions of the output indices, in the order in which the output stores them.
llvm::SmallVector<unsigned> getStoredOrder(FormulaOpInterface op);
/// The lanes to use along an index: no more than a power of two that holds its bound.
int64_t getUsefulWidth(int64_t width, IndexAttr index);
/// How much it costs to read the inputs in vectors along the index at `position`: 1 for each
/// that is contiguous or the same, `width` for each that must be gathered.
int64_t getVectorCost(mlir::OperandRange inputs, mlir::ArrayAttr maps, unsigned position,
                      int64_t width);
/// The same for the elements that the regions read at computed coordinates.
int64_t getGatherCost(mlir::Operation *formula, unsigned position, int64_t width);
/// The product of the bounds of some indices, saturated.
int64_t getBoundProduct(mlir::ArrayAttr indices, llvm::ArrayRef<unsigned> positions);

/// Writes `value` to the output of the formula at these index values.
void storeOutput(LaneBuilder &lanes, const Kernel &kernel, FormulaOpInterface op,
                 llvm::ArrayRef<Lanes> indices, Lanes value, mlir::Value mask);

/// The horizontal combination of a vector; a scalar is returned as it is.
mlir::Value reduceLanes(LaneBuilder &lanes, ReduceKind kind, mlir::Value value);

} // namespace weft

#endif
