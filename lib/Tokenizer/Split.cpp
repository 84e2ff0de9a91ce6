//===- Split.cpp - cutting a text where a pattern matches -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"

#include "llvm/ADT/StringSwitch.h"

using namespace weft;
using namespace weft::text;

namespace {

// A stretch of the text, all of it a match or none of it.
struct Stretch {
  size_t begin, end;
  bool match;
};

struct Split : PreTokenizer {
  Regex pattern;
  Behavior behavior;
  bool invert;
  Split(Regex pattern, Behavior behavior, bool invert)
      : pattern(std::move(pattern)), behavior(behavior), invert(invert) {}

  llvm::Error apply(std::vector<Text> &pieces) const override {
    std::vector<Text> result;
    for (const Text &piece : pieces) {
      llvm::Expected<std::vector<Range>> ranges = pattern.matches(piece.characters());
      if (!ranges)
        return ranges.takeError();
      splitAt(piece, *ranges, behavior, invert, result);
    }
    pieces = std::move(result);
    return llvm::Error::success();
  }
};

} // namespace

static std::vector<Stretch> stretches(size_t size, llvm::ArrayRef<Range> matches, bool invert) {
  std::vector<Stretch> result;
  size_t at = 0;
  for (auto [begin, end] : matches) {
    if (at < begin)
      result.push_back({at, begin, invert});
    if (begin < end)
      result.push_back({begin, end, !invert});
    at = end;
  }
  if (at < size)
    result.push_back({at, size, invert});
  return result;
}

// Whether a stretch belongs to the piece of the one before it.
static bool joins(const Stretch &before, const Stretch &next, Behavior behavior) {
  switch (behavior) {
  case Behavior::Removed:
  case Behavior::Isolated:
    return false;
  case Behavior::MergedWithPrevious:
    return next.match && !before.match;
  case Behavior::MergedWithNext:
    return before.match && !next.match;
  case Behavior::Contiguous:
    return before.match == next.match;
  }
  llvm_unreachable("unknown behavior");
}

void text::splitAt(const Text &text, llvm::ArrayRef<Range> matches, Behavior behavior, bool invert,
                   std::vector<Text> &pieces) {
  std::vector<Stretch> all = stretches(text.size(), matches, invert);
  for (size_t i = 0, next; i < all.size(); i = next) {
    for (next = i + 1; next < all.size() && joins(all[next - 1], all[next], behavior); ++next)
      ;
    if (behavior != Behavior::Removed || !all[i].match)
      pieces.push_back(text.slice(all[i].begin, all[next - 1].end));
  }
}

void text::splitAtCharacters(const Text &text, llvm::function_ref<bool(char32_t)> matches,
                             Behavior behavior, std::vector<Text> &pieces) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < text.size(); ++i)
    if (matches(text[i]))
      ranges.emplace_back(i, i + 1);
  splitAt(text, ranges, behavior, false, pieces);
}

Behavior text::readBehavior(const JsonReader &json) {
  std::string name = json.string();
  std::optional<Behavior> found =
      llvm::StringSwitch<std::optional<Behavior>>(name)
          .Cases({"Removed", "removed"}, Behavior::Removed)
          .Cases({"Isolated", "isolated"}, Behavior::Isolated)
          .Cases({"MergedWithPrevious", "merged_with_previous"}, Behavior::MergedWithPrevious)
          .Cases({"MergedWithNext", "merged_with_next"}, Behavior::MergedWithNext)
          .Cases({"Contiguous", "contiguous"}, Behavior::Contiguous)
          .Default(std::nullopt);
  if (!found)
    json.fail("behavior '" + name + "' is not supported");
  return found.value_or(Behavior::Removed);
}

std::unique_ptr<PreTokenizer> text::readSplit(const JsonReader &json) {
  if (json["type"].string() == "Whitespace") {
    json.onlyMembers({});
    return std::make_unique<Split>(llvm::cantFail(Regex::compile("\\w+|[^\\w\\s]+", json.origin())),
                                   Behavior::Removed, true);
  }
  json.onlyMembers({"pattern", "behavior", "invert"});
  std::optional<Regex> pattern = readPattern(json["pattern"]);
  Behavior behavior = readBehavior(json["behavior"]);
  bool invert = json.boolean("invert", false);
  return pattern ? std::make_unique<Split>(std::move(*pattern), behavior, invert) : nullptr;
}
