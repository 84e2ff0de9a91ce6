//===- Translate.h - PTX to LLVM IR ---------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A kernel becomes a function of one thread: void(ThreadRegisters *). It calls the machine for
// every access of memory and for all that threads do together.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_TRANSLATE_H
#define WEFT_LIB_EMULATOR_TRANSLATE_TRANSLATE_H

#include "Translate/KernelLayout.h"

#include "llvm/IR/Module.h"

namespace weft::emulator {

struct Translation {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> code; ///< the kernel's function is called `kernel`
  KernelLayout layout;
  bool meets = false; ///< its threads wait for each other
  /// What is not known, "LINE: error: ...", in order; then the code is of no use.
  std::vector<std::string> problems;
};

/// `addresses` are of the module's .global and .const variables.
llvm::Expected<Translation> translate(const ptx::Module &module, const ptx::Function &kernel,
                                      const llvm::StringMap<uint64_t> &addresses);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_TRANSLATE_H
