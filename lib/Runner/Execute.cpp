//===- Execute.cpp - runs an entry over a batch ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Execute.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

OwnedTensor weft::makeResult(const weft_tensor_info &output, const Binding &binding) {
  OwnedTensor result;
  result.name = output.name;
  result.type = elementsOf(output).type;
  result.shape.assign(binding.batch.begin(), binding.batch.end());
  llvm::append_range(result.shape, shapeOf(output, binding.sizes));
  result.data = AlignedBuffer(bytesOf(output, binding.sizes, binding.batch));
  return result;
}

llvm::Expected<std::vector<OwnedTensor>>
weft::execute(CompiledModel &model, const weft_entry_info &entry, const Binding &binding) {
  std::vector<OwnedTensor> results;
  for (const weft_tensor_info &output : outputsOf(entry))
    results.push_back(makeResult(output, binding));
  int64_t examples = binding.examples();
  for (int64_t example = 0; example < examples; ++example) {
    llvm::SmallVector<void *> outputs;
    for (OwnedTensor &result : results)
      outputs.push_back(result.data.data() + result.data.size() / examples * example);
    if (llvm::Error error =
            model.run(entry, binding.sizes, binding.pointers(entry, example), outputs))
      return std::move(error);
  }
  return std::move(results);
}
