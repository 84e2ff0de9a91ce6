//===- GGUFReader.cpp - From the bytes of a GGUF file to its parts --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "GGUFReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace weft {

constexpr uint64_t maxNameBytes = 65535;
constexpr uint32_t maxDimensions = 4;
constexpr uint64_t maxEntries = 65536; // of keys, of tensors
constexpr uint64_t maxAlignment = 1 << 20;
/// The least that a key (an empty name, a byte) and a tensor (without dimensions) take.
constexpr uint64_t minKeyBytes = 8 + 4 + 1, minTensorBytes = 8 + 4 + 4 + 8;

bool GgufReader::take32(uint32_t &value) {
  if (rest.size() < 4)
    return false;
  value = support::endian::read32le(rest.data());
  rest = rest.drop_front(4);
  return true;
}

bool GgufReader::take64(uint64_t &value) {
  if (rest.size() < 8)
    return false;
  value = support::endian::read64le(rest.data());
  rest = rest.drop_front(8);
  return true;
}

bool GgufReader::takeString(StringRef &text) {
  uint64_t length = 0;
  if (!take64(length) || length > rest.size())
    return false;
  text = rest.take_front(length);
  rest = rest.drop_front(length);
  return true;
}

uint64_t GgufReader::sizeOf(GgufValue::Type type) {
  static constexpr uint64_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
  return sizes[unsigned(type)];
}

Error GgufReader::run() {
  uint64_t tensorCount = 0, keyCount = 0;
  if (Error error = readHeader(tensorCount, keyCount))
    return error;
  for (uint64_t i = 0; i < keyCount; ++i)
    if (Error error = readKey(i))
      return error;
  if (Error error = readAlignment())
    return error;
  for (uint64_t i = 0; i < tensorCount; ++i)
    if (Error error = readTensor(i))
      return error;
  return placeTensors();
}

Error GgufReader::readHeader(uint64_t &tensorCount, uint64_t &keyCount) {
  if (!rest.consume_front("GGUF"))
    return fail("not a GGUF file: it does not begin with 'GGUF'");
  uint32_t version = 0;
  if (!take32(version))
    return failEnd("its header");
  if (version != 0 && (version & 0xffff) == 0)
    return fail("the file is big-endian, which is not supported");
  if (version != 2 && version != 3)
    return fail("version " + Twine(version) + " of GGUF is not supported; these are: 2, 3");
  if (!take64(tensorCount) || !take64(keyCount))
    return failEnd("its header");
  if (keyCount > rest.size() / minKeyBytes || tensorCount > rest.size() / minTensorBytes)
    return fail(Twine(keyCount) + " keys and " + Twine(tensorCount) +
                " tensors do not fit into its " + Twine(file.size()) + " bytes");
  if (keyCount > maxEntries || tensorCount > maxEntries)
    return fail(Twine(keyCount) + " keys and " + Twine(tensorCount) + " tensors are more than " +
                Twine(maxEntries));
  return Error::success();
}

Error GgufReader::readName(StringRef &name, const Twine &what) {
  if (!takeString(name))
    return failEnd("the name of " + what);
  if (name.empty() || name.size() > maxNameBytes || !json::isUTF8(name))
    return fail("the name of " + what + " is not a text of up to " + Twine(maxNameBytes) +
                " bytes");
  return Error::success();
}

//===----------------------------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------------------------===//

Error GgufReader::readKey(uint64_t number) {
  StringRef name;
  if (Error error = readName(name, "key " + Twine(number)))
    return error;
  if (!keyIndices.try_emplace(name, keys.size()).second)
    return fail("key '" + name + "' is there twice");
  GgufValue value;
  if (Error error = readValue(name, value))
    return error;
  keys.emplace_back(name.str(), value);
  return Error::success();
}

Error GgufReader::readType(StringRef name, GgufValue::Type &type) {
  uint32_t id = 0;
  if (!take32(id))
    return failEnd("key '" + name + "'");
  if (id > uint32_t(GgufValue::Type::F64))
    return fail("key '" + name + "' has a value of the unknown type " + Twine(id));
  type = GgufValue::Type(id);
  return Error::success();
}

Error GgufReader::readValue(StringRef name, GgufValue &value) {
  if (Error error = readType(name, value.type))
    return error;
  if (value.isArray())
    return readArray(name, value);
  if (value.type == GgufValue::Type::String)
    return takeString(value.bytes) ? Error::success() : failEnd("key '" + name + "'");
  uint64_t size = sizeOf(value.type);
  if (rest.size() < size)
    return failEnd("key '" + name + "'");
  value.bytes = rest.take_front(size);
  rest = rest.drop_front(size);
  return Error::success();
}

Error GgufReader::readArray(StringRef name, GgufValue &value) {
  if (Error error = readType(name, value.elementType))
    return error;
  if (value.elementType == GgufValue::Type::Array)
    return fail("key '" + name + "' is an array of arrays, which is not supported");
  if (!take64(value.count))
    return failEnd("key '" + name + "'");
  if (value.count > rest.size() / sizeOf(value.elementType))
    return failEnd("key '" + name + "', an array of " + Twine(value.count) + " values");
  const char *begin = rest.data();
  if (value.elementType != GgufValue::Type::String)
    rest = rest.drop_front(value.count * sizeOf(value.elementType));
  else
    for (uint64_t i = 0; i < value.count; ++i)
      if (StringRef text; !takeString(text))
        return failEnd("key '" + name + "', at string " + Twine(i) + " of " + Twine(value.count));
  value.bytes = StringRef(begin, size_t(rest.data() - begin));
  return Error::success();
}

