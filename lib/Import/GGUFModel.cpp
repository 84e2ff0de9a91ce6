//===- GGUFModel.cpp - What a text sees of a GGUF file --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/GGUFModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace llvm;

namespace weft {

/// Longer arrays and vectors are data, not a configuration.
constexpr uint64_t maxListed = 4096, maxVector = 512;
/// Names of more parts would nest too deeply.
constexpr size_t maxParts = 16;

/// The value of a key that is a single one; null of what no configuration holds.
static ConfigValue singleValue(const GgufValue &value) {
  if (std::optional<int64_t> integer = value.asInteger())
    return ConfigValue::makeInt(*integer);
  if (std::optional<double> real = value.asReal(); real && std::isfinite(*real))
    return ConfigValue::makeReal(*real);
  if (std::optional<bool> truth = value.asBool())
    return ConfigValue::makeBool(*truth);
  if (std::optional<StringRef> text = value.asString(); text && json::isUTF8(*text))
    return ConfigValue::makeString(*text);
  return ConfigValue();
}

static ConfigValue valueOf(const GgufValue &value) {
  if (!value.isArray())
    return singleValue(value);
  if (value.size() > maxListed)
    return ConfigValue();
  std::vector<ConfigValue> elements;
  for (const GgufValue &element : value.elements())
    elements.push_back(singleValue(element));
  return ConfigValue::makeArray(std::move(elements));
}

/// Sets a.b.c. A name that begins with the whole of another one has no place beside it.
static void setNested(ConfigValue &object, StringRef name, ConfigValue value) {
  if (name.count('.') < maxParts && !value.isNull())
    consumeError(object.setPath(name, std::move(value)));
}

static ConfigValue describeTensor(const StoredTensor &tensor) {
  std::vector<int64_t> shape = tensor.shape;
  if (!tensor.format.empty()) {
    shape.pop_back();
    shape.back() *= tensor.blockSize;
  }
  std::vector<ConfigValue> sizes, values;
  for (int64_t size : shape)
    sizes.push_back(ConfigValue::makeInt(size));
  ConfigValue result = ConfigValue::makeObject();
  result.set("shape", ConfigValue::makeArray(std::move(sizes)));
  if (shape.size() == 1 && tensor.type == ElementType::F32 && uint64_t(shape[0]) <= maxVector) {
    std::vector<float> reals(tensor.numbers());
    convertToFloat(tensor.type, tensor.bytes.data(), reals);
    // A configuration holds no other numbers.
    if (!all_of(reals, [](float real) { return std::isfinite(real); }))
      return result;
    for (float real : reals)
      values.push_back(ConfigValue::makeReal(double(real)));
    result.set("values", ConfigValue::makeArray(std::move(values)));
  }
  return result;
}

Expected<ConfigValue> describeGguf(const GgufFile &file, ArrayRef<const StoredTensor *> tensors) {
  const GgufValue *name = file.key("general.architecture");
  std::optional<StringRef> architecture = name ? name->asString() : std::nullopt;
  if (!architecture || architecture->empty() || !json::isUTF8(*architecture))
    return createStringError(file.path() +
                             ": error: no key general.architecture says what kind of model it is");
  ConfigValue keys = ConfigValue::makeObject(), tokenizer = keys, described = keys, result = keys;
  // By their names, so that each is set behind the others.
  std::vector<const GgufFile::Key *> list;
  for (const GgufFile::Key &key : file.keys())
    list.push_back(&key);
  llvm::sort(list, [](auto *a, auto *b) { return a->first < b->first; });
  for (const GgufFile::Key *key : list) {
    StringRef path = key->first;
    if (path.consume_front(architecture->str() + "."))
      setNested(keys, path, valueOf(key->second));
    else if (path.consume_front("tokenizer.ggml.") && !key->second.isArray())
      setNested(tokenizer, path, valueOf(key->second));
  }
  if (const GgufValue *tokens = file.key("tokenizer.ggml.tokens"))
    tokenizer.set("size", ConfigValue::makeInt(int64_t(tokens->size())));
  SmallVector<const StoredTensor *> ordered(tensors);
  llvm::sort(ordered, [](auto *a, auto *b) { return a->name < b->name; });
  for (const StoredTensor *tensor : ordered)
    setNested(described, tensor->name, describeTensor(*tensor));
  result.set("architecture", ConfigValue::makeString(*architecture));
  result.set("keys", std::move(keys));
  result.set("tokenizer", std::move(tokenizer));
  result.set("tensors", std::move(described));
  return result;
}

} // namespace weft
