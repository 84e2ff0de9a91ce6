//===- AddedTokens.cpp - tokens that are found before all else ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AddedTokens.h"
#include "Limits.h"

using namespace weft;
using namespace weft::text;

llvm::Error AddedTokens::add(AddedToken token, const Normalizer *normalizer) {
  Text content(token.content);
  if (token.normalized && normalizer)
    if (llvm::Error error = normalizer->run(content))
      return error;
  largest = std::max(largest, token.id);
  // Of equal ones the first counts.
  if (!content.empty())
    patterns[token.normalized][content[0]].try_emplace(std::u32string(content.characters()),
                                                       tokens.size());
  byId.try_emplace(token.id, tokens.size());
  byContent.try_emplace(token.content, tokens.size());
  tokens.push_back(std::move(token));
  return llvm::Error::success();
}

const AddedToken *AddedTokens::find(int32_t id) const {
  auto found = byId.find(id);
  return found == byId.end() ? nullptr : &tokens[found->second];
}

const AddedToken *AddedTokens::find(llvm::StringRef content) const {
  auto found = byContent.find(content);
  return found == byContent.end() ? nullptr : &tokens[found->second];
}

// The longest pattern that the text has at `at`, looked for character by character: those that go
// on like the text are neighbours in the order of the map.
const AddedTokens::Patterns::value_type *AddedTokens::match(const Text &text, size_t at,
                                                            bool normalized) const {
  auto candidates = patterns[normalized].find(uint32_t(text[at]));
  if (candidates == patterns[normalized].end())
    return nullptr;
  const Patterns::value_type *longest = nullptr;
  for (size_t length = 1; at + length <= text.size(); ++length) {
    std::u32string_view prefix = text.characters().substr(at, length);
    auto next = candidates->second.lower_bound(prefix);
    if (next == candidates->second.end() ||
        std::u32string_view(next->first).substr(0, length) != prefix)
      break;
    if (next->first.size() == length)
      longest = &*next;
  }
  return longest;
}

std::vector<Piece> AddedTokens::split(const Text &text, bool normalized) const {
  std::vector<Piece> pieces;
  size_t done = 0; // everything before it is in pieces
  for (size_t at = 0; at < text.size();) {
    const auto *pattern = match(text, at, normalized);
    if (!pattern) {
      ++at;
      continue;
    }
    const AddedToken &token = tokens[pattern->second];
    size_t begin = at, end = at + pattern->first.size();
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
  token.content = json["content"].shortString(limits::tokenLength);
  token.singleWord = json.boolean("single_word", false);
  token.stripLeft = json.boolean("lstrip", false);
  token.stripRight = json.boolean("rstrip", false);
  token.special = json.boolean("special", false);
  token.normalized = json.boolean("normalized", !token.special);
  return token;
}
