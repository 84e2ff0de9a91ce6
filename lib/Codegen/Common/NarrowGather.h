//===- NarrowGather.h - elements of less than 32 bits from many places ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_COMMON_NARROWGATHER_H
#define WEFT_LIB_CODEGEN_COMMON_NARROWGATHER_H

#include "weft/Codegen/Common/Lanes.h"

namespace weft {

/// The elements of 8 or 16 bits at these offsets from a pointer, 0 in lanes that are not in the
/// mask. There is no instruction for them, but one for words: an element lies in the word whose
/// address is the next lower multiple of four, all of which is on its page.
mlir::Value gatherNarrow(LaneBuilder &lanes, mlir::Value pointer, mlir::Type element,
                         const Lanes &offset, mlir::Value mask);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_COMMON_NARROWGATHER_H
