//===- GGUFTokenizer.h - The tokenizer of a GGUF file as files of its own -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_GGUFTOKENIZER_H
#define WEFT_IMPORT_GGUFTOKENIZER_H

#include "weft/Import/GGUF.h"

namespace weft {

/// Texts of files beside a model.
struct TokenizerFiles {
  std::string tokenizer; ///< tokenizer.json; empty if the GGUF file has none
  std::string config;    ///< tokenizer_config.json: which token has which role
};

/// What the keys `tokenizer.*` say. A kind of tokenizer or of words that is not known is written as
/// it is called, so that who reads a text with it is told. Errors name the key.
llvm::Expected<TokenizerFiles> describeGgufTokenizer(const GgufFile &file);

} // namespace weft

#endif // WEFT_IMPORT_GGUFTOKENIZER_H
