//===- SplitReals.cpp - reals as sums of numbers of bf16 --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Import/SplitReals.h"

#include "weft/Support/Elements.h"

using namespace llvm;

namespace weft {

void splitReal(float value, MutableArrayRef<uint16_t> parts) {
  for (uint16_t &part : parts) {
    convertFromFloat(ElementType::BF16, value, reinterpret_cast<uint8_t *>(&part));
    value -= float(loadReal(ElementType::BF16, reinterpret_cast<const uint8_t *>(&part), 0));
  }
}

double joinParts(ArrayRef<uint16_t> parts) {
  double sum = 0;
  for (const uint16_t &part : parts)
    sum += loadReal(ElementType::BF16, reinterpret_cast<const uint8_t *>(&part), 0);
  return sum;
}

std::vector<uint16_t> splitPanel(ArrayRef<float> panel, int64_t size, int64_t parts) {
  std::vector<uint16_t> split(panel.size() * size_t(parts));
  SmallVector<uint16_t, 3> numbers(size_t(parts), 0);
  for (size_t i = 0; i != panel.size(); ++i) {
    splitReal(panel[i], numbers);
    size_t step = i / size_t(size), place = i % size_t(size);
    for (size_t part = 0; part != numbers.size(); ++part)
      split[(step * numbers.size() + part) * size_t(size) + place] = numbers[part];
  }
  return split;
}

} // namespace weft
