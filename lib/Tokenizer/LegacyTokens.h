//===- LegacyTokens.h - special tokens from before tokenizer.json ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_LEGACYTOKENS_H
#define WEFT_LIB_TOKENIZER_LEGACYTOKENS_H

#include "Components.h"
#include "Convention.h"

namespace weft::text {

// What a folder says about special tokens, as a tokenizer.json says it.
class LegacyTokens {
public:
  LegacyTokens(const Convention &convention, const Model &model)
      : convention(convention), model(model), next(model.size()) {}

  // Collects them: those of the convention, of the roles (bos_token, ...), of
  // tokenizer_config.json and of added_tokens.json.
  llvm::Error read();
  const llvm::json::Array &addedTokens() const { return added; }
  // What stands around a text. Fails if a token of it has no id.
  llvm::Expected<llvm::json::Value> postProcessor() const;

private:
  using Object = llvm::json::Object;

  const Object *find(llvm::StringRef content) const;
  std::optional<int32_t> idOf(llvm::StringRef content) const;
  void add(llvm::StringRef content, bool append, bool stripLeft = false);
  llvm::Error addOfConvention();
  void addLanguageCodes();
  void addRoles();
  llvm::Error addFlagged();
  llvm::Error addPlain();
  llvm::Expected<llvm::json::Array> makeTemplate(llvm::StringRef words, Object &special) const;

  const Convention &convention;
  const Model &model;
  llvm::json::Array added;
  int32_t next; // the id of the next token that the vocabulary has not
};

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_LEGACYTOKENS_H
