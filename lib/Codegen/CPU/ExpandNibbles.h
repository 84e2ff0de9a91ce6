//===- ExpandNibbles.h - codes of 4 bits as bytes -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_EXPANDNIBBLES_H
#define WEFT_LIB_CODEGEN_CPU_EXPANDNIBBLES_H

#include "weft/Codegen/Common/Lanes.h"
#include "weft/Support/CodeFormat.h"

namespace weft {

/// What `expandNibbles` writes of so many rows.
int64_t getExpandedBytes(const NibblePanel &panel, int64_t rows);

/// What a panel's bytes become: codes `(u - z) m`, or numbers `u - z` whose sums are to be
/// multiplied by the factors of their groups.
enum class Nibbles { Codes, Numbers };

/// Writes the rows `firstK` to `firstK + sizeK - 1` of the panel at `source` to `target`, in steps
/// of four, as a panel of bytes has them. They are whole groups, or some of one. Lines that lie so
/// many bytes `ahead` of those that are read are fetched, 0: none.
void expandNibbles(LaneBuilder &lanes, const NibblePanel &panel, Nibbles what, mlir::Value source,
                   mlir::Value target, const Lanes &firstK, const Lanes &sizeK, int64_t ahead);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_EXPANDNIBBLES_H
