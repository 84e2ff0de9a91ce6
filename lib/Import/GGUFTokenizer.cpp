//===- GGUFTokenizer.cpp - The tokenizer of a GGUF file as files of its own -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A GGUF file lists tokens, with a type and a score each, or with merges. Two kinds of byte pair
// encoding are made of that: over bytes (tokenizer.ggml.model is "gpt2"), where tokenizer.ggml.pre
// says how texts are cut into words (GGUFTokenizers.json), and SentencePiece's ("llama"), where the
// score of a token says when it is merged.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Import/GGUFTokenizer.h"

#include "GGUFVocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace weft {

static const char wordsText[] =
#include "GGUFTokenizers.inc"
    ;

/// How texts are cut for the vocabularies called `name`; null if nobody knows.
static const json::Object *findWords(StringRef name) {
  static const json::Value table = cantFail(json::parse(wordsText));
  for (const json::Value &entry : *table.getAsArray())
    if (is_contained(*entry.getAsObject()->getArray("pre"), json::Value(name)))
      return entry.getAsObject();
  return nullptr;
}

namespace {

/// Puts the two files together.
class Describer {
public:
  explicit Describer(const GgufFile &file) : file(file) {}

  Expected<TokenizerFiles> run();

private:
  std::string string(StringRef key, StringRef fallback) const;
  bool flag(StringRef key, bool fallback) const;
  void describeBytes();
  void describePieces();
  void describeUnknown(StringRef model);
  json::Array addedTokens() const;
  json::Object surroundings() const;
  std::string describeRoles() const;

  const GgufFile &file;
  GgufVocabulary vocabulary;
  json::Object root;
  bool addsBegin = false; // where the file does not say
};

} // namespace

std::string Describer::string(StringRef key, StringRef fallback) const {
  const GgufValue *value = file.key(key);
  std::optional<StringRef> text = value ? value->asString() : std::nullopt;
  return json::fixUTF8(text.value_or(fallback));
}

bool Describer::flag(StringRef key, bool fallback) const {
  const GgufValue *value = file.key(key);
  return value ? value->asBool().value_or(fallback) : fallback;
}

/// Byte pairs over bytes.
void Describer::describeBytes() {
  std::string name = string("tokenizer.ggml.pre", "default");
  const json::Object *words = findWords(name);
  json::Object model{
      {"type", "BPE"},
      {"vocab", vocabulary.ids()},
      {"merges", vocabulary.merges()},
      {"ignore_merges", words && words->getBoolean("ignore_merges").value_or(false)}};
  root["model"] = std::move(model);
  root["decoder"] = json::Object{{"type", "ByteLevel"}};
  if (!words) {
    root["pre_tokenizer"] = json::Object{{"type", "tokenizer.ggml.pre " + name}};
    return;
  }
  root["pre_tokenizer"] = *words->get("pre_tokenizer");
  if (const json::Value *normalizer = words->get("normalizer"))
    root["normalizer"] = *normalizer;
  addsBegin = words->getBoolean("add_bos_token").value_or(false);
}

static json::Object replace(StringRef what, StringRef by) {
  return json::Object{
      {"type", "Replace"}, {"pattern", json::Object{{"String", what}}}, {"content", by}};
}

