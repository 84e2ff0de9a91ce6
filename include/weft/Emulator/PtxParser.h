//===- PtxParser.h - reads PTX text ---------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_EMULATOR_PTXPARSER_H
#define WEFT_EMULATOR_PTXPARSER_H

#include "weft/Emulator/Ptx.h"

#include "llvm/Support/Error.h"

namespace weft::ptx {

/// Reads PTX as LLVM writes it, inline assembly included. The error is one line,
/// "NAME:LINE: error: ...", about the first thing that is wrong or not known.
llvm::Expected<Module> parse(llvm::StringRef text, llvm::StringRef name);

} // namespace weft::ptx

#endif // WEFT_EMULATOR_PTXPARSER_H
