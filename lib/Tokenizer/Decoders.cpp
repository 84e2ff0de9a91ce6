//===- Decoders.cpp - tokens back to text ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"
#include "Limits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace weft;
using namespace weft::text;

namespace {

// Pieces with the prefix belong to the word before them.
struct WordPieceDecoder : Decoder {
  std::string prefix;
  bool cleanup;

  void apply(std::vector<std::string> &tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      llvm::StringRef token = tokens[i];
      bool beginsWord = i > 0 && !token.consume_front(prefix);
      std::string text = (beginsWord ? " " : "") + token.str();
      tokens[i] = cleanup ? cleaned(std::move(text)) : text;
    }
  }

  static void replaceAll(std::string &text, llvm::StringRef from, llvm::StringRef to) {
    for (size_t at = 0; (at = text.find(from.data(), at, from.size())) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to.data(), to.size());
  }

  // No spaces before punctuation and in contractions.
  static std::string cleaned(std::string text) {
    static const std::pair<const char *, const char *> rules[] = {
        {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
        {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
        {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (auto [from, to] : rules)
      replaceAll(text, from, to);
    return text;
  }
};

// A suffix ends a word.
struct SuffixDecoder : Decoder {
  std::string suffix;
  void apply(std::vector<std::string> &tokens) const override {
    for (size_t i = 0; i < tokens.size() && !suffix.empty(); ++i)
      WordPieceDecoder::replaceAll(tokens[i], suffix, i + 1 < tokens.size() ? " " : "");
  }
};

// "<0xE2>" is a byte.
struct ByteFallback : Decoder {
  void apply(std::vector<std::string> &tokens) const override {
    for (std::string &token : tokens) {
      llvm::StringRef digits = token;
      uint8_t byte;
      if (token.size() == 6 && digits.consume_front("<0x") && digits.consume_back(">") &&
          !digits.getAsInteger(16, byte))
        token.assign(1, char(byte));
    }
  }
};

struct Fuse : Decoder {
  void apply(std::vector<std::string> &tokens) const override {
    tokens.assign(1, llvm::join(tokens, ""));
  }
};

// Takes up to so many of one character off the ends of every token.
struct StripCharacters : Decoder {
  std::string content;
  int64_t start, stop;
  void apply(std::vector<std::string> &tokens) const override {
    for (std::string &token : tokens) {
      llvm::StringRef rest = token;
      for (int64_t i = 0; i < start && rest.consume_front(content); ++i)
        ;
      for (int64_t i = 0; i < stop && rest.consume_back(content); ++i)
        ;
      token = rest.str();
    }
  }
};

struct ReplaceDecoder : Decoder {
  Regex pattern;
  std::string content;
  ReplaceDecoder(Regex pattern, std::string content)
      : pattern(std::move(pattern)), content(std::move(content)) {}

  void apply(std::vector<std::string> &tokens) const override {
    for (std::string &token : tokens) {
      std::u32string characters = fromUtf8(token);
      llvm::Expected<std::vector<Range>> ranges = pattern.matches(characters);
      if (!ranges) { // of a token no text is made that would be a better one
        llvm::consumeError(ranges.takeError());
        continue;
      }
      size_t length = characters.size() + ranges->size() * content.size();
      for (auto [begin, end] : *ranges)
        length -= end - begin;
      if (length > std::max(limits::decodedBytes, characters.size()))
        continue;
      std::string result;
      size_t at = 0;
      for (auto [begin, end] : *ranges) {
        result += toUtf8(std::u32string_view(characters).substr(at, begin - at)) + content;
        at = end;
      }
      token = result + toUtf8(std::u32string_view(characters).substr(at));
    }
  }
};

struct DecoderSequence : Decoder {
  std::vector<std::unique_ptr<Decoder>> parts;
  void apply(std::vector<std::string> &tokens) const override {
    for (const std::unique_ptr<Decoder> &part : parts)
      part->apply(tokens);
  }
};

} // namespace

static std::unique_ptr<Decoder> readSequence(const JsonReader &json) {
  json.onlyMembers({"decoders"});
  auto sequence = std::make_unique<DecoderSequence>();
  for (const JsonReader &part : json["decoders"].elements(limits::parts))
    if (std::unique_ptr<Decoder> decoder = readDecoder(part))
      sequence->parts.push_back(std::move(decoder));
  return sequence;
}

static std::unique_ptr<Decoder> readWordPieceDecoder(const JsonReader &json) {
  json.onlyMembers({"prefix", "cleanup"});
  auto result = std::make_unique<WordPieceDecoder>();
  result->prefix = json.string("prefix", "##");
  result->cleanup = json.boolean("cleanup", true);
  return result;
}

static std::unique_ptr<Decoder> readSuffix(const JsonReader &json) {
  json.onlyMembers({"suffix"});
  auto result = std::make_unique<SuffixDecoder>();
  result->suffix = json.string("suffix", "</w>");
  return result;
}

static std::unique_ptr<Decoder> readStrip(const JsonReader &json) {
  json.onlyMembers({"content", "start", "stop"});
  auto result = std::make_unique<StripCharacters>();
  result->content = json["content"].string();
  if (result->content.empty())
    json["content"].fail("expected a character");
  result->start = json["start"].integer(0, 1 << 20);
  result->stop = json["stop"].integer(0, 1 << 20);
  return result;
}

static std::unique_ptr<Decoder> readReplace(const JsonReader &json) {
  json.onlyMembers({"pattern", "content"});
  std::optional<Regex> pattern = readPattern(json["pattern"]);
  std::string content = json["content"].string();
  return pattern ? std::make_unique<ReplaceDecoder>(std::move(*pattern), content) : nullptr;
}

template <typename D> static std::unique_ptr<Decoder> readPlain(const JsonReader &json) {
  json.onlyMembers({});
  return std::make_unique<D>();
}

std::unique_ptr<Decoder> text::readDecoder(const JsonReader &json) {
  std::string type = json["type"].string();
  if (json.failed())
    return nullptr;
  auto read = llvm::StringSwitch<std::unique_ptr<Decoder> (*)(const JsonReader &)>(type)
                  .Case("Sequence", readSequence)
                  .Case("ByteLevel", readByteLevelDecoder)
                  .Case("WordPiece", readWordPieceDecoder)
                  .Case("Metaspace", readMetaspaceDecoder)
                  .Case("BPEDecoder", readSuffix)
                  .Case("ByteFallback", readPlain<ByteFallback>)
                  .Case("Fuse", readPlain<Fuse>)
                  .Case("Strip", readStrip)
                  .Case("Replace", readReplace)
                  .Default(nullptr);
  if (read)
    return read(json);
  json.fail("decoder '" + type + "' is not supported");
  return nullptr;
}
