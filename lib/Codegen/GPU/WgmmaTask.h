//===- WgmmaTask.h - the code of products of four warps -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_WGMMATASK_H
#define WEFT_LIB_CODEGEN_GPU_WGMMATASK_H

#include "ResultBoxes.h"
#include "TileBlock.h"
#include "WgmmaSchedule.h"

#include "weft/Codegen/Common/IndexLoops.h"

namespace weft {

/// Writes what a block does.
class WgmmaTask {
public:
  WgmmaTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const WgmmaPlan &plan);

  Lanes getNumTiles();
  void emit(mlir::ValueRange maps);

private:
  using Sums = llvm::SmallVector<mlir::Value>;

  /// Calls `body` for each tile of the block, with the number of its first step.
  void forEachTile(llvm::function_ref<void(const Lanes &firstStep)> body);
  int64_t getGroup() const;
  void setTile(const Lanes &tile);
  void emitCopies(mlir::ValueRange maps);
  void fillStage(mlir::ValueRange maps, const Lanes &number, const Lanes &step);
  void emitProducts(mlir::ValueRange maps);
  Sums emitStep(const Lanes &number, mlir::ValueRange sums);
  void emitResults(mlir::ValueRange sums, mlir::ValueRange maps);
  void writeResults(mlir::ValueRange sums, const Lanes &row);
  mlir::Value getWarpMemory();
  ResultBoxes getBoxes();

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  const WgmmaPlan &plan;
  TileRing ring;
  Lanes sizeM, sizeN; ///< of one matrix
  TileBlock block;
  llvm::SmallVector<Lanes> indices; ///< those of the batch are set
  Lanes firstRow, firstColumn;      ///< of the tile
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_WGMMATASK_H
