//===- MatrixDescriptor.h - matrices in shared memory, as products of four warps see them ---===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The factors of `nvx.wgmma` lie as copies of boxes put them (`nvx.tensor_map`): rows of 128 bytes
// behind each other, whose chunks of 16 bytes have changed places, the same for every eighth row.
// Rows are rows of A or columns of B with what is summed over side by side; or, of a B that has its
// columns side by side, values of k, a panel of 128 bytes of columns behind the other (PTX ISA:
// Matrix Descriptor Format, Strides; and 128B swizzling modes).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_GPU_MATRIXDESCRIPTOR_H
#define WEFT_CODEGEN_GPU_MATRIXDESCRIPTOR_H

#include <cstdint>

namespace weft {

/// Bytes of a row, and rows after which places of chunks are the same again: where matrices begin.
inline constexpr int64_t kPanelBytes = 128, kPanelRows = 8;
inline constexpr int64_t kMatrixAlignment = kPanelBytes * kPanelRows;

/// Rows and values of k of one product, of elements of so many bytes.
inline constexpr int64_t kWgmmaRows = 64;
constexpr int64_t getWgmmaDepth(int64_t elementBytes) { return 32 / elementBytes; }

/// Addresses and distances are counted in 16 bytes.
constexpr uint64_t inChunks(int64_t bytes) { return uint64_t(bytes) >> 4; }

/// The descriptor of the matrix at address 0; to it the address is added, in chunks. Of columns
/// side by side `panel` is the bytes from one panel to the next, else it is 0.
constexpr uint64_t getMatrixDescriptor(int64_t panel) {
  constexpr uint64_t swizzle128 = uint64_t(1) << 62;
  uint64_t leading = panel ? inChunks(panel) : 1; // means nothing where there is one panel
  return swizzle128 | inChunks(kMatrixAlignment) << 32 | leading << 16;
}

} // namespace weft

#endif // WEFT_CODEGEN_GPU_MATRIXDESCRIPTOR_H
