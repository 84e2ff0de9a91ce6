//===- DerivedModule.h - the functions of derived weights -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_DERIVEDMODULE_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_DERIVEDMODULE_H

#include "weft/Dialect/Weft/Transforms/DerivedWeights.h"

#include "llvm/ADT/StringMap.h"

namespace weft {

/// Of a coordinate that is an index and a number behind it, the number.
std::optional<int64_t> getShift(mlir::AffineExpr place);

/// Collects derived weights, with one function for all that are computed in the same way.
class DerivedModule {
public:
  explicit DerivedModule(mlir::ModuleOp module);

  /// The name of the weight that is `value`, a result of `slice`: ops in their order that read
  /// each other and weights.
  std::string add(mlir::Value value, llvm::ArrayRef<mlir::Operation *> slice);

private:
  mlir::func::FuncOp outline(mlir::Value value, llvm::ArrayRef<mlir::Operation *> slice,
                             llvm::ArrayRef<WeightOp> weights);
  mlir::func::FuncOp share(mlir::func::FuncOp function);
  std::string chooseName(mlir::Value value, llvm::ArrayRef<mlir::Attribute> from,
                         mlir::func::FuncOp function);

  mlir::ModuleOp module, derived;
  llvm::StringMap<std::pair<mlir::Operation *, mlir::ArrayAttr>> taken; ///< names of weights
};

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_DERIVEDMODULE_H
