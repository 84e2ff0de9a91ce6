//===- SwizzleTable.h - how 128 bytes are swizzled, as the manual has it ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_CODEGEN_SWIZZLETABLE_H
#define WEFT_TEST_UNIT_CODEGEN_SWIZZLETABLE_H

#include <cstddef>

namespace weft {

// 128B swizzling: the pattern repeats after 1024 bytes; the row of eight chunks of 16 bytes, as the
// figure has it.
inline constexpr int kChunkPlaces[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                           {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                           {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                                           {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};

/// The byte of a panel of rows of 128 bytes.
inline size_t getSwizzledPlace(int row, int byte) {
  return size_t(row * 128 + kChunkPlaces[row % 8][byte / 16] * 16 + byte % 16);
}

} // namespace weft

#endif // WEFT_TEST_UNIT_CODEGEN_SWIZZLETABLE_H
