//===- RowGroup.h - formulas over the same rows ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What `weft-fuse-rows` makes one op of: reductions along one axis and the maps that read them,
// each at the place that it computes. A group begins with a reduction and takes in what reads it,
// then what only it reads.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ROWS_ROWGROUP_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ROWS_ROWGROUP_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace weft {

/// The positions of a formula's indices among those of others, as far as they are known.
using Place = llvm::SmallVector<unsigned>;
inline constexpr unsigned kNowhere = ~0u;

/// Notes that index `index` of a formula is the others' `position`; false if it is another.
bool assignPlace(Place &place, unsigned index, unsigned position);
/// Whether all places are known and each index has the range of that at its place.
bool isPlaceInRange(llvm::ArrayRef<IndexAttr> indices, llvm::ArrayRef<unsigned> place,
                    llvm::ArrayRef<IndexAttr> others);

class RowGroup {
public:
  /// The group of everything that can be computed with `seed`, which is in no other group.
  explicit RowGroup(ReduceOp seed);

  /// Whether there are rows that somebody reads.
  bool isRow() const;

  /// The indices of the rows, then the axis.
  llvm::ArrayRef<IndexAttr> getIndices() const { return indices; }
  unsigned getAxis() const { return indices.size() - 1; }
  bool contains(mlir::Operation *op) const { return op && places.contains(op); }
  bool isMade(mlir::Value value) const { return contains(value.getDefiningOp()); }
  llvm::ArrayRef<unsigned> getPlace(mlir::Operation *op) const { return places.find(op)->second; }
  /// Whether the formula's result has an element for every value of the axis.
  bool isAlongAxis(mlir::Operation *op) const;
  /// The formulas in the order of their block.
  llvm::SmallVector<FormulaOpInterface> getMembers() const;
  bool isReadElsewhere(mlir::Operation *op) const;
  /// The first formula that needs what the group makes; null if there is none.
  mlir::Operation *getFirstReader() const;

private:
  using Places = llvm::MapVector<mlir::Operation *, Place>;

  bool join(mlir::Operation *op);
  mlir::Operation *findReader(const llvm::SmallPtrSetImpl<mlir::Operation *> &tried) const;
  bool joinSources(mlir::Operation *op);
  bool findPlace(FormulaOpInterface op, Place &place) const;
  bool completePlace(FormulaOpInterface op, Place &place) const;
  bool isPossible() const;
  bool isWorthwhile() const;
  llvm::DenseMap<mlir::Operation *, unsigned> countRegions() const;
  /// The members of whose elements a region of `op` computes one.
  llvm::SmallPtrSet<mlir::Operation *, 8> getComputedWith(mlir::Operation *op) const;

  llvm::SmallVector<IndexAttr> indices;
  Places places;
};

} // namespace weft

#endif
