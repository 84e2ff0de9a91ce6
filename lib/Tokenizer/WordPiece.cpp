//===- WordPiece.cpp - the longest piece first ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A word is cut from left to right; each time the longest token that fits is taken, those after
// the first with a prefix: "unaffable" is un ##aff ##able (Wu et al., 2016; Devlin et al., 2019).
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"
#include "Limits.h"

using namespace weft;
using namespace weft::text;

namespace {

struct WordPiece : Model {
  int32_t unknown = 0;
  std::string prefix;
  size_t longestWord = 100; // a longer one is unknown

  llvm::Error tokenize(const Text &word, std::vector<Token> &tokens) const override {
    std::vector<Token> pieces;
    bool known = word.size() <= longestWord;
    for (size_t begin = 0; known && begin < word.size();) {
      size_t end = longestFrom(word, begin, pieces);
      known = end > begin;
      begin = end;
    }
    if (known)
      tokens.insert(tokens.end(), pieces.begin(), pieces.end());
    else
      tokens.push_back({unknown, word.span()});
    return llvm::Error::success();
  }

  // Adds the longest token from `begin` on and returns its end; `begin` if there is none.
  size_t longestFrom(const Text &word, size_t begin, std::vector<Token> &pieces) const {
    std::vector<size_t> ends; // in `text`, of every character
    std::string text = begin ? prefix : "";
    for (size_t i = begin; i < word.size(); ++i) {
      appendUtf8(word[i], text);
      ends.push_back(text.size());
    }
    for (size_t length = ends.size(); length > 0; --length)
      if (auto id = vocabulary.id(llvm::StringRef(text).take_front(ends[length - 1]))) {
        pieces.push_back({*id, word.span(begin, begin + length)});
        return begin + length;
      }
    return begin;
  }

  void read(const JsonReader &json) {
    json.onlyMembers(
        {"vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"});
    vocabulary.read(json["vocab"]);
    std::string name = json.string("unk_token", "[UNK]");
    std::optional<int32_t> id = vocabulary.id(name);
    if (!id)
      json["unk_token"].fail("'" + name + "' is not in the vocabulary");
    unknown = id.value_or(0);
    prefix = json.string("continuing_subword_prefix", "##");
    JsonReader longest = json["max_input_chars_per_word"];
    if (!longest.isNull())
      longestWord = size_t(longest.integer(1, int64_t(limits::tokenLength)));
  }
};

} // namespace

std::unique_ptr<Model> text::readWordPiece(const JsonReader &json) {
  auto result = std::make_unique<WordPiece>();
  result->read(json);
  return result;
}
