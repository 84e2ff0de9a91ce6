//===- TensorDistance.cpp - how far two tensors are apart -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Reference/Verify.h"
#include "weft/Support/Format.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace weft;

/// What counts as infinite in f32: compiled code may use the largest float for a masked score.
static bool isInfinite(double value) { return std::fabs(value) > 3e38; }

double weft::numberAt(const Tensor &tensor, int64_t i) {
  return tensor.isReal() ? tensor.reals[i] : double(tensor.integers[i]);
}

/// The distance of two elements; infinite if only one is a finite number.
static double distance(double expected, double actual) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual) ? 0.0 : INFINITY;
  if (isInfinite(expected) || isInfinite(actual))
    return isInfinite(expected) && isInfinite(actual) && (expected > 0) == (actual > 0) ? 0.0
                                                                                        : INFINITY;
  return std::fabs(expected - actual);
}

static double magnitude(const Tensor &tensor) {
  double largest = 0.0;
  for (double value : tensor.reals)
    if (!std::isnan(value) && !isInfinite(value))
      largest = std::max(largest, std::fabs(value));
  return largest;
}

std::optional<Difference> weft::compare(const Tensor &expected, const Tensor &actual,
                                        double tolerance) {
  Difference difference{};
  // A mean of numbers near 1 may be all cancellation: its error is theirs, however small it is.
  double scale = std::max(magnitude(expected), 1e-3);
  difference.limit = expected.isReal() ? tolerance * scale : 0.0;
  int64_t worst = -1;
  for (int64_t i = 0, e = expected.size(); i < e; ++i)
    if (double error = distance(numberAt(expected, i), numberAt(actual, i));
        error > difference.error || worst < 0) {
      difference.error = error;
      worst = i;
    }
  if (worst < 0 || difference.error <= difference.limit)
    return std::nullopt;
  difference.expected = numberAt(expected, worst);
  difference.actual = numberAt(actual, worst);
  for (auto [size, stride] : llvm::zip(expected.shape(), expected.strides()))
    difference.index.push_back(worst / stride % size);
  return difference;
}

double weft::relativeError(const Tensor &expected, const Tensor &actual) {
  std::optional<Difference> difference = compare(expected, actual, 0.0);
  return difference ? difference->error / std::max(magnitude(expected), 1e-3) : 0.0;
}

std::string weft::toString(const Difference &difference) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "formula '" << difference.formula << "'";
  if (!difference.location.empty())
    os << " (" << difference.location << ")";
  print(os, " differs by {:.3g} at [", difference.error);
  llvm::interleaveComma(difference.index, os);
  print(os, "]: expected {:.6g}, computed {:.6g}", difference.expected, difference.actual);
  return text;
}
