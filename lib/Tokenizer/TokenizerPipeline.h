//===- TokenizerPipeline.h - what a text passes through -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_TOKENIZERPIPELINE_H
#define WEFT_LIB_TOKENIZER_TOKENIZERPIPELINE_H

#include "AddedTokens.h"
#include "Truncation.h"

namespace weft {

struct Tokenizer::Pipeline {
  text::AddedTokens added;
  std::unique_ptr<text::Normalizer> normalizer;     // may be null
  std::unique_ptr<text::PreTokenizer> preTokenizer; // may be null
  std::unique_ptr<text::Model> model;
  std::unique_ptr<text::Decoder> decoder; // null: tokens with spaces between them
  text::Template around;
  std::optional<text::Truncation> truncation;
  llvm::StringMap<int32_t> roles;

  llvm::Expected<std::vector<text::Token>> tokenize(llvm::StringRef bytes) const;
  // The tokens of one text, or two, with what stands around.
  llvm::Expected<Encoding> encode(llvm::ArrayRef<llvm::StringRef> texts,
                                  EncodeOptions options) const;
  // The tokens of a text so far.
  struct Progress {
    size_t bytes = 0;      // of the text
    size_t characters = 0; // of the words that the model got
    std::vector<text::Token> tokens;
  };
  llvm::Error tokenizeRaw(const text::Piece &piece, Progress &progress) const;
  llvm::Error tokenizeNormalized(const text::Piece &piece, Progress &progress) const;
  llvm::Error tokenizeWord(const text::Text &word, Progress &progress) const;
};

// Makes tokenizers; the one who may.
class TokenizerBuilder {
public:
  // Reads the object of a tokenizer.json, which has no model if there is one.
  static std::unique_ptr<Tokenizer> build(const JsonReader &json,
                                          std::unique_ptr<text::Model> model = nullptr);
  // Says which token has a role: "mask_token".
  static void setRole(Tokenizer &tokenizer, llvm::StringRef role, llvm::StringRef token);
};

} // namespace weft

#endif // WEFT_LIB_TOKENIZER_TOKENIZERPIPELINE_H
