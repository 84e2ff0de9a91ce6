//===- Tensors.h - tensors of files and results ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_TENSORS_H
#define WEFT_RUNNER_TENSORS_H

#include "weft/Runner/AlignedBuffer.h"

#include "weft/Import/SafeTensors.h"

#include <string>

namespace weft {

/// A result: a tensor with its own memory.
struct OwnedTensor {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  AlignedBuffer data;

  StoredTensor view() const { return {name, type, shape, data.as<uint8_t>()}; }
};

/// As a safetensors file; errors name it.
llvm::Error writeResults(llvm::StringRef path, llvm::ArrayRef<OwnedTensor> results);

/// Element `index` of a tensor: realAt for every type, intAt for integers and bools, exact.
double realAt(const StoredTensor &tensor, int64_t index);
int64_t intAt(const StoredTensor &tensor, int64_t index);

/// "[0, 3]": where the element with this row-major number is.
std::string positionText(llvm::ArrayRef<int64_t> shape, int64_t index);

/// The tensor of a name; null if there is none.
const StoredTensor *findTensor(llvm::ArrayRef<StoredTensor> tensors, llvm::StringRef name);

/// "a, b, c"
std::string joinNames(llvm::ArrayRef<std::string> names);

} // namespace weft

#endif // WEFT_RUNNER_TENSORS_H
