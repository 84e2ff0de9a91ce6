//===- Convention.h - what surrounds a vocabulary without tokenizer.json --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Files from before tokenizer.json hold a vocabulary alone. What is around it is told by the class
// that tokenizer_config.json names, or the model_type of config.json: a table, Conventions.json,
// says it in the words of a tokenizer.json. An entry of the table:
//
//   classes, types    the tokenizer_class and the model_type that it is for
//   vocabulary        the file: vocab.txt, vocab.json, a .spm, or "sentencepiece": any .model
//   defaults          settings: special tokens by their roles, options; a folder may change them
//   refuse            settings that are not supported if they are true
//   model, normalizer, pre_tokenizer, decoder   as in a tokenizer.json, where "$name" is the value
//                     of a setting, and an object with an "if" is there if that setting is true
//                     ("!name": if it is not)
//   single, pair      what stands around one text, and two: "cls_token A sep_token B:1?add_b" are
//                     roles and texts, each with its type (0) and a setting that must be true
//   added, append, extra, strip_left, language_codes   special tokens (LegacyTokens.cpp)
//   first, offset, ids, split_number_commas            ids of SentencePiece's pieces (PieceIds)
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_CONVENTION_H
#define WEFT_LIB_TOKENIZER_CONVENTION_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace weft::text {

std::string inFolder(llvm::StringRef folder, llvm::StringRef name);
// The value of a JSON file; null if the file is not there.
llvm::Expected<llvm::json::Value> readJsonFile(llvm::StringRef path);

// An entry of the table with the settings of one folder.
class Convention {
public:
  // Fails if nothing says which entry it is, if the class is not in the table, or if a setting is
  // one to refuse.
  static llvm::Expected<Convention> of(llvm::StringRef folder);

  // The entry, for its plain members.
  const llvm::json::Object *operator->() const { return entry; }
  // Whether a list of the entry has a name.
  bool lists(llvm::StringRef list, llvm::StringRef name) const;
  // A member of the entry with the settings put in; nothing if there is none.
  std::optional<llvm::json::Value> expanded(llvm::StringRef member) const;

  const llvm::json::Object &settings() const { return values; }
  std::string setting(llvm::StringRef name) const; // "" if it is no string
  bool flag(llvm::StringRef name) const;           // "!name": the opposite
  // added_tokens_decoder of tokenizer_config.json: tokens by their ids; null if there is none.
  const llvm::json::Value &addedTokens() const { return added; }

  std::string file(llvm::StringRef name) const { return inFolder(folder, name); }
  // The folder's own errors.
  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError(folder + ": " + message);
  }
  llvm::StringRef path() const { return folder; }

private:
  explicit Convention(llvm::StringRef folder) : folder(folder.str()) {}
  llvm::Error choose(const llvm::json::Value &tokenizerConfig);
  llvm::Error readSettings();
  llvm::Error checkRefused() const;
  std::optional<llvm::json::Value> expand(const llvm::json::Value &value) const;

  std::string folder;
  const llvm::json::Object *entry = nullptr; // of the table
  llvm::json::Object values;
  llvm::json::Value added = nullptr;
};

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_CONVENTION_H
