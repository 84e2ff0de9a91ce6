//===- AddedTokens.cpp - tokens that are found before all else ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AddedTokens.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;
using namespace weft::text;

void AddedTokens::add(AddedToken token, const Normalizer *normalizer) {
  Text content(token.content);
  if (token.normalized && normalizer)
    llvm::consumeError(normalizer->apply(content)); // then it is looked for as it is
  largest = std::max(largest, token.id);
  if (!content.empty()) {
    auto &same = patterns[token.normalized][content[0]];
    same.push_back({std::u32string(content.characters()), tokens.size()});
    llvm::sort(same, [](auto &a, auto &b) {
      return std::pair(b.content.size(), a.token) < std::pair(a.content.size(), b.token);
    });
  }
  tokens.push_back(std::move(token));
}

const AddedToken *AddedTokens::find(int32_t id) const {
  auto found = llvm::find_if(tokens, [id](const AddedToken &token) { return token.id == id; });
  return found == tokens.end() ? nullptr : &*found;
}

const AddedToken *AddedTokens::find(llvm::StringRef content) const {
  auto found =
      llvm::find_if(tokens, [&](const AddedToken &token) { return token.content == content; });
  return found == tokens.end() ? nullptr : &*found;
}

const AddedTokens::Pattern *AddedTokens::match(const Text &text, size_t at, bool normalized) const {
  auto candidates = patterns[normalized].find(uint32_t(text[at]));
  if (candidates == patterns[normalized].end())
    return nullptr;
  for (const Pattern &pattern : candidates->second)
    if (text.characters().substr(at, pattern.content.size()) == pattern.content)
      return &pattern;
  return nullptr;
}

std::vector<Piece> AddedTokens::split(const Text &text, bool normalized) const {
  std::vector<Piece> pieces;
  size_t done = 0; // everything before it is in pieces
  for (size_t at = 0; at < text.size();) {
    const Pattern *pattern = match(text, at, normalized);
    if (!pattern) {
      ++at;
      continue;
    }
    const AddedToken &token = tokens[pattern->token];
    size_t begin = at, end = at + pattern->content.size();
    at = end;
    if (token.singleWord && ((begin > 0 && isWordCharacter(text[begin - 1])) ||
                             (end < text.size() && isWordCharacter(text[end]))))
      continue;
    while (token.stripLeft && begin > done && isWhitespace(text[begin - 1]))
      --begin;
    while (token.stripRight && end < text.size() && isWhitespace(text[end]))
      ++end;
    if (done < begin)
      pieces.push_back({text.slice(done, begin), std::nullopt});
    pieces.push_back({text.slice(begin, end), token.id});
    done = at = end;
  }
  if (done < text.size())
    pieces.push_back({text.slice(done, text.size()), std::nullopt});
  return pieces;
}

AddedToken text::readAddedToken(const JsonReader &json) {
  json.onlyMembers({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
  AddedToken token;
  token.id = json["id"].id();
  token.content = json["content"].string();
  token.singleWord = json.boolean("single_word", false);
  token.stripLeft = json.boolean("lstrip", false);
  token.stripRight = json.boolean("rstrip", false);
  token.special = json.boolean("special", false);
  token.normalized = json.boolean("normalized", !token.special);
  return token;
}
