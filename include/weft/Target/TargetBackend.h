//===- TargetBackend.h - one kind of machine that code is written for ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the compiler asks of a target, from stage `kernels` on. What comes before knows of a machine
// what three questions say: which products are faster in parts, whether data may choose their
// matrices, and whether codes are to leave words room. lib/Codegen/CPU has the one for processors.
// A new target is a class like it, its emitters, and a line where Compiler.cpp chooses one.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TARGET_TARGETBACKEND_H
#define WEFT_TARGET_TARGETBACKEND_H

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Support/MachineLimits.h"
#include "weft/Target/Target.h"

namespace weft {

class TargetBackend {
public:
  virtual ~TargetBackend() = default;

  /// The machine, as a model's description names it: "x86-64-v4".
  virtual llvm::StringRef describe() const = 0;
  /// Of the code that calls the model, as LLVM spells it.
  virtual llvm::StringRef getTriple() const = 0;
  /// Whether kernels run on a device with a memory of its own.
  virtual bool isDevice() const { return false; }
  /// Rough figures of one core of such a machine, for predictions.
  virtual MachineLimits getTypicalLimits() const = 0;

  /// Whether products of many rows are faster of three numbers of bf16 for each f32 than of f32.
  virtual bool multipliesParts(const CodeOptions &) const { return false; }
  /// Whether products of two bytes are added up in words of 16 bits, if codes leave room for that.
  virtual bool sumsInWords(const CodeOptions &) const { return false; }
  /// Whether there are kernels of products whose rows choose a matrix.
  virtual bool multipliesChosen(const CodeOptions &options) const {
    return getLayouts(options).panelWidth > 0;
  }

  /// Whether kernels make several sums of an element of a product, or one and maps the rest.
  virtual bool sumsApart() const { return true; }

  /// To stage `kernels`: how weights are stored.
  virtual KernelsOptions getLayouts(const CodeOptions &options) const = 0;
  /// At stage `kernels`: puts `weft.lowering` on the anchor of every kernel, and completes and
  /// verifies those that stand there.
  virtual void assignLowering(mlir::OpPassManager &pm, const CodeOptions &options) const = 0;
  /// To stage `loops`: writes the kernels.
  virtual void buildLoops(mlir::OpPassManager &pm, const CodeOptions &options) const = 0;
  /// To stage `llvm-dialect`: also writes what launches the kernels.
  virtual void buildLLVM(mlir::OpPassManager &pm, const CodeOptions &options) const = 0;

  /// Translates a module in the LLVM dialect to a program, which has the C functions, and optimises
  /// it. Null after an error, which was reported on the module's context.
  virtual std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                  const CodeOptions &options) const = 0;
  /// The code of the kernels, for those who want to see it: the program, unless they run elsewhere.
  virtual std::unique_ptr<llvm::Module> translateKernels(mlir::ModuleOp module,
                                                         llvm::LLVMContext &context,
                                                         const CodeOptions &options) const = 0;
  /// Writes what one of these made as the bytes of a file. Code generation may change `module`:
  /// write what comes before code first.
  virtual llvm::Error emit(llvm::Module &module, const CodeOptions &options, FileKind kind,
                           llvm::raw_ostream &os) const = 0;
};

} // namespace weft

#endif // WEFT_TARGET_TARGETBACKEND_H
