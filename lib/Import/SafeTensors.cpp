//===- SafeTensors.cpp - Reading safetensors files ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every entry of the header is read on its own (readEntry); what concerns all of them together,
// that their ranges tile the data, is checked after sorting (checkRanges).
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/SafeTensors.h"
#include "weft/Support/InputFile.h"
#include "weft/Support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace weft {

/// "F64, F32, ..."
static std::string typeNames() {
  return join(map_range(elementTypes(), [](const ElementTypeInfo &info) { return info.fileName; }),
              ", ");
}

namespace {

constexpr uint64_t maxHeaderBytes = 100'000'000;
constexpr unsigned maxHeaderDepth = 4;

/// One tensor with the place the header gives it.
struct Entry {
  StoredTensor tensor;
  uint64_t begin = 0, end = 0;
};

class Reader {
public:
  Reader(StringRef path, StringRef file) : path(path), file(file) {}

  Error run();

  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;

private:
  Error fail(const Twine &message) const { return createStringError(path + ": error: " + message); }
  Error failTensor(StringRef name, const Twine &message) const {
    return fail("tensor '" + name + "': " + message);
  }
  Expected<StringRef> header() const;
  Error readMetadata(const json::Value &value);
  Error readEntry(StringRef name, const json::Value &value);
  Error readShape(StringRef name, const json::Object &fields, Entry &entry);
  Error readOffsets(StringRef name, const json::Object &fields, Entry &entry);
  Error checkRanges();

  StringRef path, file, data;
};

Expected<StringRef> Reader::header() const {
  if (file.size() < 8)
    return fail("not a safetensors file: it has " + Twine(file.size()) + " bytes");
  uint64_t length = support::endian::read64le(file.data());
  if (length > maxHeaderBytes)
    return fail("not a safetensors file: its header would have " + Twine(length) +
                " bytes, more than 100 MB");
  if (length > file.size() - 8)
    return fail("the file ends within its header: " + Twine(length) + " bytes announced, " +
                Twine(file.size() - 8) + " present");
  StringRef text = file.substr(8, length);
  if (!text.starts_with("{"))
    return fail("not a safetensors file: its header does not start with '{'");
  return text;
}

Error Reader::run() {
  Expected<StringRef> text = header();
  if (!text)
    return text.takeError();
  data = file.drop_front(8 + text->size());
  Expected<json::Value> root = parseJson(*text, path, maxHeaderDepth);
  if (!root)
    return root.takeError();
  for (const auto &member : *root->getAsObject()) {
    StringRef name = member.first;
    Error error =
        name == "__metadata__" ? readMetadata(member.second) : readEntry(name, member.second);
    if (error)
      return error;
  }
  return checkRanges();
}

Error Reader::readMetadata(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail("__metadata__ is not an object");
  for (const auto &member : *object) {
    std::optional<StringRef> text = member.second.getAsString();
    if (!text)
      return fail("__metadata__: the value of '" + StringRef(member.first) + "' is not a string");
    metadata[StringRef(member.first).str()] = text->str();
  }
  return Error::success();
}

Error Reader::readEntry(StringRef name, const json::Value &value) {
  const json::Object *fields = value.getAsObject();
  if (!fields)
    return failTensor(name, "expected an object");
  for (const auto &field : *fields)
    if (!is_contained({"dtype", "shape", "data_offsets"}, StringRef(field.first)))
      return failTensor(name, "unknown field '" + StringRef(field.first) + "'");
  std::optional<StringRef> typeName = fields->getString("dtype");
  if (!typeName)
    return failTensor(name, "dtype is missing or not a string");
  std::optional<ElementType> type = elementTypeInFile(*typeName);
  if (!type)
    return failTensor(name, "element type '" + *typeName +
                                "' is not supported; these are: " + typeNames());

  Entry entry;
  entry.tensor.name = name.str();
  entry.tensor.type = *type;
  if (Error error = readShape(name, *fields, entry))
    return error;
  if (Error error = readOffsets(name, *fields, entry))
    return error;
  entries.push_back(std::move(entry));
  return Error::success();
}

Error Reader::readShape(StringRef name, const json::Object &fields, Entry &entry) {
  const json::Array *shape = fields.getArray("shape");
  if (!shape)
    return failTensor(name, "shape is missing or not an array");
  for (const json::Value &size : *shape) {
    std::optional<uint64_t> value = size.getAsUINT64();
    if (!value || *value > uint64_t(INT64_MAX))
      return failTensor(name, "a dimension of its shape is not a whole number below 2^63");
    entry.tensor.shape.push_back(int64_t(*value));
  }
  return Error::success();
}

Error Reader::readOffsets(StringRef name, const json::Object &fields, Entry &entry) {
  const json::Array *offsets = fields.getArray("data_offsets");
  if (!offsets || offsets->size() != 2)
    return failTensor(name, "data_offsets is not an array of two numbers");
  std::optional<uint64_t> begin = (*offsets)[0].getAsUINT64(), end = (*offsets)[1].getAsUINT64();
  if (!begin || !end)
    return failTensor(name, "data_offsets is not an array of two numbers");
  if (*begin > *end || *end > data.size())
    return failTensor(name, "data_offsets [" + Twine(*begin) + ", " + Twine(*end) +
                                "] do not lie in the " + Twine(data.size()) + " bytes of data");
  const StoredTensor &tensor = entry.tensor;
  unsigned elementBytes = infoOf(tensor.type).bytes();
  std::optional<int64_t> bytes = tensorBytes(8 * elementBytes, tensor.shape);
  if (!bytes)
    return failTensor(name, "shape " + shapeString(tensor.shape) + " is too large");
  if (uint64_t(*bytes) != *end - *begin)
    return failTensor(name, "shape " + shapeString(tensor.shape) + " of " +
                                infoOf(tensor.type).fileName + " needs " + Twine(*bytes) +
                                " bytes, but its range has " + Twine(*end - *begin));
  entry.begin = *begin;
  entry.end = *end;
  entry.tensor.bytes = arrayRefFromStringRef(data.slice(*begin, *end));
  return Error::success();
}

Error Reader::checkRanges() {
  // Names make the order of empty tensors at one place independent of the header's.
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.tensor.name) < std::tie(b.begin, b.end, b.tensor.name);
  });
  uint64_t covered = 0;
  for (const Entry &entry : entries) {
    if (entry.begin < covered)
      return failTensor(entry.tensor.name, "its data overlaps that of another tensor");
    if (entry.begin > covered)
      return failTensor(entry.tensor.name, "unused bytes " + Twine(covered) + " to " +
                                               Twine(entry.begin) + " lie before its data");
    covered = entry.end;
  }
  if (covered != data.size())
    return fail("the tensors cover " + Twine(covered) + " of " + Twine(data.size()) +
                " bytes of data");
  return Error::success();
}

} // namespace

Expected<SafeTensorsFile> SafeTensorsFile::open(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return read(std::move(*buffer));
}

Expected<SafeTensorsFile> SafeTensorsFile::read(std::unique_ptr<MemoryBuffer> buffer) {
  Reader reader(buffer->getBufferIdentifier(), buffer->getBuffer());
  if (Error error = reader.run())
    return std::move(error);
  std::vector<StoredTensor> tensors;
  tensors.reserve(reader.entries.size());
  for (Entry &entry : reader.entries)
    tensors.push_back(std::move(entry.tensor));
  SafeTensorsFile file(std::move(buffer), std::move(tensors));
  file.meta = std::move(reader.metadata);
  return file;
}

} // namespace weft
