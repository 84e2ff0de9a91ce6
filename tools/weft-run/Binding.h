//===- Binding.h - input tensors of a file, as an entry takes them -------- -*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_BINDING_H
#define WEFT_TOOLS_WEFT_RUN_BINDING_H

#include "Model.h"
#include "Tensors.h"

namespace weft {

// The inputs of one entry, converted and checked, ready for one call per example.
struct Binding {
  bool batched = false;             // the file's tensors have one dimension more than declared
  int64_t batch = 1;                // its extent
  llvm::SmallVector<int64_t> sizes; // of all symbols of the model
  // Per input of the entry: all examples one after another; empty: left out (a null pointer).
  std::vector<Buffer> inputs;

  // The pointers of example `index`.
  std::vector<const void *> pointers(const weft_entry_info &entry, int64_t index) const;
};

// Finds every input of the entry among `tensors`, derives the symbols from the shapes and checks
// names, shapes, bounds, values and ids. The error names the tensor and the value.
llvm::Expected<Binding> bindInputs(const weft_model_info &info, const weft_entry_info &entry,
                                   llvm::ArrayRef<StoredTensor> tensors);

// The elements of a file's tensor in the type of `declared`, each checked to fit.
llvm::Expected<Buffer> convertInput(const weft_tensor_info &declared, const StoredTensor &tensor);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_BINDING_H