Error GgufReader::readAlignment() {
  auto found = keyIndices.find("general.alignment");
  if (found == keyIndices.end())
    return Error::success();
  std::optional<int64_t> value = keys[found->second].second.asInteger();
  if (!value || *value < 1 || *value > int64_t(maxAlignment) || !isPowerOf2_64(uint64_t(*value)))
    return fail("general.alignment is not a power of two of up to " + Twine(maxAlignment));
  alignment = uint64_t(*value);
  return Error::success();
}

//===----------------------------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------------------------===//

/// The sizes, which the file has fastest first.
Error GgufReader::readShape(StoredTensor &tensor) {
  uint32_t dimensions = 0;
  if (!take32(dimensions))
    return failEnd("tensor '" + tensor.name + "'");
  if (dimensions > maxDimensions)
    return failTensor(tensor.name,
                      Twine(dimensions) + " dimensions are more than " + Twine(maxDimensions));
  for (uint32_t i = 0; i < dimensions; ++i) {
    uint64_t size = 0;
    if (!take64(size))
      return failEnd("tensor '" + tensor.name + "'");
    if (size >= uint64_t(maxElements))
      return failTensor(tensor.name, "the dimension " + Twine(size) + " is too large");
    tensor.shape.insert(tensor.shape.begin(), int64_t(size));
  }
  return Error::success();
}

/// Of blocks the shape becomes that of their bytes.
Error GgufReader::setType(StoredTensor &tensor, uint32_t id) {
  const GgufType *type = find_if(ggufTypes(), [&](const GgufType &one) { return one.id == id; });
  if (type == ggufTypes().end())
    return failTensor(tensor.name,
                      "its GGUF type " + Twine(id) + " is not known; the known ones are " +
                          join(map_range(ggufTypes(), [](auto &one) { return one.name; }), ", "));
  if (type->element) {
    tensor.type = *type->element;
    return Error::success();
  }
  if (tensor.shape.empty() || tensor.shape.back() % type->blockSize != 0)
    return failTensor(tensor.name, "its rows are no whole blocks of " + type->name +
                                       ", which have " + Twine(type->blockSize) +
                                       " numbers: shape " + shapeString(tensor.shape));
  tensor.type = ElementType::U8;
  tensor.format = type->name.str();
  tensor.blockSize = type->blockSize;
  tensor.shape.back() /= type->blockSize;
  tensor.shape.push_back(type->bytes);
  return Error::success();
}

Error GgufReader::readTensor(uint64_t number) {
  StringRef name;
  if (Error error = readName(name, "tensor " + Twine(number)))
    return error;
  StoredTensor &tensor = tensors.emplace_back();
  tensor.name = name.str();
  if (Error error = readShape(tensor))
    return error;
  uint32_t type = 0;
  if (!take32(type) || !take64(offsets.emplace_back()))
    return failEnd("tensor '" + name + "'");
  return setType(tensor, type);
}

/// Gives tensors their bytes, which must lie apart from each other in the data.
Error GgufReader::placeTensors() {
  uint64_t begin = alignTo(file.size() - rest.size(), alignment);
  StringRef data = file.drop_front(std::min<uint64_t>(begin, file.size()));
  StringSet<> names;
  for (auto [tensor, offset] : zip_equal(tensors, offsets)) {
    if (!names.insert(tensor.name).second)
      return failTensor(tensor.name, "it is there twice");
    std::optional<int64_t> bytes = tensorBytes(infoOf(tensor.type).bits, tensor.shape);
    if (!bytes)
      return failTensor(tensor.name, "shape " + shapeString(tensor.shape) + " is too large");
    if (offset % alignment != 0)
      return failTensor(tensor.name,
                        "its offset " + Twine(offset) + " is no multiple of " + Twine(alignment));
    if (offset > data.size() || uint64_t(*bytes) > data.size() - offset)
      return failTensor(tensor.name, Twine(*bytes) + " bytes from " + Twine(offset) +
                                         " on do not lie in the " + Twine(data.size()) +
                                         " bytes of data");
    tensor.bytes = arrayRefFromStringRef(data.substr(offset, uint64_t(*bytes)));
  }
  llvm::sort(tensors, [](const StoredTensor &a, const StoredTensor &b) {
    return std::tuple(a.bytes.begin(), a.bytes.end(), StringRef(a.name)) <
           std::tuple(b.bytes.begin(), b.bytes.end(), StringRef(b.name));
  });
  for (size_t i = 1; i < tensors.size(); ++i)
    if (tensors[i - 1].bytes.end() > tensors[i].bytes.begin())
      return failTensor(tensors[i].name, "its data overlap those of '" + tensors[i - 1].name + "'");
  return Error::success();
}

} // namespace weft
