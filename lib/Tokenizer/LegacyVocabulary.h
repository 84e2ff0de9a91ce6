//===- LegacyVocabulary.h - vocabularies from before tokenizer.json -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_LEGACYVOCABULARY_H
#define WEFT_LIB_TOKENIZER_LEGACYVOCABULARY_H

#include "Components.h"
#include "Convention.h"

namespace weft::text {

// vocab.txt: a token a line; vocab.json: {"token": id}, with merges.txt for byte pairs; a
// SentencePiece model. Errors name the file.
llvm::Expected<std::unique_ptr<Model>> loadLegacyVocabulary(const Convention &convention);

// A vocabulary of this kind lies in the folder.
bool hasLegacyVocabulary(llvm::StringRef folder);

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_LEGACYVOCABULARY_H
