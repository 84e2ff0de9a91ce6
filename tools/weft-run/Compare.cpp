//===- Compare.cpp - how far a result is from what is expected ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Execute.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace weft;

static double largestMagnitude(const StoredTensor &tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (double value = std::abs(realAt(tensor, i)); std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

bool weft::compare(const StoredTensor &got, const StoredTensor &expected, Tolerance tolerance,
                   llvm::raw_ostream &os) {
  os << got.name << ": ";
  if (got.shape != expected.shape) {
    os << "MISMATCH: shape is " << shapeString(got.shape) << ", expected "
       << shapeString(expected.shape) << "\n";
    return false;
  }
  double allowed = isRealType(got.type)
                       ? tolerance.relative * largestMagnitude(expected) + tolerance.absolute
                       : 0;
  double worst = 0;
  int64_t place = 0, wrong = 0;
  for (int64_t i = 0; i < got.count(); ++i) {
    double value = realAt(got, i), wanted = realAt(expected, i);
    // Infinities of one sign agree; anything with NaN does not.
    double difference = value == wanted ? 0 : std::abs(value - wanted);
    if (std::isnan(difference))
      difference = std::numeric_limits<double>::infinity();
    wrong += difference > allowed;
    if (difference > worst) {
      worst = difference;
      place = i;
    }
  }
  if (wrong)
    os << "MISMATCH: " << wrong << " of " << got.count() << " elements; ";
  os << "largest difference " << llvm::format("%.3g", worst);
  if (worst > 0)
    os << " at " << positionText(got.shape, place) << " (got "
       << llvm::format("%.9g", realAt(got, place)) << ", expected "
       << llvm::format("%.9g", realAt(expected, place)) << ")";
  os << ", allowed " << llvm::format("%.3g", allowed) << "\n";
  return wrong == 0;
}
