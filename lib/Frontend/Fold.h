//===- Fold.h - Arithmetic of compile time ---------------------*- C++ -*-===//
//
// Integers are checked for overflow, reals are computed in double precision; a result that is no
// number is an error here and not a surprise at run time.
//
//===----------------------------------------------------------------------===//
#ifndef WEFT_LIB_FRONTEND_FOLD_H
#define WEFT_LIB_FRONTEND_FOLD_H

#include "Reporter.h"

namespace weft::sema {

/// An operation on two numbers; nothing after an error at `range`.
std::optional<Value> foldBinary(ast::BinaryOp op, const Value &a, const Value &b, SourceRange range,
                                Reporter &reporter);

/// `- x`.
std::optional<Value> foldNegate(const Value &x, SourceRange range, Reporter &reporter);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_FOLD_H
