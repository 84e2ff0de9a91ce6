//===- TargetMachine.h - LLVM's code generator for a target ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TARGET_TARGETMACHINE_H
#define WEFT_LIB_TARGET_TARGETMACHINE_H

#include "weft/Target/Target.h"

#include "llvm/Target/TargetMachine.h"

namespace weft {

/// Null if LLVM does not know the triple; resolveProcessor or getGPUMachine has made the targets
/// known.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Machine &machine, unsigned optLevel);

/// LLVM's own pipeline of a level, as text.
std::string getDefaultPasses(unsigned optLevel);

/// Runs LLVM's passes. Kernels arrive vectorised and unrolled as they should be: LLVM's own
/// vectorisers would find their remainder loops only, at some cost in time and code. Its unrolling
/// may be left out, too.
void optimise(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef pipeline,
              bool unrolls);

} // namespace weft

#endif // WEFT_LIB_TARGET_TARGETMACHINE_H
