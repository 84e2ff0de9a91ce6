//===- Tokenizer.cpp - text to ids and back -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Tokenizer/Tokenizer.h"

#include "Limits.h"
#include "TokenizerPipeline.h"
#include "weft/Support/Json.h"

#include "llvm/ADT/StringExtras.h"

using namespace weft;
using namespace weft::text;

Tokenizer::Tokenizer(std::unique_ptr<Pipeline> pipeline) : pipeline(std::move(pipeline)) {}
Tokenizer::~Tokenizer() = default;

//===----------------------------------------------------------------------------------------===//
// Text to ids
//===----------------------------------------------------------------------------------------===//

// Each of the steps keeps its limit; where added tokens cut the text between them, the sum counts.
llvm::Error Tokenizer::Pipeline::tokenizeWord(const Text &word, Progress &progress) const {
  progress.characters += word.size();
  const Component *last =
      preTokenizer ? static_cast<Component *>(preTokenizer.get()) : normalizer.get();
  if (last)
    if (llvm::Error error = last->checkLength(progress.characters, progress.bytes))
      return error;
  return model->tokenize(word, progress.tokens);
}

llvm::Error Tokenizer::Pipeline::tokenizeNormalized(const Piece &piece, Progress &progress) const {
  if (piece.token) {
    progress.tokens.push_back({*piece.token, piece.text.span()});
    return llvm::Error::success();
  }
  std::vector<Text> words = {piece.text};
  if (preTokenizer)
    if (llvm::Error error = preTokenizer->run(words))
      return error;
  for (const Text &word : words)
    if (!word.empty())
      if (llvm::Error error = tokenizeWord(word, progress))
        return error;
  return llvm::Error::success();
}

llvm::Error Tokenizer::Pipeline::tokenizeRaw(const Piece &piece, Progress &progress) const {
  if (piece.token)
    return tokenizeNormalized(piece, progress);
  Text normalized = piece.text;
  if (normalizer)
    if (llvm::Error error = normalizer->run(normalized))
      return error;
  for (const Piece &inner : added.split(normalized, true))
    if (llvm::Error error = tokenizeNormalized(inner, progress))
      return error;
  return llvm::Error::success();
}

llvm::Expected<std::vector<Token>> Tokenizer::Pipeline::tokenize(llvm::StringRef bytes) const {
  if (bytes.size() >= (size_t(1) << 30))
    return llvm::createStringError("a text of 1 GiB or more is too long for the tokenizer");
  Progress progress;
  progress.bytes = bytes.size();
  for (const Piece &piece : added.split(Text(bytes), false))
    if (llvm::Error error = tokenizeRaw(piece, progress))
      return std::move(error);
  return std::move(progress.tokens);
}

static void append(Encoding &encoding, const Token &token, int8_t source, int32_t type) {
  encoding.ids.push_back(token.id);
  encoding.types.push_back(type);
  encoding.source.push_back(source);
  encoding.spans.push_back(token.span);
}

static Encoding assemble(llvm::ArrayRef<Template::Item> items,
                         llvm::ArrayRef<std::vector<Token>> texts, bool special) {
  Encoding encoding;
  for (const Template::Item &item : items) {
    if (item.source >= 0 && size_t(item.source) < texts.size())
      for (const Token &token : texts[item.source])
        append(encoding, token, int8_t(item.source), item.type);
    for (int32_t id : item.ids)
      if (special)
        append(encoding, {id, {}}, -1, item.type);
  }
  return encoding;
}

static size_t countSpecial(llvm::ArrayRef<Template::Item> items) {
  size_t count = 0;
  for (const Template::Item &item : items)
    count += item.ids.size();
  return count;
}

llvm::Expected<Encoding> Tokenizer::Pipeline::encode(llvm::ArrayRef<llvm::StringRef> texts,
                                                     EncodeOptions options) const {
  llvm::ArrayRef<Template::Item> items = texts.size() == 1 ? around.single : around.pair;
  std::vector<std::vector<Token>> tokens;
  for (llvm::StringRef text : texts)
    if (llvm::Error error = tokenize(text).moveInto(tokens.emplace_back()))
      return std::move(error);
  size_t cut = 0;
  if (truncation && options.truncate)
    if (llvm::Error error =
            truncation->apply(tokens, options.special ? countSpecial(items) : 0).moveInto(cut))
      return std::move(error);
  Encoding encoding = assemble(items, tokens, options.special);
  encoding.cut = cut;
  return std::move(encoding);
}

