//===- Unigram.cpp - the likeliest of all ways to cut ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every piece has a log-probability; of all ways to cut a text into pieces the one with the
// largest sum is taken (Kudo, 2018), found from left to right: best(j) is the maximum over pieces
// [i, j) of best(i) + score. A character that is no piece is unknown, and costs 10 more than the
// worst piece; unknown characters in a row are one token.
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"
#include "Limits.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace weft;
using namespace weft::text;

namespace {

// The best way to the end of a byte, of which this is the last step.
struct Step {
  double score = -std::numeric_limits<double>::infinity();
  size_t begin = 0;
  int32_t id = -1; // -1: unknown
};

struct Unigram : Model {
  std::vector<double> scores; // by id
  std::vector<std::pair<std::string, int32_t>> sorted;
  std::optional<int32_t> unknown;
  bool byteFallback = false;
  double unknownScore = 0;

  llvm::Error tokenize(const Text &word, std::vector<Token> &tokens) const override;
  std::vector<Step> bestSteps(llvm::StringRef bytes) const;
  void extend(llvm::StringRef bytes, size_t begin, size_t character, std::vector<Step> &best) const;
  llvm::Error addUnknown(llvm::StringRef bytes, Span span, std::vector<Token> &tokens) const;
  void read(const JsonReader &json);
};

} // namespace

// The length of the character at the front.
static size_t characterLength(llvm::StringRef bytes) {
  size_t length = 1;
  // Bytes of no character stand alone: fromUtf8 has told them apart before.
  while (length < bytes.size() && length < 4 && (uint8_t(bytes[length]) & 0xC0) == 0x80)
    ++length;
  return fromUtf8(bytes.take_front(length)).size() == 1 ? length : 1;
}

// All pieces that begin at `begin`: those with a common beginning are neighbours in the sorted
// list, so that each further byte narrows [low, high).
void Unigram::extend(llvm::StringRef bytes, size_t begin, size_t character,
                     std::vector<Step> &best) const {
  double reached = best[begin].score;
  bool single = false;
  auto low = sorted.begin(), high = sorted.end();
  for (size_t end = begin + 1; end <= bytes.size(); ++end) {
    size_t at = end - begin - 1;
    auto byteAt = [at](const auto &piece) {
      return at < piece.first.size() ? int(uint8_t(piece.first[at])) : -1;
    };
    int byte = uint8_t(bytes[end - 1]);
    low = std::partition_point(low, high, [&](auto &piece) { return byteAt(piece) < byte; });
    high = std::partition_point(low, high, [&](auto &piece) { return byteAt(piece) <= byte; });
    if (low == high)
      break;
    if (low->first.size() != end - begin)
      continue;
    single |= end - begin == character;
    double score = reached + scores[low->second];
    if (score > best[end].score)
      best[end] = {score, begin, low->second};
  }
  Step &next = best[begin + character];
  if (!single && reached + unknownScore > next.score)
    next = {reached + unknownScore, begin, -1};
}

std::vector<Step> Unigram::bestSteps(llvm::StringRef bytes) const {
  std::vector<Step> best(bytes.size() + 1);
  best[0].score = 0;
  for (size_t begin = 0; begin < bytes.size();) {
    size_t character = characterLength(bytes.substr(begin));
    extend(bytes, begin, character, best);
    begin += character;
  }
  return best;
}

llvm::Error Unigram::addUnknown(llvm::StringRef bytes, Span span,
                                std::vector<Token> &tokens) const {
  std::vector<Token> found;
  for (char byte : bytes)
    if (std::optional<int32_t> id = vocabulary.id(byteToken(uint8_t(byte))))
      found.push_back({*id, span});
  if (byteFallback && found.size() == bytes.size()) {
    tokens.insert(tokens.end(), found.begin(), found.end());
    return llvm::Error::success();
  }
  if (!unknown)
    return llvm::createStringError("the vocabulary has neither '" + bytes +
                                   "' nor a token for what is unknown");
  tokens.push_back({*unknown, span});
  return llvm::Error::success();
}

llvm::Error Unigram::tokenize(const Text &word, std::vector<Token> &tokens) const {
  Utf8Text utf8(word);
  llvm::StringRef bytes = utf8.bytes;
  std::vector<Step> best = bestSteps(bytes);
  std::vector<std::pair<size_t, size_t>> cuts; // from the end
  for (size_t end = bytes.size(); end > 0;) {
    size_t begin = best[end].begin;
    while (best[end].id < 0 && begin > 0 && best[begin].id < 0)
      begin = best[begin].begin; // one token for all unknown characters in a row
    cuts.emplace_back(begin, end);
    end = begin;
  }
  for (auto [begin, end] : llvm::reverse(cuts)) {
    Span span = utf8.span(begin, end);
    if (best[end].id >= 0)
      tokens.push_back({best[end].id, span});
    else if (llvm::Error error = addUnknown(bytes.slice(begin, end), span, tokens))
      return error;
  }
  return llvm::Error::success();
}

void Unigram::read(const JsonReader &json) {
  json.onlyMembers({"vocab", "unk_id", "byte_fallback"});
  double worst = std::numeric_limits<double>::infinity();
  for (const JsonReader &entry : json["vocab"].elements()) {
    std::vector<JsonReader> parts = entry.elements();
    if (parts.size() != 2)
      return entry.fail("expected a piece and its score");
    std::string piece = parts[0].shortString(limits::tokenLength);
    int32_t id = int32_t(scores.size());
    scores.push_back(parts[1].number());
    if (!(std::abs(scores.back()) <= limits::score))
      parts[1].fail("is no score from -1e6 to 1e6");
    worst = std::min(worst, scores.back());
    vocabulary.add(piece, id);
    sorted.emplace_back(piece, id);
    if (json.failed())
      return;
  }
  if (scores.empty())
    return json["vocab"].fail("the vocabulary is empty");
  llvm::erase_if(sorted, [this](auto &piece) {
    return piece.first.empty() || *vocabulary.id(piece.first) != piece.second;
  });
  llvm::sort(sorted);
  unknownScore = worst - 10;
  byteFallback = json.boolean("byte_fallback", false);
  if (!json["unk_id"].isNull())
    unknown = int32_t(json["unk_id"].integer(0, int64_t(scores.size()) - 1));
}

std::unique_ptr<Model> text::readUnigram(const JsonReader &json) {
  auto result = std::make_unique<Unigram>();
  result->read(json);
  return result;
}
