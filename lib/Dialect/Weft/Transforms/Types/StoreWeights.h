//===- StoreWeights.h - what weights are stored as ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_STOREWEIGHTS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_STOREWEIGHTS_H

#include "Types/FactorTypes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"
#include "weft/Support/Precision.h"

namespace weft {

/// Gives weights the types that they are stored in, but for those that are to be codes, and tells
/// `types` which products are computed in f32 for them. Returns how many changed. Fails where there
/// are no kernels for what is stored and computed, and where what is said by hand cannot be done.
mlir::FailureOr<unsigned> storeWeights(const Precision &precision, const TensorClasses &classes,
                                       FactorTypes &types);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_TYPES_STOREWEIGHTS_H
