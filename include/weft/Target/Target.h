//===- Target.h - from the LLVM dialect to files --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The last stage: a module in the LLVM dialect becomes LLVM IR, and that an object, assembly,
// a shared library or a program. The bytes of every file depend on the module, the target and the
// level alone: not on folders, time or the machine.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TARGET_TARGET_H
#define WEFT_TARGET_TARGET_H

#include "weft/Target/ModelDescription.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class raw_ostream;
} // namespace llvm

namespace weft {

class LaunchOp;
class TargetBackend;

/// What the user wants of code, whatever the target.
struct CodeOptions {
  unsigned optLevel = 2;            ///< 0: plain loops; 1 to 3: LLVM's level, as of clang
  bool threaded = true;             ///< kernels may call weft_parallel_for
  bool profile = false;             ///< kernels measure their time
  bool embedsWeights = false;       ///< the object defines embeddedWeightsName(...)
  bool tf32 = false;                ///< a GPU multiplies f32 as tf32
  bool debug = false;               ///< every function has its own lines
  std::optional<bool> joinLaunches; ///< of kernels; default: the target's choice
};

/// A processor, as LLVM's code generator names it.
struct Machine {
  std::string triple;   ///< "x86_64-unknown-linux-gnu"
  std::string cpu;      ///< "x86-64-v3"
  std::string features; ///< a list like "+avx512f,+fma"
};

/// Translates a module in the LLVM dialect and optimises it (`optLevel` 0 to 3, as of clang).
/// Null after an error, which was reported on the module's context.
std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                                              const Machine &machine, unsigned optLevel);

/// The kinds of files that are written from an LLVM module.
enum class FileKind { LLVMIR, Bitcode, Assembly, Object };

/// Writes `module` as the bytes of a file. Code generation may change `module`: write what comes
/// before code first.
llvm::Error emitFile(llvm::Module &module, const Machine &machine, unsigned optLevel, FileKind kind,
                     llvm::raw_ostream &os);

/// The weights that an object holds: the bytes of a weights file, written when they are wanted.
struct EmbeddedWeights {
  std::string symbol; ///< that the code names them by: embeddedWeightsName
  uint64_t bytes = 0; ///< that `write` writes; 0: the object holds none
  std::function<llvm::Error(llvm::raw_ostream &)> write;
  uint64_t pieceBytes = 0; ///< of sections that they are cut into, whole pages; 0: one section
};

/// The symbol of the weights in an object of the model `name`. It is no identifier of C, as
/// functions have.
std::string embeddedWeightsName(llvm::StringRef name);

/// Appends the weights to an object, whose code declares their symbol: a section that is aligned to
/// pages, of the large code model where there is one. Only the object itself is in memory.
llvm::Error writeWithWeights(llvm::StringRef object, const EmbeddedWeights &weights,
                             llvm::raw_ostream &os);

/// Writes an object with its weights.
llvm::Error emitObject(llvm::Module &module, const TargetBackend &target, const CodeOptions &code,
                       const EmbeddedWeights &weights, llvm::raw_ostream &os);

/// Makes a shared library of the model and the runtime: the model's functions, `weft_get_info`
/// and the runtime's functions are visible. After an error `path` may hold anything.
llvm::Error linkSharedLibrary(llvm::Module &module, const TargetBackend &target,
                              const CodeOptions &code, const EmbeddedWeights &weights,
                              llvm::StringRef path);

/// Makes a program: the model with a `main` (lib/Runtime/Main) that takes tensors and prints or
/// writes results as weft-run does.
llvm::Error linkExecutable(llvm::Module &module, const TargetBackend &target,
                           const CodeOptions &code, const EmbeddedWeights &weights,
                           llvm::StringRef path);

/// The interface of a module of stage `kernels` (before `weft-lower-calls`), for the header and for
/// the constant `weft_model_info`. `target` is what `--march` named, `threaded` says whether
/// kernels may call weft_parallel_for, `onDevice` whether they run on a GPU. Kernels are described
/// too; the constant lists them for profiles only.
ModelDescription describeModel(mlir::ModuleOp module, llvm::StringRef target, bool threaded,
                               bool onDevice);

/// The number of the kernel as it is launched here; -1 if the model lists none.
int32_t findKernel(const ModelDescription &model, LaunchOp launch);

} // namespace weft

#endif // WEFT_TARGET_TARGET_H
