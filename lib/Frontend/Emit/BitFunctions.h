//===- BitFunctions.h - Functions of the bits of integers -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   bits(x, at, n)   the n bits of x from bit `at` on, a number of 0 to 2^n - 1
//   signed(x, n)     the lower n bits of x as a number of two's complement
//   half(x), bfloat(x), float8(x)   the real that has these bits: binary16, the upper half of a
//                    binary32, E4M3 without infinities
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_BITFUNCTIONS_H
#define WEFT_LIB_FRONTEND_EMIT_BITFUNCTIONS_H

#include "Env.h"

namespace weft::sema {

/// Whether the function is one of these.
bool isBitFunction(llvm::StringRef name);

/// Its value of as many arguments as it takes, each of which is a number; `formula` is null where a
/// compile-time value is needed.
Result callBitFunction(llvm::StringRef name, llvm::ArrayRef<Value> args, const ast::CallExpr &expr,
                       Formula *formula, Reporter &reporter);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_BITFUNCTIONS_H
