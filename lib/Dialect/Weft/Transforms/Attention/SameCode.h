//===- SameCode.h - the same number, computed in two formulas -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_SAMECODE_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_SAMECODE_H

#include "FormulaBuilder.h"
#include "MaskMatch.h"

namespace weft {

/// Code of several formulas, over the indices of one.
class FormulaCode {
public:
  explicit FormulaCode(FormulaOpInterface like) : formula(like.getContext(), like.getIndexList()) {}

  /// What the body of `op` computes as `value`, for these values of its indices.
  mlir::Value emit(FormulaOpInterface op, mlir::Value value, const IndexValues &indices);
  /// The predicate of a reduction or a softmax; null if it has none.
  mlir::Value emitPredicate(FormulaOpInterface op, const IndexValues &indices);

  FormulaBuilder formula;
};

/// Whether two values of regions under construction, over the same indices, are the same operations
/// of the same elements, in whatever order these stand in their regions.
bool isSameCode(FormulaBuilder &a, mlir::Value ofA, FormulaBuilder &b, mlir::Value ofB);
/// The same where both may be null, if they both are.
bool isSameCode(FormulaCode &a, mlir::Value ofA, FormulaCode &b, mlir::Value ofB);

/// Under which conditions a formula counts an element, all of which must hold.
class Conditions {
public:
  explicit Conditions(FormulaCode &code) : code(code) {}

  void addPredicate(FormulaOpInterface op, const IndexValues &indices);
  /// What the body of `op` lets through.
  void addMasks(FormulaOpInterface op, llvm::ArrayRef<MaskedValue> masks,
                const IndexValues &indices);
  /// Whether each of them is this predicate: none if it is null.
  bool areAll(FormulaCode &other, mlir::Value predicate) const;

private:
  FormulaCode &code;
  llvm::SmallVector<mlir::Value> values;
  bool areKnown = true; ///< false with one that is negated
};

} // namespace weft

#endif
