//===- Convert.cpp - a file's elements in the types of the model ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A file may hold ids as I64 where the model reads int32, or a mask as numbers where it reads
// truth values. Every value must survive the conversion; only reals are rounded.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Binding.h"
#include "weft/Support/Elements.h"
#include "weft/Support/Format.h"

#include <cstdlib>

using namespace weft;

static llvm::Error badElement(const StoredTensor &tensor, int64_t index, const std::string &value,
                              const llvm::Twine &reason) {
  return llvm::createStringError("input '" + tensor.name + "': element " +
                                 positionText(tensor.shape, index) + " is " + value + ", " +
                                 reason);
}

/// The integers from -n to n are exact, with n the result.
static int64_t exactIntegers(const ElementTypeInfo &elements) {
  return int64_t(1) << (elements.mantissaBits() + 1);
}

static llvm::Expected<AlignedBuffer> convertToReal(const ElementTypeInfo &elements,
                                                   const StoredTensor &tensor) {
  AlignedBuffer buffer(tensor.count() * elements.bytes());
  std::string wanted = std::to_string(elements.bits) + "-bit real";
  if (int64_t i = findBeyond(elements.type, tensor.type, tensor.bytes.data(), tensor.count());
      i >= 0)
    return badElement(tensor, i, fmt::format("{:.5g}", realAt(tensor, i)),
                      "too large for a " + wanted);
  for (int64_t i = 0; i < tensor.count(); ++i) {
    if (!infoOf(tensor.type).isReal())
      if (int64_t value = intAt(tensor, i); std::abs(value) > exactIntegers(elements))
        return badElement(tensor, i, std::to_string(value),
                          "which a " + wanted + " does not hold exactly");
    storeReal(elements.type, buffer.data(), i, realAt(tensor, i));
  }
  return std::move(buffer);
}

static llvm::Expected<AlignedBuffer> convertToInt(const weft_tensor_info &declared,
                                                  const StoredTensor &tensor) {
  const ElementTypeInfo &elements = elementsOf(declared);
  AlignedBuffer buffer(tensor.count() * elements.bytes());
  for (int64_t i = 0; i < tensor.count(); ++i) {
    int64_t value = intAt(tensor, i);
    if (declared.index_bound > 0 && (value < 0 || value >= declared.index_bound))
      return badElement(tensor, i, std::to_string(value),
                        "out of range: ids go from 0 to " +
                            std::to_string(declared.index_bound - 1));
    if (wrapInt(elements.type, value) != value)
      return badElement(tensor, i, std::to_string(value),
                        elements.kind == ElementKind::Bool
                            ? "which is neither 0 nor 1"
                            : "which an integer of " + llvm::Twine(elements.bits) +
                                  " bits does not hold");
    storeInt(elements.type, buffer.data(), i, value);
  }
  return std::move(buffer);
}

llvm::Expected<AlignedBuffer> weft::convertInput(const weft_tensor_info &declared,
                                                 const StoredTensor &tensor) {
  const ElementTypeInfo &elements = elementsOf(declared);
  if (elements.isReal())
    return convertToReal(elements, tensor);
  if (infoOf(tensor.type).isReal())
    return llvm::createStringError("input '" + tensor.name + "' has type " +
                                   infoOf(tensor.type).fileName + ", the model reads " +
                                   elements.name);
  return convertToInt(declared, tensor);
}
