//===- KeptCodes.h - codes of a checkpoint in panels ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_KEPTCODES_H
#define WEFT_LIB_IMPORT_KEPTCODES_H

#include "MatrixPlaces.h"
#include "weft/Import/StoredWeight.h"
#include "weft/Support/CodeFormat.h"

namespace weft {

/// Whether the checkpoint has the weight as such codes.
bool isKept(const CodeFormat &format, const StoredWeight &stored);

/// Puts the codes of a weight into panels, with what groups share. A group of a panel lies within
/// one of the checkpoint's, which are counted in row-major order.
class KeptCodes {
public:
  KeptCodes(const StoredWeight &stored, const ScaledPanel &shape)
      : stored(stored), shape(shape), codes(*stored.findCodes()) {}

  /// The panel of `[k][nr]` codes whose first column is `column` of the matrix at `start`;
  /// `isFinite` becomes false if it stands for what is no number.
  std::vector<uint8_t> pack(llvm::ArrayRef<float> numbers, const MatrixPlaces &at, int64_t start,
                            size_t column, bool &isFinite) const;

private:
  void packCodes(llvm::ArrayRef<float> numbers, int64_t group, uint8_t *bytes) const;
  /// What groups share, or spans, and where in a group or span it is.
  struct Shared {
    CodesPart part;
    ElementType type;
    int64_t before;
    bool isOuter;
  };
  llvm::SmallVector<Shared> listShared() const;
  bool packShared(const Shared &shared, const MatrixPlaces &at, int64_t place, int64_t column,
                  llvm::MutableArrayRef<uint8_t> panel) const;

  const StoredWeight &stored;
  ScaledPanel shape;
  StoredCodes codes;
};

} // namespace weft

#endif // WEFT_LIB_IMPORT_KEPTCODES_H
