//===- SafeTensorsWriter.cpp - Writing safetensors files ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/SafeTensors.h"
#include "weft/Support/OutputFile.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace weft {

static std::string makeHeader(ArrayRef<const StoredTensor *> tensors,
                              const std::map<std::string, std::string> &metadata) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os);
  json.objectBegin();
  if (!metadata.empty())
    json.attributeObject("__metadata__", [&] {
      for (const auto &[key, value] : metadata)
        json.attribute(key, value);
    });
  uint64_t offset = 0;
  for (const StoredTensor *tensor : tensors) {
    json.attributeObject(tensor->name, [&] {
      json.attribute("dtype", infoOf(tensor->type).fileName);
      json.attribute("shape", json::Array(tensor->shape));
      json.attribute("data_offsets", json::Array{offset, offset + tensor->bytes.size()});
    });
    offset += tensor->bytes.size();
  }
  json.objectEnd();
  // Spaces put the data at a multiple of 8 bytes.
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

void writeSafeTensors(raw_ostream &os, ArrayRef<StoredTensor> tensors,
                      const std::map<std::string, std::string> &metadata) {
  std::vector<const StoredTensor *> order;
  for (unsigned elementBytes : {8, 4, 2, 1})
    for (const StoredTensor &tensor : tensors) {
      assert(elementCount(tensor.shape) == tensor.count() && "bytes and shape disagree");
      if (infoOf(tensor.type).bytes() == elementBytes)
        order.push_back(&tensor);
    }
  std::string header = makeHeader(order, metadata);
  support::endian::write<uint64_t>(os, header.size(), endianness::little);
  os << header;
  for (const StoredTensor *tensor : order)
    os.write(reinterpret_cast<const char *>(tensor->bytes.data()), tensor->bytes.size());
}

Error writeSafeTensors(StringRef path, ArrayRef<StoredTensor> tensors,
                       const std::map<std::string, std::string> &metadata) {
  return writeOutputFile(path, [&](raw_ostream &os) -> Error {
    writeSafeTensors(os, tensors, metadata);
    return Error::success();
  });
}

} // namespace weft
