//===- MatrixPlaces.cpp - Where the elements of a matrix are --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MatrixPlaces.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace weft {

std::vector<int64_t> getPlaces(ArrayRef<int64_t> shape, ArrayRef<unsigned> dims) {
  std::vector<int64_t> strides(shape.size(), 1), result(1, 0);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  for (unsigned dim : dims) {
    std::vector<int64_t> next;
    next.reserve(result.size() * size_t(shape[dim]));
    for (int64_t base : result)
      for (int64_t i = 0; i < shape[dim]; ++i)
        next.push_back(base + i * strides[dim]);
    result = std::move(next);
  }
  return result;
}

/// The longest runs of the indices `begin` to `end`.
std::vector<Run> findRuns(ArrayRef<int64_t> places, size_t begin, size_t end) {
  std::vector<Run> result;
  for (size_t i = begin; i < end; ++i)
    if (i > begin && places[i] == places[i - 1] + 1)
      ++result.back().size;
    else
      result.push_back({places[i], i, 1});
  return result;
}

SmallVector<unsigned> getOtherDims(size_t rank, ArrayRef<unsigned> dims) {
  SmallVector<unsigned> others;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!is_contained(dims, dim))
      others.push_back(dim);
  return others;
}

MatrixPlaces::MatrixPlaces(const PackedWeight &weight)
    : k(getPlaces(weight.source.shape, weight.kDims)),
      n(getPlaces(weight.source.shape, weight.nDims)), kRuns(findRuns(k, 0, k.size())) {
  byColumns = kRuns.size() < k.size() || weight.kr > 1;
  size_t nr = size_t(weight.nr);
  for (size_t first = 0; first < n.size() && !byColumns; first += nr)
    nRuns.push_back(findRuns(n, first, std::min(first + nr, n.size())));
}

} // namespace weft
