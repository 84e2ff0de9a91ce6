//===- Truncation.cpp - texts that are cut to a length --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Truncation.h"

#include "llvm/ADT/StringSwitch.h"

using namespace weft;
using namespace weft::text;

// The lengths of two texts that have `room` tokens together: the shorter one keeps all that it has,
// up to half of them.
static std::pair<size_t, size_t> shareRoom(size_t first, size_t second, size_t room) {
  bool swapped = first > second;
  if (swapped)
    std::swap(first, second);
  if (2 * first > room) {
    first = room / 2;
    second = room - first;
  } else {
    second = room - first;
  }
  return swapped ? std::pair(second, first) : std::pair(first, second);
}

static void shorten(std::vector<Token> &text, size_t length, bool left) {
  size_t gone = text.size() - length;
  text.erase(left ? text.begin() : text.end() - gone, left ? text.begin() + gone : text.end());
}

llvm::Expected<size_t> Truncation::apply(llvm::MutableArrayRef<std::vector<Token>> texts,
                                         size_t special) const {
  if (special > length)
    return llvm::createStringError("truncation.max_length is " + llvm::Twine(length) + ", but " +
                                   llvm::Twine(special) + " special tokens stand around the text");
  size_t room = length - special, total = 0;
  for (const std::vector<Token> &text : texts)
    total += text.size();
  if (total <= room)
    return 0;
  size_t gone = total - room;
  if (strategy == Strategy::LongestFirst && texts.size() == 2) {
    auto [first, second] = shareRoom(texts[0].size(), texts[1].size(), room);
    shorten(texts[0], first, left);
    shorten(texts[1], second, left);
    return gone;
  }
  bool isSecond = strategy == Strategy::OnlySecond;
  if (isSecond && texts.size() < 2)
    return llvm::createStringError("truncation.strategy is OnlySecond, and there is one text");
  std::vector<Token> &text = texts[isSecond];
  if (strategy != Strategy::LongestFirst && text.size() <= gone)
    return llvm::createStringError("truncation.strategy leaves the text of " +
                                   llvm::Twine(text.size()) + " tokens to be cut, and " +
                                   llvm::Twine(gone) + " are too many");
  shorten(text, text.size() - gone, left);
  return gone;
}

Truncation text::readTruncation(const JsonReader &json) {
  // A stride says how far windows overlap; a model reads the first one.
  json.onlyMembers({"direction", "max_length", "strategy", "stride"});
  Truncation result;
  result.length = size_t(json["max_length"].integer(0, 1 << 30));
  std::string direction = json.string("direction", "Right");
  if (direction != "Right" && direction != "Left")
    json["direction"].fail("expected Right or Left, found '" + direction + "'");
  result.left = direction == "Left";
  std::string name = json.string("strategy", "LongestFirst");
  auto strategy = llvm::StringSwitch<std::optional<Truncation::Strategy>>(name)
                      .Case("LongestFirst", Truncation::Strategy::LongestFirst)
                      .Case("OnlyFirst", Truncation::Strategy::OnlyFirst)
                      .Case("OnlySecond", Truncation::Strategy::OnlySecond)
                      .Default(std::nullopt);
  if (!strategy)
    json["strategy"].fail("'" + name + "' is not supported");
  result.strategy = strategy.value_or(Truncation::Strategy::LongestFirst);
  return result;
}
