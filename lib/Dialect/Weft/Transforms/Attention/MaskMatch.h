//===- MaskMatch.h - masks in the value of a formula ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A value is masked if, where a condition fails, it is what counts for nothing in the sum around
// it: minus infinity among the scores of a softmax, 0 among the terms of a sum.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_MASKMATCH_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_MASKMATCH_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// `if condition then value else constant`, or the other way round.
struct MaskedValue {
  mlir::Value value, condition;
  bool negated; ///< the constant where the condition holds
  double constant;
};

/// The value of a select whose other value is a constant that `isMask` accepts.
std::optional<MaskedValue> matchMasked(mlir::Value value, llvm::function_ref<bool(double)> isMask);

/// A mask, and what takes it off: setting `place` to `unmasked`.
struct MaskMatch {
  mlir::OpOperand *place;
  mlir::Value unmasked, condition;
  bool negated;          ///< masked where the condition holds
  bool isNeutral = true; ///< or only as good as: a very negative number

  void takeOff() const { place->set(unmasked); }
};

/// Finds a mask in the score at `place`: `if p then e else -inf` or `e + (if p then 0 else -inf)`.
/// A constant not above `threshold` counts as minus infinity.
std::optional<MaskMatch> matchScoreMask(mlir::OpOperand &place, double threshold);

/// Finds a mask in the term at `place`: `if p then e else 0`, or a factor of that form.
std::optional<MaskMatch> matchTermMask(mlir::OpOperand &place);

/// Ands `condition` of `body` (its negation) to `predicate`, a region of the same formula whose
/// arguments are those of `body` behind the first `numLeading`.
void addConjunct(mlir::Region &body, mlir::Region &predicate, unsigned numLeading,
                 mlir::Value condition, bool negated);

} // namespace weft

#endif
