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

TensorType weft::storedType(int32_t dtype) {
  return dtype == WEFT_F32   ? TensorType::F32
         : dtype == WEFT_I32 ? TensorType::I32
                             : TensorType::Bool;
}

llvm::Error weft::writeResults(llvm::StringRef path, llvm::ArrayRef<OwnedTensor> results) {
  std::vector<StoredTensor> views;
  for (const OwnedTensor &result : results)
    views.push_back(result.view());
  return writeSafeTensors(path, views);
}

// Files do not align their elements.
template <typename T> static T load(const StoredTensor &tensor, int64_t index) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

double weft::realAt(const StoredTensor &tensor, int64_t index) {
  switch (tensor.type) {
  case TensorType::F64:
    return load<double>(tensor, index);
  case TensorType::F32:
    return load<float>(tensor, index);
  case TensorType::F16:
    return halfToFloat(load<uint16_t>(tensor, index));
  case TensorType::BF16:
    return bfloatToFloat(load<uint16_t>(tensor, index));
  default:
    return double(intAt(tensor, index));
  }
}

int64_t weft::intAt(const StoredTensor &tensor, int64_t index) {
  switch (tensor.type) {
  case TensorType::I64:
    return load<int64_t>(tensor, index);
  case TensorType::I32:
    return load<int32_t>(tensor, index);
  case TensorType::I16:
    return load<int16_t>(tensor, index);
  case TensorType::I8:
    return load<int8_t>(tensor, index);
  case TensorType::U8:
  case TensorType::Bool:
    return load<uint8_t>(tensor, index);
  default:
    llvm_unreachable("a real tensor has no integer elements");
  }
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
