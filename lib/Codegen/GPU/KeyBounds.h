//===- KeyBounds.h - which keys a row of an attention reaches -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_KEYBOUNDS_H
#define WEFT_LIB_CODEGEN_GPU_KEYBOUNDS_H

#include "weft/Codegen/Common/Kernel.h"

namespace weft {

/// The first key that the row of these indices reaches, and the one behind the last; both are at
/// most the number of keys, and that is all of them where nothing bounds them.
std::pair<Lanes, Lanes> getKeyBounds(LaneBuilder &lanes, const Kernel &kernel, AttentionOp op,
                                     llvm::ArrayRef<Lanes> indices);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_KEYBOUNDS_H
