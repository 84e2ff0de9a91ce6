//===- Emitters.h - one emitter for each kind of kernel ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An emitter cuts its kernel into independent tasks and writes the loops of one task. Whether the
// tasks become a loop, are handed to threads or are the threads of a device is not its business.
// These write for any number of lanes, one included; targets have emitters of their own for
// products and attention.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_EMITTERS_H
#define WEFT_CODEGEN_COMMON_EMITTERS_H

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Codegen/Common/RegionEmitter.h"

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

/// The op of a kernel function for which an emitter is made: the one with a lowering. Null and an
/// error if there is none.
mlir::Operation *findAnchor(mlir::func::FuncOp kernel);

/// One of the emitters below; null, without an error, for an anchor that they do not write:
/// attention.
std::unique_ptr<KernelEmitter> createCommonEmitter(mlir::Operation *anchor, LoweringAttr lowering);

std::unique_ptr<KernelEmitter> createMapEmitter(MapOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createReduceEmitter(ReduceOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createArgTopEmitter(ReduceOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createContractEmitter(ContractOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createSoftmaxEmitter(SoftmaxOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createCheckEmitter(CheckOp op, LoweringAttr lowering);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_EMITTERS_H
