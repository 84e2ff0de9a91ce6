//===- ScalarBuilder.h - Typed operations of a formula --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Makes the nodes of one formula and applies the language's conversions: an integer becomes a real
// where a real is on the other side, a condition never becomes a number. Every function that gives
// a node gives null after an error, and passes a null operand on.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_SCALARBUILDER_H
#define WEFT_LIB_FRONTEND_EMIT_SCALARBUILDER_H

#include "Sema/Reporter.h"
#include "Sema/Scalar.h"

namespace weft::sema {

class ScalarBuilder {
public:
  ScalarBuilder(Reporter &reporter, Formula &formula) : reporter(reporter), formula(formula) {}

  /// The value as an element of the formula.
  Scalar *toScalar(const Value &value, SourceRange range);
  /// The same, which must be a condition, or a number.
  Scalar *toCondition(const Value &value, SourceRange range);
  Scalar *toNumber(const Value &value, SourceRange range);
  Scalar *toReal(Scalar *scalar, SourceRange range);
  /// Makes both integers or both reals (or leaves both conditions); false after an error.
  bool promote(Scalar *&a, Scalar *&b, SourceRange range);

  /// The element of a whole tensor at the formula's own indices, which the first tensor gives.
  Scalar *wholeElement(const Tensor &tensor, SourceRange range);
  /// The element at the formula's own indices.
  Scalar *elementAtOutputs(const Tensor &tensor, SourceRange range);

  /// An arithmetic operation or a comparison; the ranges are those of its operands and of it all.
  Scalar *binary(ast::BinaryOp op, Scalar *x, Scalar *y, SourceRange xRange, SourceRange yRange,
                 SourceRange range);
  /// An operation on operands of the right types.
  Scalar *add(ScalarOp op, ast::ElementKind type, SourceRange range, llvm::ArrayRef<Scalar *> args);
  /// `node`, or an error that the formula is too large.
  Scalar *checked(Scalar *node, SourceRange range);

private:
  Scalar *power(Scalar *base, Scalar *exponent, SourceRange range);
  Scalar *productPower(Scalar *base, int64_t exponent, SourceRange range);
  bool adoptShape(const Tensor &tensor, SourceRange range);

  Reporter &reporter;
  Formula &formula;
};

/// The node as the result of an expression; nothing for null.
inline std::optional<Value> toResult(Scalar *node) {
  return node ? std::optional(Value::makeScalar(node)) : std::nullopt;
}

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_SCALARBUILDER_H
