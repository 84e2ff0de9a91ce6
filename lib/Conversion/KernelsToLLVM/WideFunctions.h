//===- WideFunctions.h - functions of f32 whose way leads through f64 -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Sines of large arguments, as rotary positions have them, and powers lose their digits in f32. In
// vectors of f64, of which two hold the lanes, they take less than what keeps the digits otherwise,
// and nothing special is left of subnormal numbers. Results are those of libm but for one in some
// thousands, which is the other neighbour of what is exact.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_KERNELSTOLLVM_WIDEFUNCTIONS_H
#define WEFT_LIB_CONVERSION_KERNELSTOLLVM_WIDEFUNCTIONS_H

#include "mlir/IR/Builders.h"

namespace weft {

/// From here on sines are libm's.
inline constexpr double kFarArgument = 0x1p26;

/// sin(x), and cos(x), where |x| < kFarArgument.
mlir::Value emitNearSine(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value emitNearCosine(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
/// x^y, with C's results for zeros, infinities, NaN and negative x.
mlir::Value emitPower(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_KERNELSTOLLVM_WIDEFUNCTIONS_H
