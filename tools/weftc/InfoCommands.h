//===- InfoCommands.h - what weftc prints instead of compiling -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFTC_INFOCOMMANDS_H
#define WEFT_TOOLS_WEFTC_INFOCOMMANDS_H

#include "Flags.h"
#include "weft/Support/ExitStatus.h"

namespace weft {

/// What is wrong with --info, --list-models and --json beside the other flags, or "".
std::string checkCommand(const Command &command);

/// Does what the command line asks for.
ExitStatus perform(const Command &command);

} // namespace weft

#endif // WEFT_TOOLS_WEFTC_INFOCOMMANDS_H
