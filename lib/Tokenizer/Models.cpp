//===- Models.cpp - vocabularies, and models by their type ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace weft;
using namespace weft::text;

void Vocabulary::add(llvm::StringRef token, int32_t id) {
  auto [place, added] = ids.try_emplace(token, id);
  if (!added)
    place->second = id;
  tokens.try_emplace(id, place->first());
  largest = std::max(largest, id);
}

std::optional<int32_t> Vocabulary::id(llvm::StringRef token) const {
  auto found = ids.find(token);
  return found == ids.end() ? std::nullopt : std::optional<int32_t>(found->second);
}

std::optional<llvm::StringRef> Vocabulary::token(int32_t id) const {
  auto found = tokens.find(id);
  return found == tokens.end() ? std::nullopt : std::optional<llvm::StringRef>(found->second);
}

void Vocabulary::read(const JsonReader &json) {
  for (auto [id, token] : json.ids())
    add(token, id);
}

std::optional<std::string> Model::token(int32_t id) const {
  std::optional<llvm::StringRef> found = vocabulary.token(id);
  return found ? std::optional<std::string>(found->str()) : std::nullopt;
}

std::string text::byteToken(uint8_t byte) {
  return "<0x" + llvm::toHex(llvm::ArrayRef(byte)) + ">";
}

namespace {

// Whole words only.
struct WordLevel : Model {
  int32_t unknown = 0;

  llvm::Error tokenize(const Text &word, std::vector<Token> &tokens) const override {
    tokens.push_back({vocabulary.id(word.utf8()).value_or(unknown), word.span()});
    return llvm::Error::success();
  }

  void read(const JsonReader &json) {
    json.onlyMembers({"vocab", "unk_token"});
    vocabulary.read(json["vocab"]);
    std::string name = json.string("unk_token", "<unk>");
    std::optional<int32_t> id = vocabulary.id(name);
    if (!id)
      json["unk_token"].fail("'" + name + "' is not in the vocabulary");
    unknown = id.value_or(0);
  }
};

} // namespace

std::unique_ptr<Model> text::readWordLevel(const JsonReader &json) {
  auto result = std::make_unique<WordLevel>();
  result->read(json);
  return result;
}

// Files of the first versions do not say which model they have.
static std::string modelType(const JsonReader &json) {
  JsonReader type = json["type"];
  if (!type.isNull())
    return type.string();
  if (!json["merges"].isNull())
    return "BPE";
  if (json["vocab"].isArray())
    return "Unigram";
  return json["continuing_subword_prefix"].isNull() ? "WordLevel" : "WordPiece";
}

std::unique_ptr<Model> text::readModel(const JsonReader &json) {
  std::string type = modelType(json);
  if (json.failed())
    return nullptr;
  auto read = llvm::StringSwitch<std::unique_ptr<Model> (*)(const JsonReader &)>(type)
                  .Case("BPE", readBPE)
                  .Case("WordPiece", readWordPiece)
                  .Case("WordLevel", readWordLevel)
                  .Case("Unigram", readUnigram)
                  .Default(nullptr);
  if (read)
    return read(json);
  json.fail("model '" + type + "' is not supported");
  return nullptr;
}
