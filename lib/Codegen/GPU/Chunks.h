//===- Chunks.h - what lies side by side in the factors of matrix units ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_CHUNKS_H
#define WEFT_LIB_CODEGEN_GPU_CHUNKS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// The most bytes that are copied at once, and elements of 16 bits that fill them.
inline constexpr int64_t kChunkBytes = 16, kChunk = 8;

/// Of f32, of which a product takes three, fewer multiplications than those of a tile of 64 are
/// left to threads.
inline constexpr int64_t kFewOfF32 = int64_t(64) * 64 * 64;

/// How many elements of an input can be copied at once along the indices, of which the last is the
/// fastest: a power of two, with at most 16 bytes. They are side by side, there is a known multiple
/// of so many, and whatever else moves through the input does so by multiples of them.
int64_t getChunk(FormulaOpInterface op, unsigned input, llvm::ArrayRef<unsigned> along);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_CHUNKS_H
