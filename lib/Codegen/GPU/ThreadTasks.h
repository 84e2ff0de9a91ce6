//===- ThreadTasks.h - kernels whose tasks are threads --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An emitter writes one task of a kernel, whatever runs it. Here that is a thread, whose number in
// the grid is that of its task, or a few neighbouring ones (KernelEmitter::getThreads); threads
// past the last task do nothing.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_THREADTASKS_H
#define WEFT_LIB_CODEGEN_GPU_THREADTASKS_H

#include "TileEmitter.h"

#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/KernelArguments.h"
#include "weft/Codegen/GPU/Passes.h"

namespace weft {

/// What a launch says beside the buffers: what differs for two launches of one kernel makes two
/// functions.
struct LaunchForm {
  /// The rows of a cache that a launch names by a slot; without a type: a buffer of its own.
  struct Place {
    mlir::MemRefType cache;
    int64_t rowBytes = 0; ///< from one row to the next
    mlir::StringAttr length, count;

    bool operator==(const Place &other) const {
      return cache == other.cache && rowBytes == other.rowBytes && length == other.length &&
             count == other.count;
    }
  };

  mlir::ArrayAttr symbols; ///< whose values the kernel gets for those that it needs
  llvm::SmallVector<Place> places;

  bool operator==(const LaunchForm &other) const {
    return symbols == other.symbols && places == other.places;
  }
};

/// Writes the functions of one kernel in one form.
class ThreadTasks {
public:
  /// `kernel` is the function on formulas, `anchors` its ops.
  ThreadTasks(mlir::func::FuncOp kernel, llvm::ArrayRef<mlir::Operation *> anchors,
              const LaunchForm &form)
      : kernel(kernel), passed(kernel), anchors(anchors), loc(anchors.front()->getLoc()),
        form(form), b(kernel.getContext()) {}

  /// A function of the device, and what it was written by.
  struct Part {
    mlir::SymbolRefAttr name;
    KernelEmitter *emitter;
  };
  /// One whose blocks take tiles in turn.
  struct Tiles {
    mlir::SymbolRefAttr name;
    TileEmitter *emitter;
  };

  /// A function of the device, at the end of its module.
  void writeDevice(mlir::gpu::GPUModuleOp device, llvm::StringRef name, KernelEmitter &emitter);
  /// The same for blocks that take tiles in turn (TileTasks.cpp).
  void writeTiles(mlir::gpu::GPUModuleOp device, llvm::StringRef name, TileEmitter &emitter);
  /// Whether the maps that it needs are known to the host.
  bool canMap(TileEmitter &emitter);
  /// The functions of one anchor alone. Of several parts those are launched that have tasks; of
  /// tiles one.
  struct Alone {
    llvm::SmallVector<Part> parts;
    llvm::SmallVector<Tiles> tiles;
  };
  /// The function of the host that launches these, in front of the kernel: `parts`, or, where tiles
  /// were loaded and there is enough to do for those of all anchors, what each has alone.
  void writeLauncher(llvm::StringRef name, llvm::ArrayRef<Part> parts,
                     llvm::ArrayRef<Alone> ofAnchors);

private:
  mlir::Value loadSymbol(LaneBuilder &lanes, mlir::Value frame, mlir::StringAttr name);
  mlir::Value getRows(LaneBuilder &lanes, mlir::Value frame, mlir::Value cache,
                      const LaunchForm::Place &place);
  llvm::SmallVector<mlir::Value> getAddresses(LaneBuilder &lanes, mlir::Block *entry);
  Lanes getTask(LaneBuilder &lanes, const Lanes &numTasks, const KernelEmitter &emitter);
  mlir::LLVM::LLVMFuncOp createFunction(mlir::gpu::GPUModuleOp device, llvm::StringRef name,
                                        int64_t threads, int32_t blocks, unsigned numMaps);
  int32_t getBlocks(const KernelEmitter &emitter);
  void describe(mlir::LLVM::LLVMFuncOp function, int64_t threads, int32_t blocks);
  /// From the begin of a function on: what emitters know of it.
  Kernel enter(LaneBuilder &lanes, mlir::LLVM::LLVMFuncOp function);
  /// Its body is what `write` writes.
  void fill(mlir::LLVM::LLVMFuncOp function,
            llvm::function_ref<void(LaneBuilder &lanes, const Kernel &inside)> write);
  llvm::SmallVector<mlir::Value> getOperands(mlir::ValueRange addresses);
  void launch(LaneBuilder &lanes, const Lanes &numTasks, const Part &part,
              mlir::ValueRange operands);
  void launchParts(LaneBuilder &lanes, const Kernel &outside, llvm::ArrayRef<Part> parts,
                   mlir::ValueRange operands);
  void launchAlone(LaneBuilder &lanes, const Kernel &outside, llvm::ArrayRef<Alone> ofAnchors,
                   mlir::ValueRange operands);
  void launchBest(LaneBuilder &lanes, const Kernel &outside, llvm::ArrayRef<Tiles> tiles,
                  mlir::ValueRange operands);
  void launchTiles(LaneBuilder &lanes, const Kernel &outside, const Tiles &tiles,
                   mlir::ValueRange operands);
  mlir::Value isForTiles(LaneBuilder &lanes, const Kernel &outside, TileEmitter &tiles);

  mlir::func::FuncOp kernel;
  KernelArguments passed;
  llvm::SmallVector<mlir::Operation *> anchors;
  mlir::Location loc;
  const LaunchForm &form;
  mlir::OpBuilder b;
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_THREADTASKS_H
