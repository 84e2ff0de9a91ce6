//===- MatrixPlaces.h - Where the elements of a matrix are ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_MATRIXPLACES_H
#define WEFT_LIB_IMPORT_MATRIXPLACES_H

#include "weft/Import/WeightPacker.h"

namespace weft {

/// Consecutive places: those of the indices `begin` to `begin + size`.
struct Run {
  int64_t place;
  size_t begin, size;
};

/// The place in a row-major tensor of every value of the index that `dims` make up together.
std::vector<int64_t> getPlaces(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> dims);

/// What lies side by side of the places number `begin` to `end - 1`.
std::vector<Run> findRuns(llvm::ArrayRef<int64_t> places, size_t begin, size_t end);

/// The dimensions of a tensor of this rank that are not among `dims`.
llvm::SmallVector<unsigned> getOtherDims(size_t rank, llvm::ArrayRef<unsigned> dims);

/// Where the elements of a weight's matrices are in its view, counted from the first of a matrix:
/// alike in all of them.
struct MatrixPlaces {
  explicit MatrixPlaces(const PackedWeight &weight);

  std::vector<int64_t> k, n;
  /// Where K is contiguous a column of the panel is read at once, otherwise a row is.
  bool byColumns;
  std::vector<Run> kRuns;
  std::vector<std::vector<Run>> nRuns; ///< of each panel, if rows are read
};

} // namespace weft

#endif // WEFT_LIB_IMPORT_MATRIXPLACES_H
