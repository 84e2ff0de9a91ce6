//===- Normalizers.cpp - the plain normalisers ----------------------------------------------===//
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

struct NormalForm : Normalizer {
  UnicodeForm form;
  explicit NormalForm(UnicodeForm form) : form(form) {}
  llvm::Error apply(Text &text) const override {
    text = normalized(text, form);
    return llvm::Error::success();
  }
};

// Each character becomes others, by a function.
struct MapCharacters : Normalizer {
  std::u32string (*map)(char32_t);
  explicit MapCharacters(std::u32string (*map)(char32_t)) : map(map) {}
  llvm::Error apply(Text &text) const override {
    text = mapCharacters(text, map);
    return llvm::Error::success();
  }
};

struct StripEnds : Normalizer {
  bool left, right;
  StripEnds(bool left, bool right) : left(left), right(right) {}
  llvm::Error apply(Text &text) const override {
    size_t begin = 0, end = text.size();
    while (left && begin < end && isWhitespace(text[begin]))
      ++begin;
    while (right && begin < end && isWhitespace(text[end - 1]))
      --end;
    text = text.slice(begin, end);
    return llvm::Error::success();
  }
};

struct Replace : Normalizer {
  Regex pattern;
  std::u32string content;
  Replace(Regex pattern, std::u32string content)
      : pattern(std::move(pattern)), content(std::move(content)) {}
  llvm::Error apply(Text &text) const override {
    llvm::Expected<std::vector<Range>> ranges = pattern.matches(text.characters());
    if (!ranges)
      return ranges.takeError();
    size_t length = text.size() + ranges->size() * content.size();
    for (auto [begin, end] : *ranges)
      length -= end - begin;
    if (llvm::Error error = checkLength(length, text.sourceBytes()))
      return error;
    Text result;
    size_t at = 0;
    for (auto [begin, end] : *ranges) {
      for (; at < begin; ++at)
        result.keep(text, at);
      result.replace(text, begin, end, content);
      at = end;
    }
    for (; at < text.size(); ++at)
      result.keep(text, at);
    text = std::move(result);
    return llvm::Error::success();
  }
};

struct Prepend : Normalizer {
  std::u32string content;
  explicit Prepend(std::u32string content) : content(std::move(content)) {}
  llvm::Error apply(Text &text) const override {
    if (text.empty())
      return llvm::Error::success();
    if (llvm::Error error = checkLength(text.size() + content.size(), text.sourceBytes()))
      return error;
    text.prepend(content);
    return llvm::Error::success();
  }
};

// Every byte of UTF-8 becomes the character that stands for it.
struct ByteLevelNormalizer : Normalizer {
  llvm::Error apply(Text &text) const override {
    text = byteCharacters(text);
    return llvm::Error::success();
  }
};

struct NormalizerSequence : Normalizer {
  std::vector<std::unique_ptr<Normalizer>> parts;
  llvm::Error apply(Text &text) const override {
    for (const std::unique_ptr<Normalizer> &part : parts)
      if (llvm::Error error = part->run(text))
        return error;
    return llvm::Error::success();
  }
};

} // namespace

static std::u32string withoutMark(char32_t c) {
  return isMark(c) ? std::u32string() : std::u32string(1, c);
}

// The rules of "nmt" of SentencePiece: control characters go, odd spaces become plain ones.
static std::u32string nmtRule(char32_t c) {
  if ((c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
      c == 0x9F)
    return {};
  bool space = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
               (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
               c == 0xFEFF || c == 0xFFFD;
  return std::u32string(1, space ? U' ' : c);
}

std::optional<Regex> text::readPattern(const JsonReader &json) {
  JsonReader literal = json["String"], regex = json["Regex"];
  std::string pattern;
  if (!literal.isNull()) {
    for (char c : literal.string()) {
      if (uint8_t(c) < 0x80 && !isWordCharacter(char32_t(c)))
        pattern += '\\';
      pattern += c;
    }
  } else {
    pattern = regex.string();
  }
  llvm::Expected<Regex> compiled = Regex::compile(pattern, json.origin());
  if (compiled)
    return std::move(*compiled);
  json.fail(llvm::toString(compiled.takeError()));
  return std::nullopt;
}

static std::unique_ptr<Normalizer> readSequence(const JsonReader &json) {
  json.onlyMembers({"normalizers"});
  auto sequence = std::make_unique<NormalizerSequence>();
  for (const JsonReader &part : json["normalizers"].elements(limits::parts))
    if (std::unique_ptr<Normalizer> normalizer = readNormalizer(part))
      sequence->parts.push_back(std::move(normalizer));
  return sequence;
}

static std::unique_ptr<Normalizer> readReplace(const JsonReader &json) {
  json.onlyMembers({"pattern", "content"});
  std::optional<Regex> pattern = readPattern(json["pattern"]);
  std::u32string content = fromUtf8(json["content"].string());
  return pattern ? std::make_unique<Replace>(std::move(*pattern), content) : nullptr;
}

static std::unique_ptr<Normalizer> readStrip(const JsonReader &json) {
  json.onlyMembers({"strip_left", "strip_right"});
  return std::make_unique<StripEnds>(json.boolean("strip_left", true),
                                     json.boolean("strip_right", true));
}

static std::unique_ptr<Normalizer> readPrepend(const JsonReader &json) {
  json.onlyMembers({"prepend"});
  return std::make_unique<Prepend>(fromUtf8(json["prepend"].string()));
}

// Those without options.
static std::unique_ptr<Normalizer> readPlain(const JsonReader &json, llvm::StringRef type) {
  json.onlyMembers({});
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD")
    return std::make_unique<NormalForm>(llvm::StringSwitch<UnicodeForm>(type)
                                            .Case("NFC", UnicodeForm::NFC)
                                            .Case("NFD", UnicodeForm::NFD)
                                            .Case("NFKC", UnicodeForm::NFKC)
                                            .Default(UnicodeForm::NFKD));
  if (type == "Lowercase")
    return std::make_unique<MapCharacters>(lowercase);
  if (type == "StripAccents")
    return std::make_unique<MapCharacters>(withoutMark);
  if (type == "Nmt")
    return std::make_unique<MapCharacters>(nmtRule);
  if (type == "ByteLevel")
    return std::make_unique<ByteLevelNormalizer>();
  json.fail("normalizer '" + type + "' is not supported");
  return nullptr;
}

std::unique_ptr<Normalizer> text::readNormalizer(const JsonReader &json) {
  std::string type = json["type"].string();
  if (json.failed())
    return nullptr;
  auto read = llvm::StringSwitch<std::unique_ptr<Normalizer> (*)(const JsonReader &)>(type)
                  .Case("Sequence", readSequence)
                  .Case("BertNormalizer", readBertNormalizer)
                  .Case("Precompiled", readPrecompiled)
                  .Case("Replace", readReplace)
                  .Case("Strip", readStrip)
                  .Case("Prepend", readPrepend)
                  .Default(nullptr);
  std::unique_ptr<Normalizer> result = read ? read(json) : readPlain(json, type);
  if (result)
    result->origin = json.origin();
  return result;
}
