//===- StoredWeight.cpp - A weight made of one stored tensor or several ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/StoredWeight.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft {

namespace {
/// A name cut at its first `{N}`.
struct StackedName {
  StringRef head, tail;
  int64_t count = 0;
};
} // namespace

static std::optional<StackedName> splitStacked(StringRef name) {
  for (size_t open = name.find('{'); open != StringRef::npos; open = name.find('{', open + 1)) {
    StackedName result;
    StringRef number = name.slice(open + 1, name.find('}', open));
    if (number.getAsInteger(10, result.count) || result.count < 1)
      continue;
    result.head = name.take_front(open);
    result.tail = name.drop_front(open + number.size() + 2);
    return result;
  }
  return std::nullopt;
}

unsigned stackedDims(StringRef name) {
  unsigned count = 0;
  for (auto part = splitStacked(name); part; part = splitStacked(part->tail))
    ++count;
  return count;
}

std::vector<std::string> tensorNames(StringRef name) {
  std::vector<std::string> names{""};
  StringRef rest = name;
  for (auto part = splitStacked(rest); part; part = splitStacked(rest)) {
    if (part->count > maxStackedTensors / int64_t(names.size()))
      return {name.str()}; // which no checkpoint has
    std::vector<std::string> next;
    for (const std::string &begin : names)
      for (int64_t i = 0; i < part->count; ++i)
        next.push_back(begin + part->head.str() + std::to_string(i));
    names = std::move(next);
    rest = part->tail;
  }
  for (std::string &tensor : names)
    tensor += rest;
  return names;
}

std::string stackName(StringRef name) {
  std::string result;
  StringRef rest = name;
  for (auto part = splitStacked(rest); part; part = splitStacked(rest)) {
    result += part->head.str() + "{}";
    rest = part->tail;
  }
  return result + rest.str();
}

int64_t StoredWeight::count() const {
  int64_t total = 0;
  for (const StoredTensor *part : parts)
    total += part->count();
  return total;
}

uint64_t StoredWeight::storedBytes() const {
  uint64_t bytes = 0;
  for (const StoredTensor *part : parts)
    bytes += part->storedBytes();
  return bytes;
}

void StoredWeight::readReals(int64_t first, MutableArrayRef<float> out) const {
  // All parts have the shape of one expert.
  int64_t size = parts.front()->count();
  for (size_t part = size_t(first / size); !out.empty(); ++part) {
    const StoredTensor &tensor = *parts[part];
    int64_t offset = first - int64_t(part) * size;
    size_t count = size_t(std::min<int64_t>(size - offset, int64_t(out.size())));
    if (tensor.values)
      tensor.values->read(offset, out.take_front(count));
    else
      convertToFloat(tensor.type, tensor.bytes.data() + offset * infoOf(tensor.type).bytes(),
                     out.take_front(count));
    out = out.drop_front(count);
    first += int64_t(count);
  }
}

std::optional<StoredCodes> StoredWeight::findCodes() const {
  std::optional<StoredCodes> common;
  for (const StoredTensor *part : parts) {
    std::optional<StoredCodes> own = part->values ? part->values->findCodes() : std::nullopt;
    if (!own || (common && !(*common == *own)))
      return std::nullopt;
    common = own;
  }
  return common;
}

void StoredWeight::readCodes(CodesPart part, int64_t first, MutableArrayRef<float> out) const {
  int64_t size = parts.front()->count();
  if (part != CodesPart::Codes) {
    StoredCodes codes = *findCodes();
    bool isOuter = part == CodesPart::OuterScales || part == CodesPart::OuterShifts;
    size /= codes.group * (isOuter ? infoOf(codes.table).span : 1);
  }
  for (size_t number = size_t(first / size); !out.empty(); ++number) {
    int64_t offset = first - int64_t(number) * size;
    size_t count = size_t(std::min<int64_t>(size - offset, int64_t(out.size())));
    parts[number]->values->readCodes(part, offset, out.take_front(count));
    out = out.drop_front(count);
    first += int64_t(count);
  }
}

Error StoredWeight::checkValues() const {
  for (const StoredTensor *part : parts)
    if (part->values && !part->values->failure().empty())
      return createStringError("tensor '" + part->name + "': " + part->values->failure());
  return Error::success();
}

const StoredTensor *StoredWeight::readIntegers(MutableArrayRef<int32_t> out) const {
  for (const StoredTensor *part : parts) {
    size_t count = size_t(part->count());
    if (!convertToInt(part->type, part->bytes.data(), out.take_front(count)))
      return part;
    out = out.drop_front(count);
  }
  return nullptr;
}

} // namespace weft
