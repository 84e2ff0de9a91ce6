//===- Question.cpp - texts and images as a model reads them --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tasks/Question.h"

using namespace weft;

// The name of an entry's input, or, for the message, of one that it lacks.
static std::string nameOf(const weft_entry_info &entry, const RoleTable &roles, InputRole role) {
  const weft_tensor_info *input = roles.find(entry, role);
  return input ? input->name : roles.pattern(role).names.front();
}

// An input that has a role and may not be left out.
static const weft_tensor_info *findNeeded(const weft_entry_info &entry, const RoleTable &roles,
                                          InputRole role) {
  const weft_tensor_info *input = roles.find(entry, role);
  return input && !input->optional ? input : nullptr;
}

llvm::Expected<const weft_entry_info *> weft::chooseEntry(const CompiledModel &model,
                                                          llvm::StringRef name,
                                                          const ModelFolder &folder,
                                                          const Question &question) {
  const RoleTable &roles = folder.roles();
  return chooseEntry(model, name, [&](const weft_entry_info &entry) {
    std::vector<std::string> given;
    if (question.text) {
      given.push_back(nameOf(entry, roles, InputRole::TokenIds));
      for (InputRole role : {InputRole::TokenTypes, InputRole::AttentionMask})
        if (const weft_tensor_info *input = findNeeded(entry, roles, role))
          given.push_back(input->name);
    }
    if (!question.image.empty())
      given.push_back(nameOf(entry, roles, InputRole::Pixels));
    return given;
  });
}

template <typename T>
static StoredTensor tensorOf(llvm::StringRef name, ElementType type, std::vector<int64_t> shape,
                             const std::vector<T> &values) {
  return {
      name.str(), type, std::move(shape),
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(T))};
}

static llvm::Error addText(const weft_entry_info &entry, const ModelFolder &folder,
                           const Question &question, QuestionInputs &into) {
  const Tokenizer *tokenizer = folder.tokenizer();
  if (!tokenizer)
    return llvm::createStringError("no tokenizer lies beside the model: name one by --tokenizer");
  const RoleTable &roles = folder.roles();
  const weft_tensor_info *ids = roles.find(entry, InputRole::TokenIds);
  if (!ids)
    return llvm::createStringError("entry '" + llvm::StringRef(entry.name) +
                                   "' reads no text: it has no " +
                                   roles.pattern(InputRole::TokenIds).str() +
                                   " (texts need a model compiled without --batch)");
  into.vocabulary = ids->index_bound;
  if (into.vocabulary > 0 && tokenizer->size() > into.vocabulary)
    return llvm::createStringError("the tokenizer " + folder.tokenizerPath() +
                                   " is another model's: it has " + llvm::Twine(tokenizer->size()) +
                                   " tokens, the model " + llvm::Twine(into.vocabulary));
  if (llvm::Error error = folder.encode(*question.text, {}, question.pair).moveInto(into.encoding))
    return error;
  int64_t length = int64_t(into.encoding.ids.size());
  into.tensors.push_back(tensorOf(ids->name, ElementType::I32, {length}, into.encoding.ids));
  // A model with one type sees all of a pair as that.
  if (const weft_tensor_info *types = roles.find(entry, InputRole::TokenTypes);
      types && (types->index_bound == 0 || types->index_bound > 1))
    into.tensors.push_back(tensorOf(types->name, ElementType::I32, {length}, into.encoding.types));
  // All tokens count, as they do where the mask may be left out.
  if (const weft_tensor_info *mask = findNeeded(entry, roles, InputRole::AttentionMask)) {
    into.ones.assign(size_t(length), 1);
    into.tensors.push_back(tensorOf(mask->name, ElementType::I32, {length}, into.ones));
  }
  return llvm::Error::success();
}

static llvm::Error addImage(const weft_entry_info &entry, const ModelFolder &folder,
                            const Question &question, QuestionInputs &into) {
  const RoleTable &roles = folder.roles();
  const weft_tensor_info *pixels = roles.find(entry, InputRole::Pixels);
  if (!pixels)
    return llvm::createStringError("entry '" + llvm::StringRef(entry.name) +
                                   "' reads no image: it has no " +
                                   roles.pattern(InputRole::Pixels).str());
  llvm::Expected<ImageSteps> steps = ImageSteps::load(folder.path());
  if (!steps)
    return steps.takeError();
  llvm::Expected<Image> image = readImage(question.image);
  if (!image)
    return image.takeError();
  if (llvm::Error error = steps->apply(std::move(*image)).moveInto(into.pixels))
    return error;
  into.tensors.push_back(tensorOf(pixels->name, ElementType::F32,
                                  {3, into.pixels.height, into.pixels.width}, into.pixels.values));
  return llvm::Error::success();
}

llvm::Expected<QuestionInputs> weft::prepareInputs(const weft_entry_info &entry,
                                                   const ModelFolder &folder,
                                                   const Question &question) {
  QuestionInputs inputs;
  inputs.entry = &entry;
  if (question.text)
    if (llvm::Error error = addText(entry, folder, question, inputs))
      return std::move(error);
  if (!question.image.empty())
    if (llvm::Error error = addImage(entry, folder, question, inputs))
      return std::move(error);
  return std::move(inputs);
}
