//===- TensorFile.h - A file of named tensors -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What all formats of files have in common: the file is mapped, checked, and its tensors are found
// by name; no tensor is copied.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_TENSORFILE_H
#define WEFT_IMPORT_TENSORFILE_H

#include "weft/Support/CodeTable.h"
#include "weft/Support/Elements.h"
#include "weft/Support/TensorSize.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <vector>

namespace weft {

/// "[2, 3]"; "[]" for a scalar.
std::string shapeString(llvm::ArrayRef<int64_t> shape);

/// A part of numbers that are codes: whole numbers below 256, what the members of a group share,
/// and what the groups of a span do.
enum class CodesPart { Codes, Scales, Shifts, OuterScales, OuterShifts };

/// How numbers are codes: by which table, and how many neighbours in row-major order share a scale.
struct StoredCodes {
  CodeTable table = CodeTable::None;
  int64_t group = 0;

  bool operator==(const StoredCodes &other) const {
    return table == other.table && group == other.group;
  }
};

/// Reals that are computed where they are read.
class TensorValues {
public:
  virtual ~TensorValues();
  /// The elements `first`, `first + 1`, ... in row-major order.
  virtual void read(int64_t first, llvm::MutableArrayRef<float> out) = 0;
  /// All of them, by the reference interpreter.
  virtual llvm::Expected<std::vector<double>> interpret() = 0;
  /// Not empty: what went wrong; what was read is of no use.
  virtual llvm::StringRef failure() const = 0;
  /// What they are made of takes so many bytes.
  virtual uint64_t storedBytes() const = 0;
  /// If they are codes and what these stand for.
  virtual std::optional<StoredCodes> findCodes() { return std::nullopt; }
  /// The codes of the elements `first`, `first + 1`, ..., or what their groups share, from group
  /// `first` on.
  virtual void readCodes(CodesPart part, int64_t first, llvm::MutableArrayRef<float> out) {}
};

/// A tensor that lies somewhere in memory: row-major, little-endian, of any alignment.
struct StoredTensor {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  llvm::ArrayRef<uint8_t> bytes;
  /// Not empty: the tensor is of blocks of a format ("Q4_K") that stand for `blockSize` numbers
  /// each. Its elements are then the blocks' bytes, its shape is [..., blocks, bytes of a block].
  std::string format = {};
  int64_t blockSize = 1;
  /// Not null: its elements are these, and `format` says by which rule; there are no bytes.
  std::shared_ptr<TensorValues> values = nullptr;

  /// The number of elements.
  int64_t count() const {
    return values ? *elementCount(shape) : int64_t(bytes.size() / infoOf(type).bytes());
  }
  /// The numbers that they stand for.
  int64_t numbers() const {
    return values || format.empty() ? count() : count() / shape.back() * blockSize;
  }
  /// The bytes in the file.
  uint64_t storedBytes() const { return values ? values->storedBytes() : bytes.size(); }
  /// How they are stored, as the file says it: "BF16", "Q4_K".
  llvm::StringRef storedAs() const {
    llvm::StringRef typeName = infoOf(type).fileName;
    return format.empty() ? typeName : llvm::StringRef(format);
  }
};

/// A file that was checked; its data are mapped as long as this object lives.
class TensorFile {
public:
  /// The tensors in the order of their data. Their bytes live as long as this object.
  llvm::ArrayRef<StoredTensor> tensors() const { return list; }
  /// The tensor called `name`, or nullptr.
  const StoredTensor *find(llvm::StringRef name) const;
  /// Where it was read from.
  llvm::StringRef path() const { return buffer->getBufferIdentifier(); }

protected:
  /// Names must be distinct.
  TensorFile(std::unique_ptr<llvm::MemoryBuffer> buffer, std::vector<StoredTensor> tensors);

private:
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<StoredTensor> list;
  llvm::StringMap<size_t> indices; // into list
};

} // namespace weft

#endif // WEFT_IMPORT_TENSORFILE_H
