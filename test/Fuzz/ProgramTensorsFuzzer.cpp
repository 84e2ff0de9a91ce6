//===- ProgramTensorsFuzzer.cpp - Any bytes as a file that a program reads ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The reader in C of models that are compiled to programs refuses or reads; what it reads lies in
// the file, can be converted to every type of a model, and is also read by the compiler's reader,
// with the same tensors.
//
//===----------------------------------------------------------------------------------------===//
extern "C" {
#include "Convert.h"
}

#include "weft/Import/SafeTensors.h"

#include <cstdlib>

using namespace weft;

extern "C" int fail(const char *, ...) { return Failed; }
extern "C" void *weft_allocate(int64_t bytes) { return malloc(bytes > 0 ? size_t(bytes) : 1); }
extern "C" int makeResults(Binding *) { return Done; }

static void convert(const FileTensor &tensor) {
  for (int32_t code = WEFT_F32; code <= WEFT_U8; ++code)
    for (int64_t bound : {0, 100}) {
      weft_tensor_info declared = {tensor.name, nullptr, nullptr, code, 0, 0, 0, 0, bound};
      void *memory = nullptr;
      (void)convertInput(&declared, &tensor, &memory);
      free(memory);
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ::TensorFile file; // the reader's in C, not weft::TensorFile
  if (readTensors("fuzz", data, size, &file))
    return 0;
  auto other = SafeTensorsFile::read(llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(reinterpret_cast<const char *>(data), size), "fuzz"));
  // Texts that are no UTF-8, and a second __metadata__, are the compiler's business alone.
  if (!other)
    llvm::consumeError(other.takeError());
  else if (other->tensors().size() != size_t(file.count))
    std::abort();
  for (int64_t i = 0; i < file.count; ++i) {
    const FileTensor &tensor = file.tensors[i];
    if (tensor.data < data || tensor.data + tensor.count * bytesOfType(tensor.type) > data + size)
      std::abort();
    if (const StoredTensor *same = other ? other->find(tensor.name) : nullptr;
        other && (!same || same->count() != tensor.count))
      std::abort();
    convert(tensor);
  }
  closeTensors(&file);
  return 0;
}
