//===- ExpandScaled.h - codes of a table as reals -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_EXPANDSCALED_H
#define WEFT_LIB_CODEGEN_CPU_EXPANDSCALED_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Support/CodeTable.h"

namespace weft {

/// Reads a panel's lines and what its groups share, a vector of columns after the other.
class ScaledReader {
public:
  ScaledReader(LaneBuilder &lanes, const ScaledPanel &panel, mlir::Value source)
      : lanes(lanes), panel(panel), source(source) {}

  mlir::Value getByte(const Lanes &place);
  llvm::SmallVector<mlir::Value> loadVectors(const Lanes &place, mlir::Type memory);
  /// The scales of group `number`, or its shifts, as f32.
  llvm::SmallVector<mlir::Value> loadShared(const Lanes &number, bool isShift);

private:
  llvm::SmallVector<mlir::Value> loadReals(const Lanes &place, ElementType type);

  LaneBuilder &lanes;
  const ScaledPanel &panel;
  mlir::Value source;
};

/// What `expandScaled` writes of so many rows.
int64_t getExpandedBytes(const ScaledPanel &panel, int64_t rows);

/// Writes the rows `firstK` to `firstK + sizeK - 1` of the panel at `source` to `target`, as a
/// panel of f32 has them. They are whole groups, or whole bytes of the only one. Lines that lie so
/// many bytes `ahead` of those that are read are fetched, 0: none.
void expandScaled(LaneBuilder &lanes, const ScaledPanel &panel, mlir::Value source,
                  mlir::Value target, const Lanes &firstK, const Lanes &sizeK, int64_t ahead);

/// sums[i * vectors of a panel + v] += the products of the same rows of the panel with the f32 at
/// `rows[i]`, which are `stride` apart. What lies `ahead` bytes behind the codes is fetched beside
/// them, if `ahead` is not 0.
llvm::SmallVector<mlir::Value> multiplyScaled(LaneBuilder &lanes, const ScaledPanel &panel,
                                              mlir::Value source, llvm::ArrayRef<mlir::Value> rows,
                                              const Lanes &stride, const Lanes &firstK,
                                              const Lanes &sizeK, int64_t ahead,
                                              mlir::ValueRange sums);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_EXPANDSCALED_H
