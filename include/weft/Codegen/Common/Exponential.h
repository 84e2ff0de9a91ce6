//===- Exponential.h - powers of two for softmaxes ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_EXPONENTIAL_H
#define WEFT_CODEGEN_COMMON_EXPONENTIAL_H

#include "weft/Codegen/Common/Lanes.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

namespace weft {

/// e^x is 2^(x * kLog2E).
inline constexpr float kLog2E = llvm::numbers::log2ef;

/// Stands for the maximum of no scores: finite, so that differences are never NaN.
inline constexpr float kLowest = std::numeric_limits<float>::lowest();

/// A score s below -8e37 is s / kLimitedFactor - kLimitedOffset in attentions where such ones are
/// to be expected: above kLowest if it is finite, even if it is multiplied with log2(e).
inline constexpr float kLimitedFactor = 4, kLimitedOffset = 6e37f;

/// 2^x for -126 <= x <= 127, exactly where x is whole, within 2 ulp; below that nearly or exactly
/// 0, and exactly for x <= -127, minus infinity included. NaN stays NaN. If it is to be rounded to
/// bf16, within 1.1e-4 of it, at most 2^-126 below that and exactly 0 for minus infinity, and
/// infinity for x >= 128. The weight of a key, beside others up to 1 and more, may be 0 below
/// 2^kLeastWeight: products with smaller ones are subnormal, and take some processors a hundred
/// times as long.
mlir::Value emitExp2(LaneBuilder &lanes, mlir::Value x, Power power = Power::Exact);
inline constexpr float kLeastWeight = -100;

/// The same by arithmetic that every target has, and the polynomial in it: 2^f for |f| <= 1/2.
mlir::Value emitPlainExp2(LaneBuilder &lanes, mlir::Value x, Power power);
mlir::Value emitExp2OfFraction(LaneBuilder &lanes, mlir::Value fraction, bool isRounded);

/// A score as an exponent of two, of which the largest of its row is subtracted. It is rounded as
/// that one was: of scores of -1e30 what rounding took away would be a power beyond all numbers.
mlir::Value emitExponent(LaneBuilder &lanes, mlir::Value score, float factor = kLog2E);

/// The logarithm of a row's sum of exponentials: `total` is relative to the largest score,
/// `largest` that one in units of log2(e). Infinity where the row has none.
mlir::Value emitLogSum(LaneBuilder &lanes, mlir::Value largest, mlir::Value total);

/// The largest score of a row itself, minus infinity where the row has none.
mlir::Value emitLargestScore(LaneBuilder &lanes, mlir::Value largest, mlir::Value total);

/// What sums of weighted values are multiplied with, of the sum of weights: 0 where the row has
/// none.
mlir::Value emitReciprocal(LaneBuilder &lanes, mlir::Value total);

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_EXPONENTIAL_H
