//===- CopyFormula.h - a tensor read at other places ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_COPYFORMULA_H
#define WEFT_DIALECT_WEFT_IR_COPYFORMULA_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// The formula whose elements are those of `source` at `map` of the indices, stored in `layout`
/// (null: in row-major order) as `element` (null: as they are).
MapOp createCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
                 llvm::ArrayRef<IndexAttr> indices, mlir::AffineMap map, LayoutAttr layout = {},
                 mlir::Type element = {});

/// Whether a formula has elements of its only input as they are, wherever it reads them.
bool isCopy(mlir::Operation *op);

/// An input of a formula as a tensor with some of the formula's indices as its dimensions.
struct FactorView {
  FactorView(FormulaOpInterface formula, unsigned input, llvm::ArrayRef<unsigned> order);

  llvm::SmallVector<IndexAttr> indices;
  mlir::AffineMap source; ///< where they read the input
  mlir::AffineMap reads;  ///< where the formula reads the tensor
};

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_COPYFORMULA_H
