//===- GGUF.h - Reading GGUF files ----------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A GGUF file holds a model with its configuration and its tokenizer, little-endian:
//
//   "GGUF", u32 version (2 or 3), u64 tensors, u64 keys
//   keys:     string name, u32 type, value          (string: u64 length, that many bytes;
//                                                    array: u32 type, u64 count, the values)
//   tensors:  string name, u32 dimensions, u64 sizes (fastest first), u32 type, u64 offset
//   data:     from the next multiple of general.alignment (32) on; so are the offsets in it
//
// A count or a length is compared with the bytes that are left before anything is allocated for it.
// The file is mapped: strings, arrays and tensors are references into it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_GGUF_H
#define WEFT_IMPORT_GGUF_H

#include "weft/Import/TensorFile.h"
#include <optional>

namespace weft {

/// How GGUF stores the numbers of a tensor.
struct GgufType {
  uint32_t id;
  llvm::StringLiteral name;
  int64_t blockSize; ///< numbers of a block; rows are whole blocks
  int64_t bytes;     ///< of a block
  /// What the numbers are, if each stands for itself: blocks of one.
  std::optional<ElementType> element = std::nullopt;
};

/// All that are known, by their numbers.
llvm::ArrayRef<GgufType> ggufTypes();

/// The value of a key; lives as long as its file.
class GgufValue {
public:
  enum class Type : uint32_t {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    String,
    Array,
    U64,
    I64,
    F64
  };

  bool isArray() const { return type == Type::Array; }
  /// An integer that fits; a number of any type; a truth value; a string. Nothing otherwise.
  std::optional<int64_t> asInteger() const;
  std::optional<double> asReal() const;
  std::optional<bool> asBool() const;
  std::optional<llvm::StringRef> asString() const;

  /// Of an array: how many elements, and these.
  uint64_t size() const { return count; }
  std::vector<GgufValue> elements() const;

private:
  friend class GgufReader;
  Type type = Type::U8, elementType = Type::U8;
  uint64_t count = 0;    // of an array
  llvm::StringRef bytes; // of a string or an array without what says its length
};

/// A file that was checked; its data are mapped as long as this object lives.
class GgufFile : public TensorFile {
public:
  /// Opens and checks `path`. Errors read `path: error: ...` and name the key or the tensor.
  static llvm::Expected<GgufFile> open(llvm::StringRef path);
  /// Checks a file that is already in memory; its identifier takes the place of the path.
  static llvm::Expected<GgufFile> read(std::unique_ptr<llvm::MemoryBuffer> buffer);

  using Key = std::pair<std::string, GgufValue>;
  /// In the order of the file.
  llvm::ArrayRef<Key> keys() const { return keyList; }
  /// The value of `key`, or nullptr.
  const GgufValue *key(llvm::StringRef name) const;

private:
  using TensorFile::TensorFile;

  std::vector<Key> keyList;
  llvm::StringMap<size_t> keyIndices; // into keyList
};

/// The paths of all parts of a model that is split into files like model-00001-of-00003.gguf, of
/// which `path` is the first and says `count`.
llvm::Expected<std::vector<std::string>> ggufParts(llvm::StringRef path, int64_t count);

} // namespace weft

#endif // WEFT_IMPORT_GGUF_H
