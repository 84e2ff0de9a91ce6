//===- CompiledModel.h - compiled code, loaded to be called ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_COMPILEDMODEL_H
#define WEFT_LIB_PIPELINE_COMPILEDMODEL_H

#include "weft/Import/WeightPacker.h"
#include "weft/Pipeline/Options.h"
#include "weft/Reference/Verify.h"
#include "weft/Runtime/weft_model_info.h"
#include "weft/Target/TargetBackend.h"

namespace weft {

/// A module of stage `fused`, compiled to a temporary shared library, loaded with its
/// weights.
class CompiledModel {
public:
  ~CompiledModel();
  CompiledModel(const CompiledModel &) = delete;

  static llvm::Expected<std::unique_ptr<CompiledModel>> compile(mlir::ModuleOp fused,
                                                                const CompileOptions &options,
                                                                const TargetBackend &target,
                                                                const Checkpoint &checkpoint);

  /// Calls the entry: its outputs as tensors of the interpreter. A null input is left out.
  llvm::Expected<std::vector<TensorRef>> call(llvm::StringRef entry,
                                              const llvm::StringMap<int64_t> &symbols,
                                              llvm::ArrayRef<TensorRef> inputs) const;

  /// Begins a sequence of the entry's step, and continues it: the generated output. A null input is
  /// left out.
  llvm::Error begin(llvm::StringRef entry, const llvm::StringMap<int64_t> &symbols,
                    const llvm::StringMap<TensorRef> &inputs);
  llvm::Expected<TensorRef> advance(llvm::StringRef entry, const llvm::StringMap<int64_t> &symbols,
                                    llvm::ArrayRef<TensorRef> inputs);

private:
  CompiledModel() = default;
  llvm::Expected<const weft_step_info *> findStep(llvm::StringRef entry) const;
  llvm::SmallVector<int64_t> sizesOf(const llvm::StringMap<int64_t> &symbols) const;
  llvm::Error build(mlir::ModuleOp module, const CompileOptions &options,
                    const TargetBackend &target, const Checkpoint &checkpoint,
                    llvm::StringRef path);
  llvm::Error load(llvm::StringRef path);
  llvm::Error loadWeights(const WeightsFile &file, const Checkpoint &checkpoint);

  void *library = nullptr;
  const weft_model_info *info = nullptr;
  std::unique_ptr<llvm::MemoryBuffer> weights;
  std::vector<std::aligned_storage_t<64, 64>> state; ///< of the sequence that was begun last
};

} // namespace weft

#endif
