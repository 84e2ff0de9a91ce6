//===- InterpretPass.h - the reference interpreter as a test pass ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_OPT_INTERPRETPASS_H
#define WEFT_TOOLS_WEFT_OPT_INTERPRETPASS_H

namespace weft {

/// `--weft-interpret` runs every public function without arguments and prints what it returns to
/// stdout (for executable tests: `weft-opt %s --weft-interpret -o /dev/null`). Symbols and weights
/// come from the module's dictionary attributes `test.symbols` and `test.weights`, which hold
/// integers and dense constants.
void registerInterpretPass();

} // namespace weft

#endif
