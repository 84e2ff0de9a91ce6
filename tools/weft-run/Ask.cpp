//===- Ask.cpp - texts and images into a model ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Answer.h"
#include "Commands.h"
#include "weft/Image/Image.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

namespace {

// The inputs of an entry, made from texts and images.
struct Inputs {
  Question question;
  Planes pixels;
  std::vector<StoredTensor> tensors; // point into the above
};

} // namespace

template <typename T>
static StoredTensor tensorOf(llvm::StringRef name, TensorType type, std::vector<int64_t> shape,
                             const std::vector<T> &values) {
  return {
      name.str(), type, std::move(shape),
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(T))};
}

static llvm::Error addText(const weft_entry_info &entry, const Companions &companions,
                           const RunOptions &options, Inputs &into) {
  const Tokenizer *tokenizer = companions.tokenizer();
  if (!tokenizer)
    return fail("no tokenizer lies beside the model: name one by --tokenizer");
  const weft_tensor_info *ids = findTensor(inputsOf(entry), "input_ids");
  if (!ids || ids->rank != 1 || ids->dtype != WEFT_I32)
    return fail("entry '" + llvm::StringRef(entry.name) +
                "' reads no text: it has no row of ids "
                "'input_ids' (texts need a model compiled without --batch)");
  Question &question = into.question;
  question.text = *options.text;
  question.pair = options.textPair.value_or("");
  question.vocabulary = ids->index_bound;
  if (question.vocabulary > 0 && tokenizer->size() > question.vocabulary)
    return fail("the tokenizer " + companions.tokenizerPath() + " is another model's: it has " +
                llvm::Twine(tokenizer->size()) + " tokens, the model " +
                llvm::Twine(question.vocabulary));
  if (llvm::Error error =
          companions.encode(question.text, {}, options.textPair).moveInto(question.encoding))
    return error;
  int64_t length = int64_t(question.encoding.ids.size());
  into.tensors.push_back(tensorOf("input_ids", TensorType::I32, {length}, question.encoding.ids));
  const weft_tensor_info *types = findTensor(inputsOf(entry), "token_type_ids");
  // A model with one type sees all of a pair as that.
  if (types && (types->index_bound == 0 || types->index_bound > 1))
    into.tensors.push_back(
        tensorOf("token_type_ids", TensorType::I32, {length}, question.encoding.types));
  return llvm::Error::success();
}

static llvm::Error addImage(const weft_entry_info &entry, const Companions &companions,
                            const RunOptions &options, Inputs &into) {
  const weft_tensor_info *pixels = findTensor(inputsOf(entry), "pixel_values");
  if (!pixels || pixels->rank != 3 || pixels->dtype != WEFT_F32)
    return fail("entry '" + llvm::StringRef(entry.name) +
                "' reads no image: it has no 'pixel_values' of channels, height and width");
  llvm::Expected<ImageSteps> steps = ImageSteps::load(companions.folder());
  if (!steps)
    return steps.takeError();
  llvm::Expected<Image> image = readImage(options.image);
  if (!image)
    return image.takeError();
  if (llvm::Error error = steps->apply(std::move(*image)).moveInto(into.pixels))
    return error;
  into.tensors.push_back(tensorOf("pixel_values", TensorType::F32,
                                  {3, into.pixels.height, into.pixels.width}, into.pixels.values));
  return llvm::Error::success();
}

// The entry that reads what was given, and nothing else that it needs.
static llvm::Expected<const weft_entry_info *> askedEntry(const Model &model,
                                                          const RunOptions &options) {
  std::vector<StoredTensor> given;
  if (options.text)
    given.push_back({"input_ids", TensorType::I32, {}, {}});
  if (!options.image.empty())
    given.push_back({"pixel_values", TensorType::F32, {}, {}});
  return chooseEntry(model, options.entry, given, {});
}

llvm::Expected<bool> weft::askCommand(Model &model, const RunOptions &options) {
  llvm::Expected<const weft_entry_info *> entry = askedEntry(model, options);
  if (!entry)
    return entry.takeError();
  llvm::Expected<Companions> companions = Companions::load(options.model, options.tokenizer);
  if (!companions)
    return companions.takeError();
  Inputs inputs;
  inputs.question.top = options.top;
  if (options.text)
    if (llvm::Error error = addText(**entry, *companions, options, inputs))
      return std::move(error);
  if (!options.image.empty())
    if (llvm::Error error = addImage(**entry, *companions, options, inputs))
      return std::move(error);
  llvm::Expected<Binding> binding = bindInputs(model.info(), **entry, inputs.tensors);
  if (!binding)
    return binding.takeError();
  llvm::Expected<std::vector<OwnedTensor>> results = execute(model, **entry, *binding);
  if (!results)
    return results.takeError();
  if (!options.outputs.empty()) {
    if (llvm::Error error = writeResults(options.outputs, *results))
      return std::move(error);
    return true;
  }
  if (llvm::Error error = printAnswer(*results, inputs.question, *companions, llvm::outs()))
    return std::move(error);
  return true;
}
