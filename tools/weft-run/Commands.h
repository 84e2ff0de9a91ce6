//===- Commands.h - the actions of weft-run -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_COMMANDS_H
#define WEFT_TOOLS_WEFT_RUN_COMMANDS_H

#include "Options.h"
#include "weft/Runner/LanguageModel.h"

namespace weft {

/// The text of --perplexity.
struct PredictedText {
  std::vector<int32_t> ids;
  int64_t bytes; ///< that all tokens but the first stand for
  bool words;    ///< otherwise a token is a byte
};
llvm::Expected<PredictedText> readPredictedText(const LanguageModel &model,
                                                const RunOptions &options);

/// An error if the results would replace a file that is read, before anything is computed.
llvm::Error checkOutput(const RunOptions &options);

/// Tensors of a file through an entry. Of all commands: false if a comparison failed.
llvm::Expected<bool> runCommand(CompiledModel &model, const RunOptions &options);
/// A text that goes on, to stdout or into tensors.
llvm::Expected<bool> generateCommand(CompiledModel &model, const RunOptions &options);
/// How many bits the model needs for a token and a byte of a text.
llvm::Expected<bool> perplexityCommand(CompiledModel &model, const RunOptions &options);
/// How far the model's predictions are from those of a reference; false if it is more than asked.
llvm::Expected<bool> compareCommand(CompiledModel &model, const RunOptions &options);
/// What the model says about a text or an image.
llvm::Expected<bool> answerCommand(CompiledModel &model, const RunOptions &options);
/// Latency, and speed beside what the processor can do.
llvm::Expected<bool> benchCommand(CompiledModel &model, const RunOptions &options);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_COMMANDS_H
