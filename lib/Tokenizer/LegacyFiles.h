//===- LegacyFiles.h - tokenizers from before tokenizer.json --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_LEGACYFILES_H
#define WEFT_LIB_TOKENIZER_LEGACYFILES_H

#include "TokenizerPipeline.h"

namespace weft::text {

// A vocabulary (LegacyVocabulary.h) with what its convention puts around it (Convention.h).
llvm::Expected<std::unique_ptr<Tokenizer>> loadLegacyFiles(llvm::StringRef folder);

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_LEGACYFILES_H
