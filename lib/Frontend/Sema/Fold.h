//===- Fold.h - Arithmetic of compile time --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Integers are checked for overflow, reals are computed in double precision; a result that is no
// number is an error here and not a surprise at run time.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_FOLD_H
#define WEFT_LIB_FRONTEND_SEMA_FOLD_H

#include "Reporter.h"

namespace weft::sema {

/// An operation on two numbers; nothing after an error at `range`.
std::optional<Value> foldBinary(ast::BinaryOp op, const Value &a, const Value &b, SourceRange range,
                                Reporter &reporter);

/// `- x`.
std::optional<Value> foldNegate(const Value &x, SourceRange range, Reporter &reporter);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_FOLD_H
