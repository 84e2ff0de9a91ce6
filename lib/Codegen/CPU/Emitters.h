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

} // namespace weft

#endif
