//===- Binding.h - input tensors of a file, as an entry takes them --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_BINDING_H
#define WEFT_RUNNER_BINDING_H

#include "weft/Runner/CompiledModel.h"
#include "weft/Runner/Tensors.h"

namespace weft {

/// The inputs of one entry, converted and checked, ready for one call per example.
struct Binding {
  llvm::SmallVector<int64_t> batch; ///< the dimensions that tensors of the file have before theirs
  llvm::SmallVector<int64_t> sizes; ///< of all symbols of the model
  /// Per input of the entry: all examples one after another; empty: left out (a null pointer).
  std::vector<AlignedBuffer> inputs;
  std::vector<bool> shared; ///< per input: one tensor for all examples

  /// How many there are in the batch; 1 without one.
  int64_t examples() const;
  /// Whether there are more positions than a call takes: a model that carries a state of its own
  /// reads on where a call has ended.
  bool isLongerThanCall(const weft_model_info &info) const;
  /// The pointers of example `index`.
  std::vector<const void *> pointers(const weft_entry_info &entry, int64_t index) const;
};

/// The entry called `name`. If that is empty: the one that takes the tensors of the file, all that
/// it needs and no others; of several, the one with all the expected results, or the one that
/// generates. Otherwise the error says why each entry does not fit.
llvm::Expected<const weft_entry_info *> chooseEntry(const CompiledModel &model,
                                                    llvm::StringRef name,
                                                    llvm::ArrayRef<StoredTensor> tensors,
                                                    llvm::ArrayRef<const StoredTensor *> expected);
/// The same where each entry would get tensors of its own names.
llvm::Expected<const weft_entry_info *>
chooseEntry(const CompiledModel &model, llvm::StringRef name,
            llvm::function_ref<std::vector<std::string>(const weft_entry_info &)> given,
            llvm::ArrayRef<const StoredTensor *> expected = {});

/// Finds every input of the entry among `tensors`, derives the symbols from the shapes and checks
/// names, shapes, bounds, values and ids. The error names the tensor and the value. With `inPieces`
/// there may be more positions than a call takes, if the entry carries a state of its own.
llvm::Expected<Binding> bindInputs(const weft_model_info &info, const weft_entry_info &entry,
                                   llvm::ArrayRef<StoredTensor> tensors, bool inPieces = false);

/// The elements of a file's tensor in the type of `declared`, each checked to fit.
llvm::Expected<AlignedBuffer> convertInput(const weft_tensor_info &declared,
                                           const StoredTensor &tensor);

} // namespace weft

#endif // WEFT_RUNNER_BINDING_H
