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

#include "weft/Import/TensorFile.h"
#include <map>

namespace weft {

/// A file that was checked; its data are mapped as long as this object lives.
class SafeTensorsFile : public TensorFile {
public:
  /// Opens and checks `path`. Errors read `path: error: ...` and name the tensor.
  static llvm::Expected<SafeTensorsFile> open(llvm::StringRef path);
  /// Checks a file that is already in memory; its identifier takes the place of the path.
  static llvm::Expected<SafeTensorsFile> read(std::unique_ptr<llvm::MemoryBuffer> buffer);

  /// The texts of `__metadata__`.
  const std::map<std::string, std::string> &metadata() const { return meta; }

private:
  using TensorFile::TensorFile;

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
