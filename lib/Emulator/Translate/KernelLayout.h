//===- KernelLayout.h - what a kernel consists of and where it lies -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_KERNELLAYOUT_H
#define WEFT_LIB_EMULATOR_TRANSLATE_KERNELLAYOUT_H

#include "weft/Emulator/Ptx.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace weft::emulator {

/// The functions of a kernel and its shared memory: variables of the module that it uses, those of
/// its functions, and behind them the ones whose size the launch says.
struct KernelLayout {
  std::vector<const ptx::Function *> functions; ///< the kernel first
  llvm::StringMap<uint64_t> moduleShared;       ///< addresses in the shared space
  llvm::DenseMap<const ptx::Variable *, uint64_t> functionShared;
  uint64_t sharedBytes = 0; ///< without what the launch adds
  std::vector<uint64_t> parameters;
  uint64_t parameterBytes = 0;
};

llvm::Expected<KernelLayout> layOut(const ptx::Module &module, const ptx::Function &kernel);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_KERNELLAYOUT_H
