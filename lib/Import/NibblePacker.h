//===- NibblePacker.h - codes of 4 bits in panels -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_NIBBLEPACKER_H
#define WEFT_LIB_IMPORT_NIBBLEPACKER_H

#include "MatrixPlaces.h"
#include "weft/Import/Codes.h"

#include "llvm/ADT/DenseMap.h"

namespace weft {

/// Makes panels of 4 bits (weft/Support/CodeFormat.h) of panels of bytes.
class NibblePacker {
public:
  /// Of one of the matrices of `weight`, all of whose codes are `coded`.
  NibblePacker(const PackedWeight &weight, const CodedTensor &coded);

  /// `codes` is `[k / 4][column][k % 4]`, with the columns number `first`, `first + 1`, ... of the
  /// matrix whose first element is at `start`.
  std::vector<uint8_t> pack(llvm::ArrayRef<int8_t> codes, const MatrixPlaces &at, int64_t start,
                            size_t first) const;

private:
  const CodedTensor &coded;
  int64_t nr, group;
  llvm::DenseMap<int64_t, size_t> rows; ///< the number of each, by the place of its first element
};

} // namespace weft

#endif // WEFT_LIB_IMPORT_NIBBLEPACKER_H
