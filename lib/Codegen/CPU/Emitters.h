//===- Emitters.h - the CPU's emitters -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_EMITTERS_H
#define WEFT_LIB_CODEGEN_CPU_EMITTERS_H

#include "weft/Codegen/Common/Emitters.h"

namespace weft {

namespace emitters {
inline constexpr llvm::StringLiteral gemm = "gemm", attention = "attention",
                                     transpose = "transpose", running = "running";
} // namespace emitters

/// These and the common ones.
llvm::ArrayRef<EmitterInfo> getCPUEmitters();

std::unique_ptr<KernelEmitter> createGemmEmitter(ContractOp op, LoweringAttr lowering);
/// Of a kernel whose products make what others of them read (`weft.local`); null and an error if
/// their schedules do not agree.
std::unique_ptr<KernelEmitter> createGemmChainEmitter(llvm::ArrayRef<mlir::Operation *> anchors);
std::unique_ptr<KernelEmitter> createAttentionEmitter(AttentionOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createRunningEmitter(ReduceOp op, LoweringAttr lowering);
std::unique_ptr<KernelEmitter> createTransposeEmitter(MapOp op, LoweringAttr lowering);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_EMITTERS_H
