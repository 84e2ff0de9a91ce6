//===- RowEmitter.h - kernels that are written row by row -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_ROWEMITTER_H
#define WEFT_CODEGEN_COMMON_ROWEMITTER_H

#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/IndexLoops.h"

namespace weft {

/// The loops over rows, cut into tasks, and over vectors of the lanes' index, if rows have one.
class RowEmitter : public KernelEmitter {
public:
  bool isParallel() const override { return parallel; }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override;
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override;

protected:
  /// `rows` and `lane` are positions of indices; `steps` as those of IndexLoops.
  RowEmitter(IndexedOpInterface op, int64_t width, llvm::ArrayRef<unsigned> rows,
             std::optional<unsigned> lane, const RowTasks &tasks,
             const llvm::DenseMap<unsigned, int64_t> &steps = llvm::DenseMap<unsigned, int64_t>());

  /// Writes the code for a row, or for the lanes of it that are in the mask (null: all).
  virtual void emitRow(LaneBuilder &lanes, const Kernel &kernel, llvm::ArrayRef<Lanes> indices,
                       mlir::Value mask) = 0;

  Lanes getExtent(LaneBuilder &lanes, const Kernel &kernel, unsigned position) const;

private:
  void emitVector(LaneBuilder &lanes, const Kernel &kernel, llvm::SmallVector<Lanes> indices);

  mlir::ArrayAttr indices;
  int64_t width;
  std::optional<unsigned> lane;
  bool parallel, cut; ///< the tasks are of vectors, not of rows
  IndexLoops loops;
};

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_ROWEMITTER_H
