//===- Accumulator.h - the combining functions of reductions --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_ACCUMULATOR_H
#define WEFT_LIB_REFERENCE_ACCUMULATOR_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Reference/Tensor.h"

#include "llvm/Support/MathExtras.h"

namespace weft::reference {

/// sum, mean, max, min or prod of elements given one by one. Nothing at all gives 0 (prod: 1).
class Accumulator {
public:
  Accumulator(ReduceKind kind, bool isReal) : kind(kind), isReal(isReal) {
    if (isReal)
      value.real = kind == ReduceKind::Prod ? 1.0 : 0.0;
    else
      value.integer = kind == ReduceKind::Prod ? 1 : 0;
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
    if (kind != ReduceKind::Mean || count == 0)
      return result;
    if (isReal)
      result.real /= double(count);
    else
      result.integer = llvm::divideFloorSigned(result.integer, count);
    return result;
  }

private:
  template <typename T> T combine(T a, T b) const {
    switch (kind) {
    case ReduceKind::Prod:
      return a * b;
    case ReduceKind::Max:
      return count == 0 || b > a ? b : a;
    case ReduceKind::Min:
      return count == 0 || b < a ? b : a;
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
