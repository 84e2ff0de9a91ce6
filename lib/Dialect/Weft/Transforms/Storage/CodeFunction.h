//===- CodeFunction.h - scalars that follow from one small integer --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The code of a region below a value is its cone. If all ways from the value to what is not known
// pass through one integer of few values, the value is a function of that integer, and evaluating
// it for each of them gives all of the function.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_CODEFUNCTION_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_CODEFUNCTION_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Support/Interval.h"

namespace weft {

/// A value that is `values[code - first]`.
struct CodeFunction {
  mlir::Value code; ///< an integer or index; its values are `first`, `first + 1`, ...
  int64_t first = 0;
  llvm::SmallVector<double> values;
};

/// Where an integer of the formula's region lies.
Interval getInterval(MapOp op, mlir::Value value);

/// What `value` is as a function of one integer of at most `mostValues` values: of the one that has
/// fewest. Nothing if there is none, or it is a constant.
std::optional<CodeFunction> findCodeFunction(MapOp op, mlir::Value value, int64_t mostValues);

/// All values that `value` has while `leaf`, the only unknown that it follows from, is 0, 1, ...,
/// `count - 1` added to `first`; empty if the interpreter does not know its code.
llvm::SmallVector<double> evaluate(mlir::Value value, mlir::Value leaf, int64_t first,
                                   int64_t count);

/// Whether `value` follows from constants and `leaf` alone.
bool followsFrom(mlir::Value value, mlir::Value leaf);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STORAGE_CODEFUNCTION_H
