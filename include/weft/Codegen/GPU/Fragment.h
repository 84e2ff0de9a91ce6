//===- Fragment.h - which elements of a small matrix a thread holds -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The matrices of `nvx.mma`, shared out over the 32 threads of a warp (PTX ISA: Matrix Fragments
// for mma.m16n8k16 and mma.m16n8k8). An element's place is linear in `lane / 4` and `lane % 4`, so
// code can compute it as well as a test.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_GPU_FRAGMENT_H
#define WEFT_CODEGEN_GPU_FRAGMENT_H

#include <cstdint>

namespace weft {

/// A and B are the factors, C is the sum.
enum class Fragment { A, B, C };

/// Rows of A, columns of B, and how many threads share the elements.
inline constexpr int64_t kMmaRows = 16, kMmaColumns = 8, kFragmentLanes = 32;
/// Registers of a thread.
inline constexpr int64_t kRegistersA = 4, kRegistersB = 2, kRegistersC = 4;

/// How many values of k a product has, of elements of so many bits.
constexpr int64_t getMmaDepth(int64_t bits) { return 256 / bits; }

/// `ofGroup * (lane / 4) + ofThread * (lane % 4) + offset`.
struct FragmentPlace {
  int64_t ofGroup, ofThread, offset;

  constexpr int64_t at(int64_t lane) const {
    return ofGroup * (lane / 4) + ofThread * (lane % 4) + offset;
  }
};

/// Of A: row and k, of B: k and column, of C: row and column.
struct FragmentElement {
  FragmentPlace row, column;
};

/// Element `i` of a thread's part. Elements of 16 bits are pairs in registers, the first in the low
/// half; those of C have 32.
constexpr FragmentElement getFragmentElement(Fragment fragment, int64_t bits, int64_t i) {
  if (fragment == Fragment::C)
    return {{1, 0, 8 * (i / 2)}, {0, 2, i % 2}};
  int64_t together = 32 / bits, number = i / together;
  int64_t half = fragment == Fragment::A ? number / 2 : number;
  FragmentPlace k = {0, together, 4 * together * half + i % together};
  FragmentPlace other = {1, 0, fragment == Fragment::A ? 8 * (number % 2) : 0};
  return fragment == Fragment::A ? FragmentElement{other, k} : FragmentElement{k, other};
}

} // namespace weft

#endif // WEFT_CODEGEN_GPU_FRAGMENT_H
