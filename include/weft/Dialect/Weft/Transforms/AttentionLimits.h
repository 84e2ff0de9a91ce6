//===- AttentionLimits.h - which attentions every target can run ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_ATTENTIONLIMITS_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_ATTENTIONLIMITS_H

namespace weft {

/// The most products of queries and keys in the score of a fused attention. Whatever else is wide
/// is cut, but a score needs all its products at once; with so many a block in bounded memory still
/// has 32 keys for 64 queries. What has more is not fused.
inline constexpr unsigned kMaxDots = 16;

} // namespace weft

#endif
