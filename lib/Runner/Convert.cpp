//===- Convert.cpp - a file's elements in the types of the model ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A file may hold ids as I64 where the model reads int32, or a mask as numbers where it reads
// truth values. Every value must survive the conversion; only reals are rounded to float32.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Binding.h"
#include "weft/Support/Format.h"

#include <limits>

using namespace weft;

static llvm::Error badElement(const StoredTensor &tensor, int64_t index, const std::string &value,
                              const llvm::Twine &reason) {
  return llvm::createStringError("input '" + tensor.name + "': element " +
                                 positionText(tensor.shape, index) + " is " + value + ", " +
                                 reason);
}

static llvm::Expected<AlignedBuffer> convertToReal(const StoredTensor &tensor) {
  AlignedBuffer buffer(tensor.count() * 4);
  llvm::MutableArrayRef<float> values = buffer.as<float>();
  if (int64_t i = findBeyondFloat(tensor.type, tensor.bytes.data(), tensor.count()); i >= 0)
    return badElement(tensor, i, fmt::format("{:.5g}", realAt(tensor, i)),
                      "too large for a 32-bit real");
  for (int64_t i = 0; i < tensor.count(); ++i) {
    if (isRealType(tensor.type)) {
      values[i] = float(realAt(tensor, i));
      continue;
    }
    int64_t value = intAt(tensor, i);
    constexpr int64_t exact = int64_t(1) << 24;
    if (value < -exact || value > exact)
      return badElement(tensor, i, std::to_string(value), "which float32 does not hold exactly");
    values[i] = float(value);
  }
  return std::move(buffer);
}

static llvm::Expected<AlignedBuffer> convertToInt(const weft_tensor_info &declared,
                                                  const StoredTensor &tensor) {
  AlignedBuffer buffer(tensor.count() * 4);
  llvm::MutableArrayRef<int32_t> values = buffer.as<int32_t>();
  for (int64_t i = 0; i < tensor.count(); ++i) {
    int64_t value = intAt(tensor, i);
    if (declared.index_bound > 0 && (value < 0 || value >= declared.index_bound))
      return badElement(tensor, i, std::to_string(value),
                        "out of range: ids go from 0 to " +
                            std::to_string(declared.index_bound - 1));
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
      return badElement(tensor, i, std::to_string(value), "which int32 does not hold");
    values[i] = int32_t(value);
  }
  return std::move(buffer);
}

static llvm::Expected<AlignedBuffer> convertToBool(const StoredTensor &tensor) {
  AlignedBuffer buffer(tensor.count());
  for (int64_t i = 0; i < tensor.count(); ++i) {
    int64_t value = intAt(tensor, i);
    if (value != 0 && value != 1)
      return badElement(tensor, i, std::to_string(value), "which is neither 0 nor 1");
    buffer.data()[i] = uint8_t(value);
  }
  return std::move(buffer);
}

llvm::Expected<AlignedBuffer> weft::convertInput(const weft_tensor_info &declared,
                                                 const StoredTensor &tensor) {
  if (declared.dtype == WEFT_F32)
    return convertToReal(tensor);
  if (isRealType(tensor.type))
    return llvm::createStringError("input '" + tensor.name + "' has type " +
                                   tensorTypeName(tensor.type) + ", the model reads " +
                                   elementName(declared.dtype));
  return declared.dtype == WEFT_I32 ? convertToInt(declared, tensor) : convertToBool(tensor);
}
