//===- Prompt.cpp - texts for language models -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tasks/Prompt.h"

using namespace weft;

llvm::Expected<TokenText> weft::tokenText(const LanguageModel &model, const ModelFolder &folder) {
  const Tokenizer *tokenizer = folder.tokenizer();
  if (!tokenizer)
    return model.isByteLevel() ? TokenText::Bytes : TokenText::Numbers;
  if (tokenizer->size() > model.vocabulary())
    return llvm::createStringError("the tokenizer in " + folder.tokenizerPath() +
                                   " is another model's: it has " + llvm::Twine(tokenizer->size()) +
                                   " tokens, the model " + llvm::Twine(model.vocabulary()));
  return TokenText::Words;
}

// A token is a byte.
static Encoding encodeBytes(llvm::StringRef text) {
  Encoding encoding;
  for (uint32_t i = 0; i < text.size(); ++i) {
    encoding.ids.push_back(uint8_t(text[i]));
    encoding.types.push_back(0);
    encoding.source.push_back(0);
    encoding.spans.push_back({i, i + 1});
  }
  return encoding;
}

static llvm::Expected<Encoding> encode(const LanguageModel &model, const ModelFolder &folder,
                                       llvm::StringRef text, EncodeOptions options = {}) {
  llvm::Expected<TokenText> kind = tokenText(model, folder);
  if (!kind)
    return kind.takeError();
  if (*kind == TokenText::Numbers)
    return llvm::createStringError(
        "the model has " + llvm::Twine(model.vocabulary()) +
        " tokens, and no tokenizer lies beside it: name one by --tokenizer, or give ids "
        "by --inputs");
  if (*kind == TokenText::Bytes)
    return encodeBytes(text);
  return folder.encode(text, options);
}

llvm::Expected<Encoding> weft::encodeOpenText(const LanguageModel &model, const ModelFolder &folder,
                                              llvm::StringRef text) {
  EncodeOptions options;
  options.truncate = false;
  llvm::Expected<Encoding> encoding = encode(model, folder, text, options);
  if (!encoding)
    return encoding.takeError();
  size_t size = encoding->ids.size();
  bool hasText = llvm::is_contained(encoding->source, 0);
  while (hasText && encoding->source[size - 1] < 0)
    --size;
  encoding->ids.resize(size);
  encoding->types.resize(size);
  encoding->source.resize(size);
  encoding->spans.resize(size);
  return encoding;
}

// The input for the text of an encoder: ids that generation does not make itself.
static const weft_tensor_info *sourceInput(const LanguageModel &model) {
  for (const weft_tensor_info &input : model.inputs())
    if (&input != &model.idsInput() && !input.optional &&
        elementsOf(input).kind == ElementKind::Int && input.rank == 1 && input.index_bound > 0)
      return &input;
  return nullptr;
}

bool weft::readsSource(const LanguageModel &model) { return sourceInput(model); }

static StoredTensor idsTensor(llvm::StringRef name, llvm::ArrayRef<int32_t> ids) {
  return {name.str(),
          ElementType::I32,
          {int64_t(ids.size())},
          llvm::ArrayRef(reinterpret_cast<const uint8_t *>(ids.data()), ids.size() * 4)};
}

// The tokens that a decoder starts from.
static llvm::Expected<std::vector<int32_t>> decoderStart(const ModelFolder &folder) {
  std::vector<int32_t> start = folder.ids(TokenRole::DecoderStart);
  if (start.size() != 1)
    return llvm::createStringError(
        "config.json names no decoder_start_token_id, which the model's text begins with");
  // Some models are told the language of the text by its first token.
  for (int32_t id : folder.ids(TokenRole::DecoderSecond))
    start.push_back(id);
  return start;
}

static llvm::Error promptForDecoder(const LanguageModel &model, const ModelFolder &folder,
                                    const Encoding &source, Generation &into) {
  llvm::Expected<std::vector<int32_t>> start = decoderStart(folder);
  if (!start)
    return start.takeError();
  into.prompts.push_back(*start);
  // Binding sees one of the tokens that grow.
  StoredTensor tensors[] = {idsTensor(sourceInput(model)->name, source.ids),
                            idsTensor(model.idsInput().name, llvm::ArrayRef(*start).take_front())};
  return model.bind(tensors).moveInto(into.given);
}

llvm::Expected<Encoding> weft::promptFromText(const LanguageModel &model, const ModelFolder &folder,
                                              llvm::StringRef text, Generation &into) {
  if (readsSource(model)) {
    llvm::Expected<Encoding> source = encode(model, folder, text);
    if (source)
      if (llvm::Error error = promptForDecoder(model, folder, *source, into))
        return std::move(error);
    return source;
  }
  llvm::Expected<Encoding> prompt = encodeOpenText(model, folder, text);
  if (!prompt)
    return prompt.takeError();
  if (llvm::Error error = model.checkIdsSuffice())
    return std::move(error);
  std::vector<int32_t> &ids = into.prompts.emplace_back(prompt->ids);
  if (ids.empty())
    ids = folder.ids(TokenRole::Begin);
  if (ids.empty())
    return llvm::createStringError("--prompt is empty; at least one token is needed");
  return prompt;
}
