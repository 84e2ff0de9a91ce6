//===- MapFunctions.h - functions over a leading index --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A function of one example becomes a function of many: whatever depends on a mapped argument gets
// a leading index, through calls; the rest stays as it is. `weft-batch` maps a whole model, the
// frontend the modules that a text calls for every value of an index.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_MAPFUNCTIONS_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_MAPFUNCTIONS_H

#include "weft/Dialect/Weft/Transforms/FunctionVariants.h"

namespace weft {

/// Adds one index to functions of a module: y[i, ...] = f(x[i, ...]) for every i of `index`.
class FunctionMapper {
public:
  /// A flag for every argument or result of a function: whether it has the index.
  using Flags = llvm::SmallVector<bool>;

  /// `index` may not occur in `module` yet; new functions are added to the module.
  FunctionMapper(mlir::ModuleOp module, IndexAttr index)
      : index(index), variants(module, "_batched") {}

  /// A function mapped for some of its arguments.
  struct Variant {
    mlir::func::FuncOp function;
    Flags results; ///< those that have the index
  };

  /// The private function for calls in which these arguments have the index in front; it is made
  /// once. With `allResults` every result has it, whether it depends on it or not.
  Variant getVariant(mlir::func::FuncOp func, llvm::ArrayRef<bool> arguments, bool allResults);

  /// Maps `func` in place and says which of its results have the index.
  Flags mapFunction(mlir::func::FuncOp func, llvm::ArrayRef<bool> arguments, bool allResults);

  /// Formulas that got the index so far.
  unsigned getNumMapped() const { return numMapped; }

private:
  /// The arguments that have the index, and whether all results do.
  using Key = std::pair<std::vector<bool>, bool>;

  IndexAttr index;
  FunctionVariants<Key, Variant> variants;
  unsigned numMapped = 0;
};

} // namespace weft

#endif
