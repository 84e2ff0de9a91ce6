//===- GGUF.cpp - Reading GGUF files --------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "GGUFReader.h"
#include "weft/Support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace weft {

ArrayRef<GgufType> ggufTypes() {
  static const GgufType types[] = {
      {0, "F32", 1, 4, ElementType::F32},
      {1, "F16", 1, 2, ElementType::F16},
      {2, "Q4_0", 32, 18},
      {3, "Q4_1", 32, 20},
      {6, "Q5_0", 32, 22},
      {7, "Q5_1", 32, 24},
      {8, "Q8_0", 32, 34},
      {9, "Q8_1", 32, 36},
      {10, "Q2_K", 256, 84},
      {11, "Q3_K", 256, 110},
      {12, "Q4_K", 256, 144},
      {13, "Q5_K", 256, 176},
      {14, "Q6_K", 256, 210},
      {15, "Q8_K", 256, 292},
      {16, "IQ2_XXS", 256, 66},
      {17, "IQ2_XS", 256, 74},
      {18, "IQ3_XXS", 256, 98},
      {19, "IQ1_S", 256, 50},
      {20, "IQ4_NL", 32, 18},
      {21, "IQ3_S", 256, 110},
      {22, "IQ2_S", 256, 82},
      {23, "IQ4_XS", 256, 136},
      {24, "I8", 1, 1, ElementType::I8},
      {25, "I16", 1, 2, ElementType::I16},
      {26, "I32", 1, 4, ElementType::I32},
      {27, "I64", 1, 8, ElementType::I64},
      {28, "F64", 1, 8, ElementType::F64},
      {29, "IQ1_M", 256, 56},
      {30, "BF16", 1, 2, ElementType::BF16},
      {34, "TQ1_0", 256, 54},
      {35, "TQ2_0", 256, 66},
      {39, "MXFP4", 32, 17},
  };
  return types;
}

//===----------------------------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------------------------===//

std::optional<int64_t> GgufValue::asInteger() const {
  using namespace support::endian;
  const char *at = bytes.data();
  switch (type) {
  case Type::U8:
    return uint8_t(*at);
  case Type::I8:
    return int8_t(*at);
  case Type::U16:
    return read16le(at);
  case Type::I16:
    return int16_t(read16le(at));
  case Type::U32:
    return read32le(at);
  case Type::I32:
    return int32_t(read32le(at));
  case Type::I64:
    return int64_t(read64le(at));
  case Type::U64:
    if (uint64_t value = read64le(at); value <= uint64_t(INT64_MAX))
      return int64_t(value);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<double> GgufValue::asReal() const {
  using namespace support::endian;
  if (type == Type::F32)
    return bit_cast<float>(read32le(bytes.data()));
  if (type == Type::F64)
    return bit_cast<double>(read64le(bytes.data()));
  std::optional<int64_t> integer = asInteger();
  return integer ? std::optional<double>(double(*integer)) : std::nullopt;
}

std::optional<bool> GgufValue::asBool() const {
  return type == Type::Bool ? std::optional<bool>(bytes.front() != 0) : std::nullopt;
}

std::optional<StringRef> GgufValue::asString() const {
  return type == Type::String ? std::optional<StringRef>(bytes) : std::nullopt;
}

std::vector<GgufValue> GgufValue::elements() const {
  std::vector<GgufValue> result(count);
  StringRef rest = bytes;
  for (GgufValue &element : result) {
    uint64_t size = GgufReader::sizeOf(elementType);
    if (elementType == Type::String) {
      size = support::endian::read64le(rest.data());
      rest = rest.drop_front(8);
    }
    element.type = elementType;
    element.bytes = rest.take_front(size);
    rest = rest.drop_front(size);
  }
  return result;
}

//===----------------------------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------------------------===//

Expected<GgufFile> GgufFile::open(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return read(std::move(*buffer));
}

Expected<GgufFile> GgufFile::read(std::unique_ptr<MemoryBuffer> buffer) {
  GgufReader reader(buffer->getBufferIdentifier(), buffer->getBuffer());
  if (Error error = reader.run())
    return std::move(error);
  GgufFile file(std::move(buffer), std::move(reader.tensors));
  file.keyList = std::move(reader.keys);
  file.keyIndices = std::move(reader.keyIndices);
  return file;
}

const GgufValue *GgufFile::key(StringRef name) const {
  auto found = keyIndices.find(name);
  return found == keyIndices.end() ? nullptr : &keyList[found->second].second;
}

Expected<std::vector<std::string>> ggufParts(StringRef path, int64_t count) {
  constexpr int64_t maxParts = 99999; // five digits
  std::string suffix;
  raw_string_ostream(suffix) << format("-of-%05lld.gguf", static_cast<long long>(count));
  StringRef stem = path;
  if (count < 1 || count > maxParts || !stem.consume_back(suffix) || !stem.consume_back("-00001"))
    return createStringError(path + ": error: it is one of " + Twine(count) +
                             " parts of a model: give the first, which is called NAME-00001" +
                             suffix);
  std::vector<std::string> paths;
  for (int64_t part = 1; part <= count; ++part)
    raw_string_ostream(paths.emplace_back(stem.str()))
        << format("-%05lld", static_cast<long long>(part)) << suffix;
  return paths;
}

} // namespace weft
