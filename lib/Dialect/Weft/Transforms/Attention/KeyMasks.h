//===- KeyMasks.h - which keys the rows of an attention see ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Masks in the score of a `weft.attention`, its predicate, and whether they leave a row keys.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_KEYMASKS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_KEYMASKS_H

#include "PredicateBounds.h"

namespace weft {

/// Moves masks of the score into the predicate. Returns how many. A constant not above `threshold`
/// counts as minus infinity.
unsigned moveMasks(AttentionOp op, double threshold);

/// Whether every query is sure to see a key: by the bounds, the predicate and `more`.
bool leavesKeys(AttentionOp op, llvm::ArrayRef<Conjunct> more = {});

/// Whether all scores of a row may be minus infinity, though it sees keys: what tensors add may be.
bool mayHideRows(AttentionOp op);

} // namespace weft

#endif
