//===- SafeTensors.h - Reading and writing safetensors files --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A safetensors file is an 8-byte little-endian length, that many bytes of JSON, and the data:
//
//   {"__metadata__": {"format": "pt"}, "wte.weight": {"dtype": "F32", "shape": [97, 48],
//    "data_offsets": [0, 18624]}, ...}
//
// The reader is strict, because a lenient reader and a lenient writer can disagree about what a
// file holds: the header has at most 100 MB, dtype times shape is the size of the range, the ranges
// lie one after another without a gap and cover the data to its end, no name appears twice.
// The file is mapped; no tensor is copied.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_SAFETENSORS_H
#define WEFT_IMPORT_SAFETENSORS_H

#include "weft/Support/Elements.h"
#include "weft/Support/TensorSize.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>
#include <vector>

namespace weft {

/// "[2, 3]"; "[]" for a scalar.
std::string shapeString(llvm::ArrayRef<int64_t> shape);

/// A tensor that lies somewhere in memory: row-major, little-endian, of any alignment.
struct StoredTensor {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  llvm::ArrayRef<uint8_t> bytes;

  /// The number of elements.
  int64_t count() const { return int64_t(bytes.size() / infoOf(type).bytes()); }
};

/// A file that was checked; its data are mapped as long as this object lives.
class SafeTensorsFile {
public:
  /// Opens and checks `path`. Errors read `path: error: ...` and name the tensor.
  static llvm::Expected<SafeTensorsFile> open(llvm::StringRef path);
  /// Checks a file that is already in memory; its identifier takes the place of the path.
  static llvm::Expected<SafeTensorsFile> read(std::unique_ptr<llvm::MemoryBuffer> buffer);

  /// The tensors in the order of their data. Their bytes live as long as this object.
  llvm::ArrayRef<StoredTensor> tensors() const { return list; }
  /// The tensor called `name`, or nullptr.
  const StoredTensor *find(llvm::StringRef name) const;
  /// The texts of `__metadata__`.
  const std::map<std::string, std::string> &metadata() const { return meta; }
  /// Where it was read from.
  llvm::StringRef path() const { return buffer->getBufferIdentifier(); }

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<StoredTensor> list;
  llvm::StringMap<size_t> indices; // into list
  std::map<std::string, std::string> meta;
};

/// Writes `tensors` to `path`, all or nothing. Names must be distinct and `bytes` of the size that
/// type and shape say. Larger element types come first, so that every tensor is aligned.
llvm::Error writeSafeTensors(llvm::StringRef path, llvm::ArrayRef<StoredTensor> tensors,
                             const std::map<std::string, std::string> &metadata = {});
/// The same into a stream.
void writeSafeTensors(llvm::raw_ostream &os, llvm::ArrayRef<StoredTensor> tensors,
                      const std::map<std::string, std::string> &metadata = {});

} // namespace weft

#endif // WEFT_IMPORT_SAFETENSORS_H
