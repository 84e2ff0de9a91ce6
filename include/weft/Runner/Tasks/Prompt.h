//===- Prompt.h - texts for language models -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_TASKS_PROMPT_H
#define WEFT_RUNNER_TASKS_PROMPT_H

#include "weft/Runner/Tasks/ModelFolder.h"
#include "weft/Runner/Tasks/TextStream.h"

namespace weft {

/// How the tokens of a model are written: in words if a tokenizer came with it. Fails if that is
/// another model's.
llvm::Expected<TokenText> tokenText(const LanguageModel &model, const ModelFolder &folder);

/// Ids of a text that goes on: without what the tokenizer would put behind it. `spans`: of each.
llvm::Expected<Encoding> encodeOpenText(const LanguageModel &model, const ModelFolder &folder,
                                        llvm::StringRef text);

/// Sets the prompt from a text and returns what became of the text. A model with an encoder reads
/// it there, and starts with the token that its configuration names.
llvm::Expected<Encoding> promptFromText(const LanguageModel &model, const ModelFolder &folder,
                                        llvm::StringRef text, Generation &into);
/// Whether the text goes into an encoder.
bool readsSource(const LanguageModel &model);

} // namespace weft

#endif // WEFT_RUNNER_TASKS_PROMPT_H
