//===- CompiledModule.h - compiled code, called with the interpreter's tensors --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_COMPILEDMODULE_H
#define WEFT_LIB_PIPELINE_COMPILEDMODULE_H

#include "weft/Import/WeightPacker.h"
#include "weft/Pipeline/Options.h"
#include "weft/Reference/Verify.h"
#include "weft/Runner/CompiledModel.h"
#include "weft/Target/TargetBackend.h"

namespace weft {

/// A module of stage `fused`, compiled to a temporary shared library and called with the tensors of
/// the interpreter.
class CompiledModule {
public:
  static llvm::Expected<std::unique_ptr<CompiledModule>> compile(mlir::ModuleOp fused,
                                                                 const CompileOptions &options,
                                                                 const TargetBackend &target,
                                                                 const Checkpoint &checkpoint);
  /// The same of a module without weights.
  static llvm::Expected<std::unique_ptr<CompiledModule>>
  compile(mlir::ModuleOp fused, const CompileOptions &options, const TargetBackend &target);

  /// Calls the only entry, all of whose sizes are known, with what lies at these addresses.
  llvm::Error call(llvm::ArrayRef<const void *> inputs, llvm::ArrayRef<void *> outputs);
  /// Calls the entry: its outputs as tensors of the interpreter. A null input is left out.
  llvm::Expected<std::vector<TensorRef>> call(llvm::StringRef entry,
                                              const llvm::StringMap<int64_t> &symbols,
                                              llvm::ArrayRef<TensorRef> inputs);

  /// Begins a sequence of the entry's step, and continues it: the generated output. A null input is
  /// left out. With `last`, the output is that of the last position.
  llvm::Error begin(llvm::StringRef entry, const llvm::StringMap<int64_t> &symbols,
                    const llvm::StringMap<TensorRef> &inputs);
  llvm::Expected<TensorRef> advance(llvm::StringRef entry, const llvm::StringMap<int64_t> &symbols,
                                    llvm::ArrayRef<TensorRef> inputs, bool last);

private:
  explicit CompiledModule(std::unique_ptr<CompiledModel> model) : model(std::move(model)) {}
  llvm::Expected<const weft_step_info *> findStep(llvm::StringRef entry) const;
  llvm::SmallVector<int64_t> sizesOf(const llvm::StringMap<int64_t> &symbols) const;

  std::unique_ptr<CompiledModel> model;
  AlignedBuffer state; ///< of the sequence that was begun last
};

} // namespace weft

#endif
