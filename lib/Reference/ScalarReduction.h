//===- ScalarReduction.h - the combining functions of reductions ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_SCALARREDUCTION_H
#define WEFT_LIB_REFERENCE_SCALARREDUCTION_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Reference/Tensor.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

namespace weft::reference {

/// sum, mean, max, min or prod of elements given one by one. Nothing at all gives 0 (prod: 1). max
/// and min pass over what is not a number: of nothing else they are -inf and inf.
class ScalarReduction {
public:
  ScalarReduction(ReduceKind kind, bool isReal) : kind(kind), isReal(isReal) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (isReal)
      value.real = neutral(-infinity, infinity);
    else
      value.integer = neutral(INT64_MIN, INT64_MAX);
  }

  void add(Scalar element) {
    if (isReal)
      value.real = combine(value.real, element.real);
    else
      value.integer = combine(value.integer, element.integer);
    ++count;
  }

  Scalar result() const {
    Scalar result = value;
    if (count == 0 && kind != ReduceKind::Prod)
      result = Scalar{};
    if (kind != ReduceKind::Mean || count == 0)
      return result;
    if (isReal)
      result.real /= double(count);
    else
      result.integer = llvm::divideFloorSigned(result.integer, count);
    return result;
  }

private:
  template <typename T> T neutral(T least, T largest) const {
    return kind == ReduceKind::Max    ? least
           : kind == ReduceKind::Min  ? largest
           : kind == ReduceKind::Prod ? 1
                                      : 0;
  }

  template <typename T> T combine(T a, T b) const {
    switch (kind) {
    case ReduceKind::Prod:
      return a * b;
    case ReduceKind::Max:
      return b > a ? b : a;
    case ReduceKind::Min:
      return b < a ? b : a;
    default:
      return a + b;
    }
  }

  ReduceKind kind;
  bool isReal;
  Scalar value;
  int64_t count = 0;
};

} // namespace weft::reference

#endif
