//===- Commands.h - the actions of weft-run -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_COMMANDS_H
#define WEFT_TOOLS_WEFT_RUN_COMMANDS_H

#include "Options.h"

namespace weft {

// Do what the options ask for. False if a comparison failed.
llvm::Expected<bool> runCommand(Model &model, const RunOptions &options);
llvm::Expected<bool> generateCommand(Model &model, const RunOptions &options);
llvm::Expected<bool> perplexityCommand(Model &model, const RunOptions &options);
llvm::Expected<bool> askCommand(Model &model, const RunOptions &options);
llvm::Expected<bool> benchCommand(Model &model, const RunOptions &options);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_COMMANDS_H
