//===- JsonNumbers.cpp - numbers of JSON in tensors of bytes --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "JsonNumbers.h"

#include "weft/Support/ConfigValue.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace weft;

/// What is larger is no description of a tensor.
static constexpr size_t kMostBytes = size_t(1) << 16;

const StoredTensor *JsonNumbers::find(StringRef name) {
  auto [object, key] = name.rsplit('.');
  const StoredTensor *text = checkpoint.find(object);
  if (!text || text->values || infoOf(text->type).bits != 8 || text->bytes.size() > kMostBytes)
    return nullptr;
  auto parsed = ConfigValue::parse(toStringRef(text->bytes), object);
  if (!parsed)
    return consumeError(parsed.takeError()), nullptr;
  const ConfigValue *value = parsed->isObject() ? parsed->get(key) : nullptr;
  if (!value || !value->isNumber())
    return nullptr;
  Number &number = *numbers.emplace_back(std::make_unique<Number>());
  number.value = float(value->asReal());
  number.tensor.name = name.str();
  number.tensor.shape = {1};
  number.tensor.bytes = {reinterpret_cast<const uint8_t *>(&number.value), sizeof(float)};
  return &number.tensor;
}
