//===- Compare.cpp - how far a result is from what is expected ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Compare.h"

#include <cmath>
#include <limits>

using namespace weft;

namespace {

// Which elements of a tensor count: all, or those at positions that a mask does not leave out.
class Compared {
public:
  Compared(const StoredTensor &tensor, const StoredTensor *mask) {
    if (!mask || tensor.shape.size() < mask->shape.size() ||
        llvm::ArrayRef(tensor.shape).take_front(mask->shape.size()) != llvm::ArrayRef(mask->shape))
      return;
    positions = mask;
    elements = mask->count() ? tensor.count() / mask->count() : 1;
  }
  bool operator()(int64_t i) const { return !positions || realAt(*positions, i / elements) != 0; }

private:
  const StoredTensor *positions = nullptr;
  int64_t elements = 1; // at each position
};

} // namespace

static double largestMagnitude(const StoredTensor &tensor, const Compared &compared) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (double value = std::abs(realAt(tensor, i)); compared(i) && std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

Comparison weft::compare(const StoredTensor &got, const StoredTensor &expected, Tolerance tolerance,
                         const StoredTensor *mask) {
  Comparison result;
  result.sameShape = got.shape == expected.shape;
  if (!result.sameShape)
    return result;
  Compared compared(expected, mask);
  if (infoOf(got.type).isReal())
    result.allowed = tolerance.relative * largestMagnitude(expected, compared) + tolerance.absolute;
  for (int64_t i = 0; i < got.count(); ++i) {
    if (!compared(i))
      continue;
    ++result.compared;
    double value = realAt(got, i), wanted = realAt(expected, i);
    // Infinities of one sign agree; anything with NaN does not.
    double difference = value == wanted ? 0 : std::abs(value - wanted);
    if (std::isnan(difference))
      difference = std::numeric_limits<double>::infinity();
    result.wrong += difference > result.allowed;
    if (difference > result.worst) {
      result.worst = difference;
      result.place = i;
    }
  }
  return result;
}
