//===- AttentionTypes.h - in which types an attention multiplies ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_ATTENTIONTYPES_H
#define WEFT_DIALECT_WEFT_IR_ATTENTIONTYPES_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// What weights are rounded to where they multiply values: bf16 if queries, keys and values are all
/// stored so, then both products are products of bf16; f32, as they are computed, otherwise.
///
/// Weights of a softmax are rounded before they are divided by their sum, relative to the power of
/// two at or above the largest exponential of the row: as another power of two would do, which a
/// target that visits keys block by block has at first. The sum is that of the weights as they were
/// before.
mlir::Type getWeightType(AttentionOp op);

/// Whether weights are rounded relative to a power of two: not where the largest exponential itself
/// is a result.
bool areRelativeToPower(AttentionOp op);

/// The elements of a query, of all products, and of a row of the result together.
int64_t getHeadSize(AttentionOp op);

/// Attentions may read keys from a multiple of this on, before the first one that a row reaches:
/// what lies there counts for nothing, but has to be some number.
inline constexpr int64_t kKeyStep = 32;

/// Up to this size of a head a target computes rows as a whole, so their results may be stored in
/// any type; the sums of a larger one may rest in its result, in f32.
inline constexpr int64_t kWholeHead = 1024;

} // namespace weft

#endif
