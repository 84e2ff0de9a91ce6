//===- Generate.cpp - text from a model, one token at a time --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Generate.h"

#include <chrono>

using namespace weft;

// Only the ids grow: what else has a place for each of them would need values for the new ones.
static llvm::Error checkGiven(const LanguageModel &model, llvm::ArrayRef<StoredTensor> tensors) {
  const weft_tensor_info &ids = model.idsInput();
  for (const weft_tensor_info &input : model.inputs())
    if (&input != &ids && findTensor(tensors, input.name) &&
        dimsOf(input, ids.symbols[ids.rank - 1]) > 0)
      return llvm::createStringError("generation starts from '" + llvm::StringRef(ids.name) +
                                     "'; '" + input.name +
                                     "' cannot be given, as it would have to grow with it");
  return llvm::Error::success();
}

// Reads the ids, [tokens] or [batch, tokens].
static llvm::Error readPrompts(const weft_tensor_info &input, const StoredTensor &ids,
                               Generation &into) {
  if ((ids.shape.size() != 1 && ids.shape.size() != 2) || ids.count() == 0)
    return llvm::createStringError("input '" + ids.name + "' has shape " + shapeString(ids.shape) +
                                   ", needed are [tokens] or [batch, tokens], not empty");
  llvm::Expected<AlignedBuffer> buffer = convertInput(input, ids);
  if (!buffer)
    return buffer.takeError();
  into.batched = ids.shape.size() == 2;
  llvm::ArrayRef<int32_t> values = buffer->as<int32_t>().take_front(ids.count());
  for (int64_t length = ids.shape.back(); !values.empty(); values = values.drop_front(length))
    into.prompts.push_back(values.take_front(length).vec());
  return llvm::Error::success();
}

llvm::Error weft::promptFromTensors(const LanguageModel &model,
                                    llvm::ArrayRef<StoredTensor> tensors, Generation &into) {
  const weft_tensor_info &input = model.idsInput();
  // The bound on tokens is no bound on prompts: binding sees one token of each, and where the batch
  // is part of the model, one of one.
  std::vector<StoredTensor> once = tensors.vec();
  for (StoredTensor &tensor : once) {
    if (tensor.name != input.name)
      continue;
    if (llvm::Error error = readPrompts(input, tensor, into))
      return error;
    if (input.rank > 1)
      tensor.shape.assign(input.rank, 1);
    tensor.shape.back() = 1;
  }
  if (llvm::Error error = checkGiven(model, tensors))
    return error;
  return model.bind(once).moveInto(into.given);
}

void weft::forceTokens(const StoredTensor &ids, Generation &generation) {
  int64_t batch = int64_t(generation.prompts.size());
  int64_t length = generation.length();
  if (infoOf(ids.type).isReal() || ids.count() != batch * length)
    return;
  for (int64_t example = 0; example < batch; ++example) {
    std::vector<int32_t> &tokens = generation.forced.emplace_back();
    for (int64_t i = 0; i < length; ++i)
      tokens.push_back(int32_t(intAt(ids, example * length + i)));
  }
}

static OwnedTensor makeTensor(const char *name, ElementType type, const Generation &generation,
                              llvm::ArrayRef<int64_t> shape) {
  OwnedTensor tensor{name, type, {int64_t(generation.prompts.size())}, {}};
  llvm::append_range(tensor.shape, shape);
  // INT64_MAX: too large to be counted is too large for the memory.
  tensor.data =
      AlignedBuffer(tensorBytes(8 * infoOf(type).bytes(), tensor.shape).value_or(INT64_MAX));
  if (!generation.batched) // there is one prompt
    tensor.shape.erase(tensor.shape.begin());
  return tensor;
}

namespace {

// One example: what it has seen, and where its results go.
struct Example {
  std::vector<int32_t> tokens;
  llvm::ArrayRef<int32_t> forced;
  llvm::MutableArrayRef<int64_t> ids;
  llvm::MutableArrayRef<float> logits;
};

} // namespace

// Returns how many tokens were made.
static llvm::Expected<int64_t> generateExample(LanguageModel &model, const Generation &generation,
                                               Sampler &sampler, Example example) {
  int64_t made = 0;
  std::vector<int32_t> &tokens = example.tokens;
  llvm::copy(tokens, example.ids.begin());
  if (generation.sink)
    generation.sink->begin(tokens);
  for (int64_t step = 0; step < generation.count; ++step) {
    llvm::Expected<llvm::ArrayRef<float>> logits = model.next(tokens);
    if (!logits)
      return logits.takeError();
    if (generation.keepLogits)
      llvm::copy(*logits, example.logits.begin() + step * model.vocabulary());
    int32_t id = sampler.pick(*logits, tokens);
    example.ids[tokens.size()] = id;
    ++made;
    if (generation.sink && !generation.sink->push(id))
      break;
    tokens.push_back(example.forced.empty() ? id : example.forced[tokens.size()]);
    // A foreign token could be out of range, which the model would refuse.
    if (tokens.back() < 0 || tokens.back() >= model.vocabulary())
      return llvm::createStringError("the expected tokens contain " + llvm::Twine(tokens.back()) +
                                     ", which is no token of the model");
  }
  if (generation.sink)
    generation.sink->finish();
  return made;
}

llvm::Expected<Generated> weft::generate(LanguageModel &model, const Generation &generation) {
  int64_t length = generation.length();
  Generated result;
  int64_t rows = generation.keepLogits ? generation.count : 0;
  int64_t row = rows * model.vocabulary();
  result.ids = makeTensor("generated_ids", ElementType::I64, generation, {length});
  result.logits =
      makeTensor("step_logits", ElementType::F32, generation, {rows, model.vocabulary()});
  Sampler sampler(generation.sampling);
  auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < generation.prompts.size(); ++i) {
    model.give(generation.given, int64_t(i));
    Example example{generation.prompts[i],
                    generation.forced.empty() ? llvm::ArrayRef<int32_t>()
                                              : llvm::ArrayRef<int32_t>(generation.forced[i]),
                    result.ids.data.as<int64_t>().slice(i * length, length),
                    result.logits.data.as<float>().slice(i * row, row)};
    llvm::Expected<int64_t> made = generateExample(model, generation, sampler, std::move(example));
    if (!made)
      return made.takeError();
    result.tokens += *made;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(result);
}
