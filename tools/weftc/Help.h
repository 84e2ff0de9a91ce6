//===- Help.h - what --help says of weftc besides its flags ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFTC_HELP_H
#define WEFT_TOOLS_WEFTC_HELP_H

#include "weft/Support/CommandLine.h"

namespace weft {

/// The table of stages as text, and the words of the flags that take one of several.
ToolHelp describeCompiler();

} // namespace weft

#endif // WEFT_TOOLS_WEFTC_HELP_H
