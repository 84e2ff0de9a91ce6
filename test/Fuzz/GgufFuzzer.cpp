//===- GgufFuzzer.cpp - Any bytes as a GGUF file --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The reader refuses or reads. What it reads must be safe to look at, lie apart, and give what
// texts and tokenizers see of it, or reasons why not.
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/GGUFModel.h"
#include "weft/Import/GGUFTokenizer.h"
#include <cstdlib>

using namespace llvm;
using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  Expected<GgufFile> file = GgufFile::read(MemoryBuffer::getMemBufferCopy(bytes, "fuzz.gguf"));
  if (!file)
    return consumeError(file.takeError()), 0;
  size_t total = 0;
  for (const StoredTensor &tensor : file->tensors()) {
    total += tensor.bytes.size();
    std::vector<float> reals(size_t(tensor.count()));
    convertToFloat(tensor.type, tensor.bytes.data(), reals);
  }
  if (total > size)
    std::abort();
  for (const auto &[name, value] : file->keys())
    if (value.elements().size() != value.size())
      std::abort();
  std::vector<const StoredTensor *> tensors;
  for (const StoredTensor &tensor : file->tensors())
    tensors.push_back(&tensor);
  consumeError(describeGguf(*file, tensors).takeError());
  consumeError(describeGgufTokenizer(*file).takeError());
  return 0;
}
