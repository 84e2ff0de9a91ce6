//===- Accumulator.h - what the loops of a reduction carry ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_ACCUMULATOR_H
#define WEFT_CODEGEN_COMMON_ACCUMULATOR_H

#include "weft/Codegen/Common/Combine.h"

namespace weft {

/// One element that is reduced, for every lane.
struct ReducedElement {
  mlir::Value value;
  mlir::Value position; ///< of argmax: its index as i64
  mlir::Value holds;    ///< whether it counts; null: always
};

/// Whether an argmax, or a place of an argtop, has `value` at `position` before the value and the
/// position `other`: the larger, of equal ones the first. What is no number is before nothing.
mlir::Value isBefore(LaneBuilder &lanes, mlir::Value value, mlir::Value position,
                     mlir::ValueRange other);

/// The values that the loops of one result carry: the reduced value, for argmax its index, and the
/// number of elements where a predicate makes it matter.
class Accumulator {
public:
  Accumulator(ReduceKind kind, mlir::Type element, bool hasPredicate)
      : kind(kind), element(element), hasPredicate(hasPredicate) {}

  bool isArgMax() const { return kind == ReduceKind::ArgMax; }
  bool reducesIndices() const { return element.isIndex(); }
  bool countsElements() const {
    return hasPredicate &&
           (kind == ReduceKind::Mean || kind == ReduceKind::Max || kind == ReduceKind::Min);
  }
  /// How many values are carried.
  unsigned size() const { return 1 + isArgMax() + countsElements(); }

  llvm::SmallVector<mlir::Value> getInits(LaneBuilder &lanes) const;
  /// The carried values after one more element.
  llvm::SmallVector<mlir::Value> add(LaneBuilder &lanes, mlir::ValueRange carried,
                                     const ReducedElement &next) const;
  /// What is carried after the elements of two parts of a row. `a` and `b` can change places.
  llvm::SmallVector<mlir::Value> merge(LaneBuilder &lanes, mlir::ValueRange a,
                                       mlir::ValueRange b) const;
  /// Replaces vectors of partial results by their combination.
  void combineLanes(LaneBuilder &lanes, llvm::MutableArrayRef<mlir::Value> carried) const;
  /// The same for several results (not of argmax), `carried` one after the other: lane i of what is
  /// returned is that of result i.
  llvm::SmallVector<mlir::Value> combineTogether(LaneBuilder &lanes,
                                                 llvm::ArrayRef<mlir::Value> carried) const;
  /// The result: a mean is divided (by `getCount()` if no elements are left out), and what has no
  /// elements is 0.
  mlir::Value finish(LaneBuilder &lanes, llvm::ArrayRef<mlir::Value> carried,
                     llvm::function_ref<Lanes()> getCount) const;

private:
  ReduceKind kind;
  mlir::Type element;
  bool hasPredicate;
};

} // namespace weft

#endif
