//===- OldFiles.h - tokenizers from before tokenizer.json -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_OLDFILES_H
#define WEFT_LIB_TOKENIZER_OLDFILES_H

#include "Parts.h"

namespace weft::text {

// A vocabulary (OldVocabulary.h) with what its convention puts around it (Convention.h).
llvm::Expected<std::unique_ptr<Tokenizer>> loadOldFiles(llvm::StringRef folder);

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_OLDFILES_H
