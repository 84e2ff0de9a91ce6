//===- GGUFVocabulary.h - The tokens of a GGUF file -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_GGUFVOCABULARY_H
#define WEFT_LIB_IMPORT_GGUFVOCABULARY_H

#include "weft/Import/GGUF.h"
#include "llvm/Support/JSON.h"

namespace weft {

/// Tokens with their types, scores and merges.
class GgufVocabulary {
public:
  /// The error names the key.
  llvm::Error read(const GgufFile &file);

  /// {"token": id}; of two equal tokens the first.
  llvm::json::Object ids() const;
  /// The list of merges of the file.
  llvm::json::Array merges() const;
  /// Of every token the pairs that it can be made of, the token with the best score first.
  llvm::json::Array mergesByScore() const;

  struct Added {
    int64_t id;
    std::string content;
    bool special;
  };
  /// Those that are found in a text as they are.
  std::vector<Added> added() const;

  /// The token, and the id, that a key "tokenizer.ggml.NAME" gives.
  std::optional<int64_t> roleId(llvm::StringRef name) const;
  std::optional<std::string> role(llvm::StringRef name) const;

private:
  /// What tokenizer.ggml.token_type says.
  enum Type : int64_t { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4 };

  const GgufFile *file = nullptr;
  std::vector<std::string> tokens, mergeList;
  llvm::StringMap<int64_t> idOf;
  std::vector<int64_t> types; // empty: all are normal
  std::vector<double> scores; // empty: there are none
};

} // namespace weft

#endif // WEFT_LIB_IMPORT_GGUFVOCABULARY_H
