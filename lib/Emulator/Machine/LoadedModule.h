//===- LoadedModule.h - a PTX module in a machine -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_LOADEDMODULE_H
#define WEFT_LIB_EMULATOR_MACHINE_LOADEDMODULE_H

#include "Machine/Jit.h"
#include "Translate/Translate.h"
#include "weft/Emulator/Machine.h"

namespace weft::emulator {

struct Kernel {
  KernelInfo info;
  const ptx::Function *source = nullptr;
  const std::string *module = nullptr;
  KernelLayout layout;
  KernelFunction function = nullptr;
  bool meets = false;
};

struct LoadedModule {
  std::string name;
  ptx::Module source;
  llvm::StringMap<uint64_t> addresses; ///< of .global and .const variables
  llvm::StringMap<std::unique_ptr<Kernel>> kernels;

  /// Gives the variables memory and their first values.
  llvm::Error placeVariables(DeviceMemory &memory);
  void releaseVariables(DeviceMemory &memory);
  llvm::Expected<Kernel *> findKernel(Jit &jit, llvm::StringRef kernel);
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_LOADEDMODULE_H