/// SentencePiece: spaces are characters of their own, and one stands before the text.
void Describer::describePieces() {
  static constexpr StringLiteral space = "\xe2\x96\x81";
  bool prepends = flag("tokenizer.ggml.add_space_prefix", true);
  json::Array normalizers, decoders{replace(space, " "), json::Object{{"type", "ByteFallback"}},
                                    json::Object{{"type", "Fuse"}}};
  if (prepends) {
    normalizers.push_back(json::Object{{"type", "Prepend"}, {"prepend", space}});
    decoders.push_back(
        json::Object{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  normalizers.push_back(replace(" ", space));
  root["normalizer"] = json::Object{{"type", "Sequence"}, {"normalizers", std::move(normalizers)}};
  root["decoder"] = json::Object{{"type", "Sequence"}, {"decoders", std::move(decoders)}};
  json::Object model{{"type", "BPE"},
                     {"vocab", vocabulary.ids()},
                     {"merges", vocabulary.mergesByScore()},
                     {"byte_fallback", true},
                     {"fuse_unk", true}};
  if (std::optional<std::string> unknown = vocabulary.role("unknown_token_id"))
    model["unk_token"] = *unknown;
  root["model"] = std::move(model);
  addsBegin = true;
}

void Describer::describeUnknown(StringRef model) {
  root["model"] = json::Object{{"type", ("tokenizer.ggml.model " + model).str()}};
}

json::Array Describer::addedTokens() const {
  json::Array tokens;
  for (auto [id, content, special] : vocabulary.added())
    tokens.push_back(json::Object{{"id", id}, {"content", content}, {"special", special}});
  return tokens;
}

/// What stands around one text, and two.
json::Object Describer::surroundings() const {
  json::Object special;
  json::Array single, pair;
  auto put = [&](StringRef role, int type, bool ofSingle) {
    std::optional<std::string> token = vocabulary.role(role);
    if (!token)
      return;
    special[*token] = json::Object{{"id", *token}, {"ids", json::Array{*vocabulary.roleId(role)}}};
    json::Object item{{"SpecialToken", json::Object{{"id", *token}, {"type_id", type}}}};
    if (ofSingle)
      single.push_back(json::Object(item));
    pair.push_back(std::move(item));
  };
  bool begins = flag("tokenizer.ggml.add_bos_token", addsBegin);
  bool ends = flag("tokenizer.ggml.add_eos_token", false);
  for (int type : {0, 1}) {
    if (begins)
      put("bos_token_id", type, type == 0);
    json::Object text{{"Sequence", json::Object{{"id", type ? "B" : "A"}, {"type_id", type}}}};
    if (type == 0)
      single.push_back(json::Object(text));
    pair.push_back(std::move(text));
    if (ends)
      put("eos_token_id", type, type == 0);
  }
  return json::Object{{"type", "TemplateProcessing"},
                      {"single", std::move(single)},
                      {"pair", std::move(pair)},
                      {"special_tokens", std::move(special)}};
}

std::string Describer::describeRoles() const {
  json::Object roles;
  for (auto [name, key] :
       {std::pair("bos_token", "bos_token_id"), std::pair("eos_token", "eos_token_id"),
        std::pair("unk_token", "unknown_token_id"), std::pair("pad_token", "padding_token_id"),
        std::pair("sep_token", "seperator_token_id"), std::pair("cls_token", "cls_token_id"),
        std::pair("mask_token", "mask_token_id")})
    if (std::optional<std::string> token = vocabulary.role(key))
      roles[name] = *token;
  if (std::string text = string("tokenizer.chat_template", ""); !text.empty())
    roles["chat_template"] = text;
  std::string text;
  raw_string_ostream(text) << json::Value(std::move(roles));
  return text;
}

Expected<TokenizerFiles> Describer::run() {
  TokenizerFiles files;
  std::string whole = string("tokenizer.huggingface.json", "");
  std::string model = string("tokenizer.ggml.model", "");
  if (model.empty() || model == "none")
    return files;
  if (Error error = vocabulary.read(file))
    return std::move(error);
  files.config = describeRoles();
  files.tokenizer = whole;
  if (!whole.empty())
    return files;
  if (model == "gpt2")
    describeBytes();
  else if (model == "llama")
    describePieces();
  else
    describeUnknown(model);
  root["added_tokens"] = addedTokens();
  root["post_processor"] = surroundings();
  raw_string_ostream(files.tokenizer) << json::Value(std::move(root));
  return files;
}

Expected<TokenizerFiles> describeGgufTokenizer(const GgufFile &file) {
  return Describer(file).run();
}

} // namespace weft
