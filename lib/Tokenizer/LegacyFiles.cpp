//===- LegacyFiles.cpp - tokenizers from before tokenizer.json ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LegacyFiles.h"
#include "LegacyTokens.h"
#include "LegacyVocabulary.h"

using namespace weft;
using namespace weft::text;
namespace json = llvm::json;

// Pieces with marks for spaces, and bytes.
static json::Value piecesDecoder() {
  return llvm::cantFail(json::parse(R"({"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
      {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})"));
}

// The tokenizer.json that the folder stands for, without the model.
static llvm::Expected<json::Value> describe(const Convention &convention, const Model &model) {
  LegacyTokens tokens(convention, model);
  if (llvm::Error error = tokens.read())
    return std::move(error);
  llvm::Expected<json::Value> processor = tokens.postProcessor();
  if (!processor)
    return processor.takeError();
  json::Object description{{"post_processor", std::move(*processor)},
                           {"added_tokens", json::Array(tokens.addedTokens())}};
  for (const char *part : {"normalizer", "pre_tokenizer", "decoder"})
    if (std::optional<json::Value> value = convention.expanded(part))
      description[part] = std::move(*value);
  if (!description.get("decoder"))
    description["decoder"] = piecesDecoder();
  return std::move(description);
}

llvm::Expected<std::unique_ptr<Tokenizer>> text::loadLegacyFiles(llvm::StringRef folder) {
  llvm::Expected<Convention> convention = Convention::of(folder);
  if (!convention)
    return convention.takeError();
  llvm::Expected<std::unique_ptr<Model>> model = loadLegacyVocabulary(*convention);
  if (!model)
    return model.takeError();
  llvm::Expected<json::Value> description = describe(*convention, **model);
  if (!description)
    return description.takeError();
  JsonReader::File file{folder.str(), ""};
  std::unique_ptr<Tokenizer> tokenizer =
      TokenizerBuilder::build(JsonReader(&*description, file), std::move(*model));
  if (llvm::Error error = file.takeError())
    return std::move(error);
  for (const auto &role : convention->settings())
    if (llvm::StringRef name = role.first;
        name.ends_with("_token") && convention->settings().getString(name))
      TokenizerBuilder::setRole(*tokenizer, name, convention->setting(name));
  return std::move(tokenizer);
}
