//===- RowScale.h - what does not depend on the scale of its row ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Weights exp(z - m) over their sum are the same for every m. A number x of each row is followed
// through the formulas: what is made of it is c * x + a, or exp(c * x) * a, with an `a` that is
// free of x, until x cancels, or something else is made of it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWSCALE_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_ROWSCALE_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// How a number depends on the x of its row.
struct RowForm {
  enum Kind {
    Zero,   ///< 0, which is free of x and any multiple of exp(x)
    Free,   ///< not at all
    Linear, ///< rate * x + a
    Scaled, ///< exp(rate * x) * a
    Unknown
  } kind = Free;
  double rate = 0;

  bool isFree() const { return kind == Zero || kind == Free; }
  bool operator==(const RowForm &other) const { return kind == other.kind && rate == other.rate; }
};

class RowScale {
public:
  /// The element of `tensor` is `form` of the x of its row, which `row`, a map of the tensor's
  /// dimensions, gives.
  void start(mlir::Value tensor, mlir::AffineMap row, RowForm form);

  /// What the formula yields, if input `input` alone is x.
  static RowForm getYield(FormulaOpInterface formula, unsigned input);

  /// What was started with, and what was made of it that is not free of x.
  llvm::SmallVector<mlir::Value> getTensors() const;

  /// Whether x cancels in all that is made of the tensors by other formulas than those in `known`.
  bool cancels(mlir::ArrayRef<mlir::Operation *> known);

private:
  struct Tensor {
    mlir::AffineMap row;
    RowForm form;
  };

  bool follow(mlir::Operation *op);

  llvm::MapVector<mlir::Value, Tensor> tensors;
};

} // namespace weft

#endif
