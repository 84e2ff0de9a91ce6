//===- OldFiles.h - tokenizers from before tokenizer.json ------------------- -*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_OLDFILES_H
#define WEFT_LIB_TOKENIZER_OLDFILES_H

#include "Parts.h"

namespace weft::text {

// vocab.txt; vocab.json and merges.txt; SentencePiece models. These files hold a vocabulary alone.
// What is around it is told by the class that tokenizer_config.json names, or the model_type of
// config.json: a table, Conventions.json, says it in the words of a tokenizer.json.
llvm::Expected<std::unique_ptr<Tokenizer>> loadOldFiles(llvm::StringRef folder);

// A vocabulary of this kind lies in the folder.
bool hasOldFiles(llvm::StringRef folder);

std::string inFolder(llvm::StringRef folder, llvm::StringRef name);
// The value of a JSON file; null if the file is not there.
llvm::Expected<llvm::json::Value> readJsonFile(llvm::StringRef path);

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_OLDFILES_H
