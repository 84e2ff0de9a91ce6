//===- Tokenizer.h - text to ids and back ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A tokenizer takes a text to the ids that a model reads, and ids back to text. It is built from
// the files that come with a model: tokenizer.json, or the older ones (see Load.cpp). Texts are
// bytes: what is no UTF-8 passes through byte by byte, so that byte-level vocabularies give every
// text back as it was.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOKENIZER_TOKENIZER_H
#define WEFT_TOKENIZER_TOKENIZER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/// Bytes [begin, end) of the text that was encoded.
struct Span {
  uint32_t begin = 0, end = 0;
};

/// A text, or two, as a model reads it: all vectors have one element per token.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> types; ///< the segment: 0, or 1 for the second of two texts
  std::vector<int8_t> source; ///< 0 or 1: the text that the token comes from; -1: put in between
  std::vector<Span> spans;    ///< where in that text
  size_t cut = 0;             ///< tokens that truncation left out
};

/// What encode() does beside cutting.
struct EncodeOptions {
  bool special = true;  ///< with the tokens that the model wants around the text ([CLS], <s>, ...)
  bool truncate = true; ///< to the length that the tokenizer.json says, if it does
};

/// One thread at a time may use a tokenizer.
class Tokenizer {
public:
  /// Of a directory with a model's files, or of one file. Errors read "FILE: PLACE: what is wrong".
  static llvm::Expected<std::unique_ptr<Tokenizer>> load(llvm::StringRef path);
  /// Whether load() would find files of a tokenizer in this directory.
  static bool isIn(llvm::StringRef directory);
  /// The text of a tokenizer.json; `name` stands in errors.
  static llvm::Expected<std::unique_ptr<Tokenizer>> parse(llvm::StringRef json,
                                                          llvm::StringRef name);
  ~Tokenizer();

  /// Fails on a text of 1 GiB or more, and where a step of the tokenizer goes beyond its limits
  /// (docs/Running.md); the error names the file and the part.
  llvm::Expected<Encoding> encode(llvm::StringRef text, EncodeOptions options = {}) const;
  /// The same of two texts, in one sequence.
  llvm::Expected<Encoding> encodePair(llvm::StringRef text, llvm::StringRef pair,
                                      EncodeOptions options = {}) const;

  /// Ids without a token are left out, as are special tokens unless they are wanted.
  std::string decode(llvm::ArrayRef<int32_t> ids, bool special = false) const;

  /// The id of a token, the token of an id: added tokens first, then the vocabulary.
  std::optional<int32_t> id(llvm::StringRef token) const;
  std::optional<std::string> token(int32_t id) const;
  /// Whether the id is an added token that is not part of texts.
  bool isSpecial(int32_t id) const;
  /// The largest id plus 1.
  int64_t size() const;
  /// The token with a role, "mask_token" for example, if the files name one.
  std::optional<int32_t> role(llvm::StringRef name) const;

private:
  friend class TokenizerBuilder;
  struct Pipeline;
  explicit Tokenizer(std::unique_ptr<Pipeline> pipeline);
  std::unique_ptr<Pipeline> pipeline;
};

/// Ids one after another to pieces of text whose sum is decode() of them all. No piece ends within
/// a UTF-8 character.
class StreamDecoder {
public:
  explicit StreamDecoder(const Tokenizer &tokenizer) : tokenizer(tokenizer) {}
  /// What is certain now of the text.
  std::string push(int32_t id);
  /// What was kept back: the rest of a text that ends within a character.
  std::string finish();

private:
  const Tokenizer &tokenizer;
  /// Ids whose text is given out: the context of those that follow; then ids whose text is not.
  std::vector<int32_t> context, waiting;
};

} // namespace weft

#endif // WEFT_TOKENIZER_TOKENIZER_H
