//===- TensorFile.cpp - A file of named tensors ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/TensorFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft {

TensorValues::~TensorValues() = default;

std::string shapeString(ArrayRef<int64_t> shape) {
  return "[" + join(map_range(shape, [](int64_t size) { return std::to_string(size); }), ", ") +
         "]";
}

TensorFile::TensorFile(std::unique_ptr<MemoryBuffer> buffer, std::vector<StoredTensor> tensors)
    : buffer(std::move(buffer)), list(std::move(tensors)) {
  for (size_t i = 0; i < list.size(); ++i)
    indices[list[i].name] = i;
}

const StoredTensor *TensorFile::find(StringRef name) const {
  auto found = indices.find(name);
  return found == indices.end() ? nullptr : &list[found->second];
}

} // namespace weft
