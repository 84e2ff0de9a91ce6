//===- KeyProof.h - which keys count for a row ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a formula says about one of its indices, the key, for the values of another one, the row:
// the facts behind obligation (O1) of docs/Decoding.md, on the affine predicates that the mask
// fusion uses as well.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_KEYPROOF_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_STEP_KEYPROOF_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Whether only keys at or before the row count, key <= row: by the predicate, by the bounds of the
/// keys, by a mask of minus infinity, or by a factor of a sum that is 0 ahead of the row.
bool isHeldBehind(FormulaOpInterface op, unsigned key, unsigned row);

/// How far behind the row the first key lies that `op` visits at all (from a multiple of
/// kKeyStep on); nothing if its `key_lower` does not bound that.
std::optional<int64_t> getVisitedReach(AttentionOp op, unsigned row);

} // namespace weft

#endif
