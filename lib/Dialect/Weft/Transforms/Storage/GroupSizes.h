//===- GroupSizes.h - over how many neighbours a scalar is the same -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_GROUPSIZES_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_GROUPSIZES_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/DenseMap.h"

namespace weft {

/// Says of the values in a formula's region how long groups of neighbours along an index of known
/// range are that have the same value, groups being counted from 0: a divisor of the range, which
/// is given for what does not depend on the index at all. 1 is always right.
class GroupSizes {
public:
  GroupSizes(MapOp op, unsigned index)
      : op(op), index(index), size(op.getIndexAttr(index).getSize()) {}

  int64_t of(mlir::Value value);
  int64_t getRange() const { return size; }

private:
  int64_t find(mlir::Value value);
  int64_t ofExpr(mlir::AffineExpr expr);
  template <typename T> int64_t ofSequence(llvm::ArrayRef<T> values) const;

  MapOp op;
  unsigned index;
  int64_t size;
  llvm::DenseMap<mlir::Value, int64_t> known;
};

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_GROUPSIZES_H
