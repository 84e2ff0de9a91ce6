//===- GPUBackend.h - NVIDIA's GPUs as a target ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_GPU_GPUBACKEND_H
#define WEFT_CODEGEN_GPU_GPUBACKEND_H

#include "weft/Target/TargetBackend.h"

namespace weft {

/// The backend for the architecture that `march` names: sm_80 (also if it is empty) or sm_90a. The
/// error names the flag.
llvm::Expected<std::unique_ptr<TargetBackend>> createGPUBackend(llvm::StringRef march);

} // namespace weft

#endif // WEFT_CODEGEN_GPU_GPUBACKEND_H
