//===- Components.h - the parts of a tokenizer ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A text goes through a normaliser, which changes characters; pre-tokenizers, which cut it into
// words; a model, which takes each word to tokens; and a template, which puts special tokens
// around. A decoder takes tokens back to text. All are made from the objects of a tokenizer.json.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TOKENIZER_COMPONENTS_H
#define WEFT_LIB_TOKENIZER_COMPONENTS_H

#include "Unicode.h"
#include "weft/Support/JsonReader.h"

#include "llvm/ADT/DenseMap.h"

namespace weft::text {

// A part that texts go through, and where it stands: errors say so.
class Component {
public:
  virtual ~Component() = default;
  std::string origin;

  // Fails if the step would make more characters of so many bytes than limits::characters allows.
  llvm::Error checkLength(size_t characters, size_t bytes) const;
};

class Normalizer : public Component {
public:
  // Changes the text; what it may become depends on the bytes that it comes from.
  llvm::Error run(Text &text) const;

private:
  virtual llvm::Error apply(Text &text) const = 0;
};

class PreTokenizer : public Component {
public:
  // Cuts every piece into smaller ones.
  llvm::Error run(std::vector<Text> &pieces) const;

private:
  virtual llvm::Error apply(std::vector<Text> &pieces) const = 0;
};

struct Token {
  int32_t id = 0;
  Span span;
};

// Tokens by their texts, and the other way round.
class Vocabulary {
public:
  // Of two tokens with one id, the first is that of the id; of two ids of a token, the last.
  void add(llvm::StringRef token, int32_t id);
  std::optional<int32_t> id(llvm::StringRef token) const;
  std::optional<llvm::StringRef> token(int32_t id) const;
  int32_t size() const { return largest + 1; }
  // Reads {"token": id, ...}.
  void read(const JsonReader &json);

private:
  llvm::StringMap<int32_t> ids;
  llvm::DenseMap<int32_t, llvm::StringRef> tokens;
  int32_t largest = -1;
};

class Model {
public:
  virtual ~Model() = default;
  virtual llvm::Error tokenize(const Text &word, std::vector<Token> &tokens) const = 0;
  virtual std::optional<int32_t> id(llvm::StringRef token) const { return vocabulary.id(token); }
  virtual std::optional<std::string> token(int32_t id) const;
  virtual int32_t size() const { return vocabulary.size(); }

protected:
  Vocabulary vocabulary;
};

class Decoder {
public:
  virtual ~Decoder() = default;
  // Changes the texts of a sequence of tokens, or their number; in the end they are put together.
  virtual void apply(std::vector<std::string> &tokens) const = 0;
};

// What stands around one text, or two. An item is one of the texts, or special tokens.
struct Template {
  struct Item {
    int source = -1; // 0, 1: this text; -1: `ids`
    int32_t type = 0;
    std::vector<int32_t> ids;
  };
  std::vector<Item> single = {{0, 0, {}}};
  std::vector<Item> pair = {{0, 0, {}}, {1, 1, {}}};
};

// Each reads the object at its place and reports what is wrong there; a result may be null then.
std::unique_ptr<Normalizer> readNormalizer(const JsonReader &json);
std::unique_ptr<PreTokenizer> readPreTokenizer(const JsonReader &json);
std::unique_ptr<Model> readModel(const JsonReader &json);
std::unique_ptr<Decoder> readDecoder(const JsonReader &json);
Template readTemplate(const JsonReader &json);

// The families that have files of their own.
std::unique_ptr<Normalizer> readBertNormalizer(const JsonReader &json);
std::unique_ptr<Normalizer> readPrecompiled(const JsonReader &json);
std::unique_ptr<PreTokenizer> readByteLevel(const JsonReader &json);
std::unique_ptr<PreTokenizer> readMetaspace(const JsonReader &json);
std::unique_ptr<PreTokenizer> readSplit(const JsonReader &json);
std::unique_ptr<Decoder> readByteLevelDecoder(const JsonReader &json);
std::unique_ptr<Decoder> readMetaspaceDecoder(const JsonReader &json);
std::unique_ptr<Model> readBPE(const JsonReader &json);
std::unique_ptr<Model> readWordPiece(const JsonReader &json);
std::unique_ptr<Model> readWordLevel(const JsonReader &json);
std::unique_ptr<Model> readUnigram(const JsonReader &json);

// The character that stands for a byte in byte-level vocabularies, and the byte of a character.
char32_t characterOfByte(uint8_t byte);
std::optional<uint8_t> byteOfCharacter(char32_t character);
// The bytes of a text in UTF-8, as these characters.
Text byteCharacters(const Text &text);
// "<0xE2>", the token of a byte where vocabularies fall back to bytes.
std::string byteToken(uint8_t byte);

// A "pattern" of a tokenizer.json: {"String": ...} or {"Regex": ...}; null if it is bad.
std::optional<Regex> readPattern(const JsonReader &json);

// What becomes of the places where a pattern matches.
enum class Behavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };
Behavior readBehavior(const JsonReader &json);
// Cuts a text at the (sorted, disjoint) matches.
void splitAt(const Text &text, llvm::ArrayRef<Range> matches, Behavior behavior, bool invert,
             std::vector<Text> &pieces);
// The same at single characters.
void splitAtCharacters(const Text &text, llvm::function_ref<bool(char32_t)> matches,
                       Behavior behavior, std::vector<Text> &pieces);

} // namespace weft::text

#endif // WEFT_LIB_TOKENIZER_COMPONENTS_H
