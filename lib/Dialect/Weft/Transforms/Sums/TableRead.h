//===- TableRead.h - where a factor of a sum reads its table --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_SUMS_TABLEREAD_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_SUMS_TABLEREAD_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// A factor of a sum that is an element of a row that each result chooses.
struct TableRead {
  /// Where the element is along a dimension: at an index, or as is computed.
  struct Place {
    std::optional<unsigned> index;
    mlir::AffineExpr expr; ///< of the formula's indices
    mlir::Value value;
  };

  /// Some places are indices, one of them summed over, the others computed from those of the
  /// result.
  static std::optional<TableRead> match(ReduceOp sum, mlir::Value factor);

  /// Whether positions of two indices of the result choose the row, and no data do.
  bool isDistance(ReduceOp sum) const;
  /// An index, named n, that goes through dimension `dim` of the table.
  IndexAttr getRows(unsigned dim) const;

  mlir::Value table;
  bool isInbounds = false;
  llvm::SmallVector<Place> places;
  llvm::SmallVector<unsigned> chosen; ///< dimensions of the table whose places are computed

private:
  bool matchPlaces(ReduceOp sum, mlir::Value factor);
};

} // namespace weft

#endif
