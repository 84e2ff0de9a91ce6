//===- Jit.h - translated kernels to machine code -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_JIT_H
#define WEFT_LIB_EMULATOR_MACHINE_JIT_H

#include "Machine/Block.h"
#include "Machine/ObjectFiles.h"

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace weft::emulator {

class Jit {
public:
  ~Jit();
  /// `objects`: a folder for the machine code of kernels (ObjectFiles.h), or "".
  static llvm::Expected<std::unique_ptr<Jit>> create(llvm::StringRef objects);
  /// Compiles the function `kernel` of the module.
  llvm::Expected<KernelFunction> compile(std::unique_ptr<llvm::LLVMContext> context,
                                         std::unique_ptr<llvm::Module> code);

private:
  Jit();

  std::unique_ptr<ObjectFiles> objects; ///< or null
  std::unique_ptr<llvm::orc::LLJIT> jit;
  unsigned modules = 0;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_JIT_H
