//===- Fragments.h - registers that products of warpgroups use ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_TRANSLATE_FRAGMENTS_H
#define WEFT_LIB_EMULATOR_TRANSLATE_FRAGMENTS_H

#include "Translate/FunctionState.h"

namespace weft::emulator {

/// Finds them and makes their states; to be called where the function starts, with its registers.
Fragments makeFragments(FunctionState &function);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_TRANSLATE_FRAGMENTS_H
