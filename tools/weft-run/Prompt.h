//===- Prompt.h - texts for language models -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_PROMPT_H
#define WEFT_TOOLS_WEFT_RUN_PROMPT_H

#include "Companions.h"
#include "Generate.h"

namespace weft {

/// How the tokens of a model are written: in words if a tokenizer came with it. Fails if that is
/// another model's.
llvm::Expected<TokenText> tokenText(const LanguageModel &model, const Companions &companions);

/// Ids of a text that goes on: without what the tokenizer would put behind it. `spans`: of each.
llvm::Expected<Encoding> encodeOpenText(const LanguageModel &model, const Companions &companions,
                                        llvm::StringRef text);

/// Sets the prompt from a text. A model with an encoder reads the text there, and starts with the
/// token that its configuration names.
llvm::Error promptFromText(const LanguageModel &model, const Companions &companions,
                           llvm::StringRef text, Generation &into);
/// Whether the text goes into an encoder.
bool readsSource(const LanguageModel &model);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_PROMPT_H
