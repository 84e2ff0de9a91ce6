//===- PreTokenizers.cpp - the plain pre-tokenizers -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"
#include "Limits.h"

#include "llvm/ADT/StringSwitch.h"

using namespace weft;
using namespace weft::text;

namespace {

// Cuts at the characters of a class.
struct AtCharacters : PreTokenizer {
  bool (*matches)(char32_t);
  Behavior behavior;
  AtCharacters(bool (*matches)(char32_t), Behavior behavior)
      : matches(matches), behavior(behavior) {}
  llvm::Error apply(std::vector<Text> &pieces) const override {
    std::vector<Text> result;
    for (const Text &piece : pieces)
      splitAtCharacters(piece, matches, behavior, result);
    pieces = std::move(result);
    return llvm::Error::success();
  }
};

struct AtDelimiter : PreTokenizer {
  char32_t delimiter;
  explicit AtDelimiter(char32_t delimiter) : delimiter(delimiter) {}
  llvm::Error apply(std::vector<Text> &pieces) const override {
    std::vector<Text> result;
    for (const Text &piece : pieces)
      splitAtCharacters(
          piece, [this](char32_t c) { return c == delimiter; }, Behavior::Removed, result);
    pieces = std::move(result);
    return llvm::Error::success();
  }
};

struct PreTokenizerSequence : PreTokenizer {
  std::vector<std::unique_ptr<PreTokenizer>> parts;
  llvm::Error apply(std::vector<Text> &pieces) const override {
    for (const std::unique_ptr<PreTokenizer> &part : parts)
      if (llvm::Error error = part->run(pieces))
        return error;
    return llvm::Error::success();
  }
};

} // namespace

static std::unique_ptr<PreTokenizer> readSequence(const JsonReader &json) {
  json.onlyMembers({"pretokenizers"});
  auto sequence = std::make_unique<PreTokenizerSequence>();
  for (const JsonReader &part : json["pretokenizers"].elements(limits::parts))
    if (std::unique_ptr<PreTokenizer> preTokenizer = readPreTokenizer(part))
      sequence->parts.push_back(std::move(preTokenizer));
  return sequence;
}

// Words at white space, then every punctuation mark by itself.
static std::unique_ptr<PreTokenizer> readBert(const JsonReader &json) {
  json.onlyMembers({});
  auto sequence = std::make_unique<PreTokenizerSequence>();
  sequence->parts.push_back(std::make_unique<AtCharacters>(isWhitespace, Behavior::Removed));
  sequence->parts.push_back(std::make_unique<AtCharacters>(isPunctuation, Behavior::Isolated));
  return sequence;
}

static std::unique_ptr<PreTokenizer> readWhitespaceSplit(const JsonReader &json) {
  json.onlyMembers({});
  return std::make_unique<AtCharacters>(isWhitespace, Behavior::Removed);
}

static std::unique_ptr<PreTokenizer> readPunctuation(const JsonReader &json) {
  json.onlyMembers({"behavior"});
  JsonReader behavior = json["behavior"];
  return std::make_unique<AtCharacters>(isPunctuation, behavior.isNull() ? Behavior::Isolated
                                                                         : readBehavior(behavior));
}

static std::unique_ptr<PreTokenizer> readDigits(const JsonReader &json) {
  json.onlyMembers({"individual_digits"});
  bool single = json.boolean("individual_digits", false);
  return std::make_unique<AtCharacters>(isNumeric,
                                        single ? Behavior::Isolated : Behavior::Contiguous);
}

static std::unique_ptr<PreTokenizer> readDelimiter(const JsonReader &json) {
  json.onlyMembers({"delimiter"});
  JsonReader delimiter = json["delimiter"];
  std::u32string character = fromUtf8(delimiter.string());
  if (character.size() != 1) {
    delimiter.fail("expected one character");
    return nullptr;
  }
  return std::make_unique<AtDelimiter>(character.front());
}

std::unique_ptr<PreTokenizer> text::readPreTokenizer(const JsonReader &json) {
  std::string type = json["type"].string();
  if (json.failed())
    return nullptr;
  auto read = llvm::StringSwitch<std::unique_ptr<PreTokenizer> (*)(const JsonReader &)>(type)
                  .Case("Sequence", readSequence)
                  .Case("BertPreTokenizer", readBert)
                  .Case("ByteLevel", readByteLevel)
                  .Case("Metaspace", readMetaspace)
                  .Cases({"Split", "Whitespace"}, readSplit)
                  .Case("WhitespaceSplit", readWhitespaceSplit)
                  .Case("Punctuation", readPunctuation)
                  .Case("Digits", readDigits)
                  .Case("CharDelimiterSplit", readDelimiter)
                  .Default(nullptr);
  if (!read)
    json.fail("pre_tokenizer '" + type + "' is not supported");
  std::unique_ptr<PreTokenizer> result = read ? read(json) : nullptr;
  if (result)
    result->origin = json.origin();
  return result;
}
