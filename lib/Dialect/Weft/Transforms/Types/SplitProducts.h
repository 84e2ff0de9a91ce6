//===- SplitProducts.h - products of factors that are split -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_SPLITPRODUCTS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_SPLITPRODUCTS_H

#include "Types/FactorTypes.h"
#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

namespace weft {

/// Marks the products of an activation with a weight whose factors are to be sums of `parts`
/// numbers of bf16 (`weft.parts`), of those that are `wanted`. Returns how many there are.
unsigned splitProducts(
    mlir::ModuleOp module, const TensorClasses &classes, FactorTypes &types, int parts,
    llvm::function_ref<bool(ContractOp, const Product &)> wanted = [](ContractOp, const Product &) {
      return true;
    });

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_SPLITPRODUCTS_H
