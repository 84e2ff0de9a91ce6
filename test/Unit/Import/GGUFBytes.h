//===- GGUFBytes.h - GGUF files, piece by piece ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_IMPORT_GGUFBYTES_H
#define WEFT_TEST_UNIT_IMPORT_GGUFBYTES_H

#include "weft/Import/GGUF.h"
#include "llvm/ADT/bit.h"

namespace weft {

/// Writes a file piece by piece.
struct GgufBytes {
  std::string text;

  GgufBytes &u32(uint32_t value) { return put(&value, 4); }
  GgufBytes &u64(uint64_t value) { return put(&value, 8); }
  GgufBytes &string(llvm::StringRef value) { return u64(value.size()), text += value, *this; }
  GgufBytes &key(llvm::StringRef name, GgufValue::Type type) {
    return string(name).u32(uint32_t(type));
  }
  GgufBytes &array(llvm::StringRef name, GgufValue::Type type, uint64_t count) {
    return key(name, GgufValue::Type::Array).u32(uint32_t(type)).u64(count);
  }
  GgufBytes &tensor(llvm::StringRef name, std::vector<uint64_t> sizes, uint32_t type,
                    uint64_t offset) {
    string(name).u32(uint32_t(sizes.size()));
    for (uint64_t size : sizes)
      u64(size);
    return u32(type).u64(offset);
  }
  /// Up to the data, and so many bytes 0, 1, 2, ...
  GgufBytes &data(size_t count, size_t alignment = 32) {
    text.resize((text.size() + alignment - 1) / alignment * alignment);
    for (size_t i = 0; i < count; ++i)
      text.push_back(char(i));
    return *this;
  }

private:
  GgufBytes &put(const void *from, size_t size) {
    static_assert(llvm::endianness::native == llvm::endianness::little);
    text.append(static_cast<const char *>(from), size);
    return *this;
  }
};

inline GgufBytes ggufHeader(uint64_t tensors, uint64_t keys, uint32_t version = 3) {
  return GgufBytes{"GGUF"}.u32(version).u64(tensors).u64(keys);
}

} // namespace weft

#endif // WEFT_TEST_UNIT_IMPORT_GGUFBYTES_H
