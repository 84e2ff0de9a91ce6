//===- Question.cpp - texts and images as a model reads them --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tasks/Question.h"

using namespace weft;

llvm::Expected<const weft_entry_info *>
weft::findEntry(const CompiledModel &model, llvm::StringRef name, const Question &question) {
  std::vector<StoredTensor> given;
  if (question.text)
    given.push_back({"input_ids", TensorType::I32, {}, {}});
  if (!question.image.empty())
    given.push_back({"pixel_values", TensorType::F32, {}, {}});
  return chooseEntry(model, name, given, {});
}

template <typename T>
static StoredTensor tensorOf(llvm::StringRef name, TensorType type, std::vector<int64_t> shape,
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
  const weft_tensor_info *ids = findTensor(inputsOf(entry), "input_ids");
  if (!ids || ids->rank != 1 || ids->dtype != WEFT_I32)
    return llvm::createStringError("entry '" + llvm::StringRef(entry.name) +
                                   "' reads no text: it has no row of ids "
                                   "'input_ids' (texts need a model compiled without --batch)");
  into.vocabulary = ids->index_bound;
  if (into.vocabulary > 0 && tokenizer->size() > into.vocabulary)
    return llvm::createStringError("the tokenizer " + folder.tokenizerPath() +
                                   " is another model's: it has " + llvm::Twine(tokenizer->size()) +
                                   " tokens, the model " + llvm::Twine(into.vocabulary));
  if (llvm::Error error = folder.encode(*question.text, {}, question.pair).moveInto(into.encoding))
    return error;
  int64_t length = int64_t(into.encoding.ids.size());
  into.tensors.push_back(tensorOf("input_ids", TensorType::I32, {length}, into.encoding.ids));
  const weft_tensor_info *types = findTensor(inputsOf(entry), "token_type_ids");
  // A model with one type sees all of a pair as that.
  if (types && (types->index_bound == 0 || types->index_bound > 1))
    into.tensors.push_back(
        tensorOf("token_type_ids", TensorType::I32, {length}, into.encoding.types));
  return llvm::Error::success();
}

static llvm::Error addImage(const weft_entry_info &entry, const ModelFolder &folder,
                            const Question &question, QuestionInputs &into) {
  const weft_tensor_info *pixels = findTensor(inputsOf(entry), "pixel_values");
  if (!pixels || pixels->rank != 3 || pixels->dtype != WEFT_F32)
    return llvm::createStringError(
        "entry '" + llvm::StringRef(entry.name) +
        "' reads no image: it has no 'pixel_values' of channels, height and width");
  llvm::Expected<ImageSteps> steps = ImageSteps::load(folder.path());
  if (!steps)
    return steps.takeError();
  llvm::Expected<Image> image = readImage(question.image);
  if (!image)
    return image.takeError();
  if (llvm::Error error = steps->apply(std::move(*image)).moveInto(into.pixels))
    return error;
  into.tensors.push_back(tensorOf("pixel_values", TensorType::F32,
                                  {3, into.pixels.height, into.pixels.width}, into.pixels.values));
  return llvm::Error::success();
}

llvm::Expected<QuestionInputs> weft::prepareInputs(const weft_entry_info &entry,
                                                   const ModelFolder &folder,
                                                   const Question &question) {
  QuestionInputs inputs;
  if (question.text)
    if (llvm::Error error = addText(entry, folder, question, inputs))
      return std::move(error);
  if (!question.image.empty())
    if (llvm::Error error = addImage(entry, folder, question, inputs))
      return std::move(error);
  return std::move(inputs);
}
