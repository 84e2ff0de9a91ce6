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

/// What weftc does.
enum class Action { Compile, Info, ListModels };

/// The flags, checked.
struct Command {
  Action action = Action::Compile;
  bool json = false;                        ///< for programs, of what is printed
  bool hasInput = false, hasOutput = false; ///< a model is named; -o or --emit is given
  CompileOptions options;                   ///< not of ListModels
};

/// Reads the command line; nothing after wrong usage, which was reported.
std::optional<Command> parseCommandLine(int argc, char **argv);

} // namespace weft

#endif
