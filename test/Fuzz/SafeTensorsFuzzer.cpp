//===- SafeTensorsFuzzer.cpp - Any bytes as a safetensors file ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The reader refuses or reads; what it reads must be safe to convert, and must survive being
// written and read again.
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/SafeTensors.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;
using namespace weft;

static Expected<SafeTensorsFile> readBytes(StringRef bytes) {
  return SafeTensorsFile::read(MemoryBuffer::getMemBufferCopy(bytes, "fuzz.safetensors"));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Expected<SafeTensorsFile> file = readBytes({reinterpret_cast<const char *>(data), size});
  if (!file)
    return consumeError(file.takeError()), 0;
  for (const StoredTensor &tensor : file->tensors()) {
    std::vector<float> reals(size_t(tensor.count()));
    std::vector<int32_t> integers(size_t(tensor.count()));
    convertToFloat(tensor.type, tensor.bytes.data(), reals);
    convertToInt(tensor.type, tensor.bytes.data(), integers);
  }
  std::string text;
  raw_string_ostream os(text);
  writeSafeTensors(os, file->tensors(), file->metadata());
  Expected<SafeTensorsFile> again = readBytes(text);
  if (!again || again->tensors().size() != file->tensors().size())
    std::abort();
  return 0;
}
