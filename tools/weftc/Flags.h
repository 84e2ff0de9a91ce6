//===- Flags.h - the command line of weftc --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFTC_FLAGS_H
#define WEFT_TOOLS_WEFTC_FLAGS_H

#include "weft/Pipeline/Options.h"

namespace weft {

/// Reads the command line; nothing after wrong usage, which was reported.
std::optional<CompileOptions> parseCommandLine(int argc, char **argv);

} // namespace weft

#endif