llvm::Expected<Encoding> Tokenizer::encode(llvm::StringRef text, EncodeOptions options) const {
  return pipeline->encode({text}, options);
}

llvm::Expected<Encoding> Tokenizer::encodePair(llvm::StringRef text, llvm::StringRef pair,
                                               EncodeOptions options) const {
  return pipeline->encode({text, pair}, options);
}

//===----------------------------------------------------------------------------------------===//
// Ids to text
//===----------------------------------------------------------------------------------------===//

std::string Tokenizer::decode(llvm::ArrayRef<int32_t> ids, bool special) const {
  std::vector<std::string> tokens;
  for (int32_t id : ids)
    if (special || !isSpecial(id))
      if (std::optional<std::string> found = token(id))
        tokens.push_back(std::move(*found));
  if (!pipeline->decoder)
    return llvm::join(tokens, " ");
  pipeline->decoder->apply(tokens);
  return llvm::join(tokens, "");
}

std::optional<int32_t> Tokenizer::id(llvm::StringRef token) const {
  if (const AddedToken *added = pipeline->added.find(token))
    return added->id;
  return pipeline->model->id(token);
}

std::optional<std::string> Tokenizer::token(int32_t id) const {
  if (const AddedToken *added = pipeline->added.find(id))
    return added->content;
  return pipeline->model->token(id);
}

bool Tokenizer::isSpecial(int32_t id) const {
  const AddedToken *added = pipeline->added.find(id);
  return added && added->special;
}

int64_t Tokenizer::size() const {
  return std::max(pipeline->added.size(), pipeline->model->size());
}

std::optional<int32_t> Tokenizer::role(llvm::StringRef name) const {
  auto found = pipeline->roles.find(name);
  return found == pipeline->roles.end() ? std::nullopt : std::optional<int32_t>(found->second);
}

//===----------------------------------------------------------------------------------------===//
// The text of a tokenizer.json
//===----------------------------------------------------------------------------------------===//

std::unique_ptr<Tokenizer> TokenizerBuilder::build(const JsonReader &json,
                                                   std::unique_ptr<Model> model) {
  auto pipeline = std::make_unique<Tokenizer::Pipeline>();
  // Padding is for texts that are computed together.
  json.onlyMembers({"version", "truncation", "padding", "added_tokens", "normalizer",
                    "pre_tokenizer", "post_processor", "decoder", "model"});
  if (JsonReader normalizer = json["normalizer"]; !normalizer.isNull())
    pipeline->normalizer = readNormalizer(normalizer);
  if (JsonReader preTokenizer = json["pre_tokenizer"]; !preTokenizer.isNull())
    pipeline->preTokenizer = readPreTokenizer(preTokenizer);
  if (JsonReader processor = json["post_processor"]; !processor.isNull())
    pipeline->around = readTemplate(processor);
  if (JsonReader truncation = json["truncation"]; !truncation.isNull())
    pipeline->truncation = readTruncation(truncation);
  if (JsonReader decoder = json["decoder"]; !decoder.isNull())
    pipeline->decoder = readDecoder(decoder);
  pipeline->model = model ? std::move(model) : readModel(json["model"]);
  if (JsonReader tokens = json["added_tokens"]; !tokens.isNull())
    for (const JsonReader &token : tokens.elements(limits::addedTokens))
      if (llvm::Error error =
              pipeline->added.add(readAddedToken(token), pipeline->normalizer.get()))
        token.failBecause(std::move(error));
  if (json.failed())
    return nullptr;
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(pipeline)));
}

void TokenizerBuilder::setRole(Tokenizer &tokenizer, llvm::StringRef role, llvm::StringRef token) {
  if (std::optional<int32_t> id = tokenizer.id(token))
    tokenizer.pipeline->roles[role] = *id;
}

llvm::Expected<std::unique_ptr<Tokenizer>> Tokenizer::parse(llvm::StringRef json,
                                                            llvm::StringRef name) {
  llvm::Expected<llvm::json::Value> value = parseJson(json, name);
  if (!value)
    return value.takeError();
  JsonReader::File file{name.str(), ""};
  std::unique_ptr<Tokenizer> tokenizer = TokenizerBuilder::build(JsonReader(&*value, file));
  if (llvm::Error error = file.takeError())
    return std::move(error);
  return std::move(tokenizer);
}
