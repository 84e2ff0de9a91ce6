//===- GGUFReader.h - From the bytes of a GGUF file to its parts ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_GGUFREADER_H
#define WEFT_LIB_IMPORT_GGUFREADER_H

#include "weft/Import/GGUF.h"

namespace weft {

/// Reads a file from its first byte to the last. What is expected next is at the front of `rest`.
class GgufReader {
public:
  GgufReader(llvm::StringRef path, llvm::StringRef file) : path(path), file(file), rest(file) {}

  llvm::Error run();

  std::vector<GgufFile::Key> keys;
  llvm::StringMap<size_t> keyIndices;
  std::vector<StoredTensor> tensors; // in the order of their data

  /// The bytes of a value; of an element of an array of strings those that say its length.
  static uint64_t sizeOf(GgufValue::Type type);

private:
  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError(path + ": error: " + message);
  }
  llvm::Error failTensor(llvm::StringRef name, const llvm::Twine &message) const {
    return fail("tensor '" + name + "': " + message);
  }
  llvm::Error failEnd(const llvm::Twine &within) const {
    return fail("the file ends within " + within);
  }
  bool take32(uint32_t &value);
  bool take64(uint64_t &value);
  bool takeString(llvm::StringRef &text);

  llvm::Error readHeader(uint64_t &tensorCount, uint64_t &keyCount);
  llvm::Error readName(llvm::StringRef &name, const llvm::Twine &what);
  llvm::Error readKey(uint64_t number);
  llvm::Error readValue(llvm::StringRef name, GgufValue &value);
  llvm::Error readType(llvm::StringRef name, GgufValue::Type &type);
  llvm::Error readArray(llvm::StringRef name, GgufValue &value);
  llvm::Error readTensor(uint64_t number);
  llvm::Error readShape(StoredTensor &tensor);
  llvm::Error setType(StoredTensor &tensor, uint32_t id);
  llvm::Error readAlignment();
  llvm::Error placeTensors();

  llvm::StringRef path, file, rest;
  uint64_t alignment = 32;
  std::vector<uint64_t> offsets; // of `tensors`, while they are in the order of the file
};

} // namespace weft

#endif // WEFT_LIB_IMPORT_GGUFREADER_H
