//===- Rounding.h - what f32 makes of a number ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_ROUNDING_H
#define WEFT_LIB_REFERENCE_ROUNDING_H

#include "weft/Reference/Interpreter.h"

#include "llvm/ADT/bit.h"

#include <cmath>

namespace weft::reference {

inline bool roundsUp(double number, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::Up || arithmetic == Arithmetic::Down)
    return arithmetic == Arithmetic::Up;
  uint64_t bits = llvm::bit_cast<uint64_t>(number) * 0x9e3779b97f4a7c15;
  return (bits >> 63 != 0) == (arithmetic == Arithmetic::Mixed);
}

/// A number that f32 does not have becomes the nearest one, or one below or above it: the next, or
/// that so many `units` away. Others stay.
inline double roundNumber(double number, Arithmetic arithmetic, int units) {
  auto rounded = static_cast<float>(number);
  if (arithmetic == Arithmetic::Exact)
    return number;
  if (arithmetic == Arithmetic::Nearest || double(rounded) == number || !std::isfinite(rounded))
    return rounded;
  bool up = roundsUp(number, arithmetic);
  float end = up ? INFINITY : -INFINITY;
  // The nearest one may lie on that side already.
  if ((double(rounded) > number) == up)
    --units;
  for (; units > 0; --units)
    rounded = std::nextafter(rounded, end);
  return rounded;
}

} // namespace weft::reference

#endif
