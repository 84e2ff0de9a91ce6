//===- TensorPart.cpp - what of a tensor belongs to some positions --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/TensorPart.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

TensorPart::TensorPart(llvm::ArrayRef<Dim> dims, llvm::ArrayRef<int64_t> whole, int64_t first,
                       int64_t count)
    : whole(whole) {
  for (auto [dim, size] : llvm::zip_equal(dims, whole)) {
    start.push_back(dim == Dim::New ? first : 0);
    extent.push_back(dim == Dim::New ? count : dim == Dim::Seen ? first + count : size);
  }
}

int64_t TensorPart::size() const {
  int64_t count = 1;
  for (int64_t e : extent)
    count *= e;
  return count;
}

void TensorPart::forEach(llvm::function_ref<void(int64_t, int64_t)> visit) const {
  for (int64_t i = 0, n = size(); i != n; ++i) {
    int64_t place = 0, stride = 1, rest = i;
    for (size_t d = extent.size(); d-- > 0; rest /= extent[d], stride *= whole[d])
      place += stride * (start[d] + rest % extent[d]);
    visit(place, i);
  }
}
