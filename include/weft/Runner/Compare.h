//===- Compare.h - how far a result is from what is expected --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_COMPARE_H
#define WEFT_RUNNER_COMPARE_H

#include "weft/Runner/Tensors.h"

namespace weft {

/// How far a result may be from what is expected: reals agree if
/// |got - expected| <= relative * (the largest |expected| of the tensor) + absolute,
/// ids and truth values if they are equal.
struct Tolerance {
  double relative = 2e-5;
  double absolute = 1e-5;
};

/// What the comparison of two tensors found.
struct Comparison {
  bool sameShape = true; ///< otherwise nothing else is known
  int64_t wrong = 0;     ///< elements that differ by more than is allowed
  double worst = 0;      ///< the largest difference, and the row-major number of its element
  int64_t place = 0;
  double allowed = 0;
  int64_t compared = 0; ///< elements that the mask leaves

  bool agrees() const { return sameShape && wrong == 0; }
};

/// Of infinities those of one sign agree; NaN never does. A tensor whose dimensions begin with
/// those of `mask` is compared where the mask is not 0; `mask` may be null.
Comparison compare(const StoredTensor &got, const StoredTensor &expected, Tolerance tolerance,
                   const StoredTensor *mask);

} // namespace weft

#endif // WEFT_RUNNER_COMPARE_H
