//===- WideMath.h - functions of f32 whose way leads through f64 ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Sines of large arguments, as rotary positions have them, and powers lose their digits in f32.
// Both are rare: a few operations of f64 cost less than what keeps the digits otherwise.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_NVXTOLLVM_WIDEMATH_H
#define WEFT_LIB_CONVERSION_NVXTOLLVM_WIDEMATH_H

#include "mlir/IR/Builders.h"

namespace weft {

/// sin(x), and cos(x), for an f32: NaN for |x| >= 2^52.
mlir::Value emitSin(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitCos(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
/// x^y of f32 numbers, with C's results for zeros, infinities, NaN and negative x.
mlir::Value emitPow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_NVXTOLLVM_WIDEMATH_H
