//===- Tensors.cpp - reading elements, writing results --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tensors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;

llvm::Error weft::writeResults(llvm::StringRef path, llvm::ArrayRef<OwnedTensor> results) {
  std::vector<StoredTensor> views;
  for (const OwnedTensor &result : results)
    views.push_back(result.view());
  return writeSafeTensors(path, views);
}

double weft::realAt(const StoredTensor &tensor, int64_t index) {
  return loadReal(tensor.type, tensor.bytes.data(), index);
}

int64_t weft::intAt(const StoredTensor &tensor, int64_t index) {
  return loadInt(tensor.type, tensor.bytes.data(), index);
}

std::string weft::positionText(llvm::ArrayRef<int64_t> shape, int64_t index) {
  std::vector<int64_t> position(shape.size());
  for (size_t i = shape.size(); i-- > 0; index /= shape[i])
    position[i] = index % shape[i];
  return shapeString(position);
}

const StoredTensor *weft::findTensor(llvm::ArrayRef<StoredTensor> tensors, llvm::StringRef name) {
  const StoredTensor *found =
      llvm::find_if(tensors, [name](const StoredTensor &tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : found;
}

std::string weft::joinNames(llvm::ArrayRef<std::string> names) {
  return names.empty() ? "none" : llvm::join(names, ", ");
}
