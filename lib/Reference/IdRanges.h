//===- IdRanges.h - which values of an input pass its checks ----------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_IDRANGES_H
#define WEFT_LIB_REFERENCE_IDRANGES_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft::reference {

/// Integers from `low` to `high`, both included.
struct IdRange {
  int64_t low = INT64_MIN, high = INT64_MAX;
};

/// The elements of `argument` for which the `weft.check`s of them hold, here or where it is passed
/// on, as far as sums and products with constants tell: `0 <= n[t] - 1 < 5` is [1, 5]. Nothing if
/// nothing is checked.
std::optional<IdRange> findIdRange(mlir::BlockArgument argument);

} // namespace weft::reference

#endif
