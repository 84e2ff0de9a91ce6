//===- PTX.h - from a module of a GPU to PTX ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM's own code generator for NVIDIA's GPUs writes the text that drivers load: nothing of
// NVIDIA's is needed.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TARGET_PTX_H
#define WEFT_TARGET_PTX_H

#include "weft/Target/Target.h"

namespace weft {

/// A kind of GPU, and the oldest version of PTX that has its instructions.
struct GPUChip {
  llvm::StringLiteral name;
  llvm::StringLiteral ptx; ///< as a feature of LLVM: "+ptx70"
  int capability;          ///< 80 for compute capability 8.0
  bool exact;              ///< newer GPUs do not run its code
};

/// The chips that code is written for, the default one first.
llvm::ArrayRef<GPUChip> getGPUChips();

/// Null if there is none of that name.
const GPUChip *findGPUChip(llvm::StringRef name);

/// What LLVM's code generator is asked for; it is known then.
Machine getGPUMachine(const GPUChip &chip);

/// The module of a model's kernels, or of those that a chip has beside them. No name of a C
/// function has a dot.
std::string getDeviceModule(llvm::StringRef chip = "");

/// Translates the kernels of a module in the LLVM dialect (its `gpu.module`s) and optimises them.
/// Null after an error, which was reported on the module's context. `emitFile` makes PTX of the
/// result, as assembly.
std::unique_ptr<llvm::Module> translateDevice(mlir::ModuleOp module, llvm::LLVMContext &context,
                                              const Machine &machine, unsigned optLevel);

/// The PTX of a module's kernels, as text.
llvm::Expected<std::string> writeKernels(mlir::ModuleOp module, const GPUChip &chip,
                                         unsigned optLevel);

/// The global of a program that holds the PTX for the chip.
std::string getImageName(llvm::StringRef chip);

/// Puts the PTX of a module's kernels for the chip into the program of the host.
llvm::Error embedKernels(llvm::Module &host, mlir::ModuleOp module, const GPUChip &chip,
                         unsigned optLevel);

} // namespace weft

#endif // WEFT_TARGET_PTX_H
