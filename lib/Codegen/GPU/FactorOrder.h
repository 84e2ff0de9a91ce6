//===- FactorOrder.h - which values of k registers have where codes are expanded -----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The four threads that share a column read what lies side by side in it, and the same values of k
// of their rows, so products take them in another order than memory has them: a product's slots of
// k are those of `nvx.mma`, and what a slot has must be the same k in A and B. Words are four
// bytes: four whole numbers or one f32 of A; of B as soon as it is expanded.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_FACTORORDER_H
#define WEFT_LIB_CODEGEN_GPU_FACTORORDER_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Codegen/GPU/Fragment.h"

namespace weft {

/// A word of those that a thread has: of A of a row that is eight times `line` behind its first
/// one, of B of a column that is.
struct FactorWord {
  int64_t line, word;
};

/// What register `i` of several matrices of A, or of B, is in the product of that number.
constexpr FactorWord getWordOfA(int64_t i, int64_t product) {
  return {i / kRegistersA * 2 + i % 2, product * 2 + i % kRegistersA / 2};
}
constexpr FactorWord getWordOfB(int64_t i, int64_t product) {
  return {i / kRegistersB, product * 2 + i % kRegistersB};
}

/// The two words of B that are a word of numbers of 4 bits (CodeFormat.h): with `start` as four
/// bytes 128 - z m, the bytes (u - z) m.
std::pair<mlir::Value, mlir::Value> expandNumbers(LaneBuilder &lanes, mlir::Value numbers,
                                                  mlir::Value factor, mlir::Value start);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_FACTORORDER_H
