//===- FixedFormulas.h - formulas that read known tensors only ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_MAPS_FIXEDFORMULAS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_MAPS_FIXEDFORMULAS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// The tensors that a formula or a check reads, those that its regions read included.
llvm::SmallVector<mlir::Value> getTensorsRead(IndexedOpInterface op);

/// Whether `op` reads tensors for which `isKnown` holds and the values of static indices only.
bool dependsOnlyOn(IndexedOpInterface op, llvm::function_ref<bool(mlir::Value)> isKnown);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_MAPS_FIXEDFORMULAS_H
