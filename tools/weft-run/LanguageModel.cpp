//===- LanguageModel.cpp - ids in, logits of the next token out -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LanguageModel.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

LanguageModel::LanguageModel(Model &model, const weft_entry_info &entry)
    : model(&model), entry(&entry), sizes(model.info().symbol_count, 1),
      givens(entry.input_count, nullptr) {
  llvm::SmallVector<int64_t> bounds;
  for (const weft_symbol_info &symbol :
       llvm::ArrayRef(model.info().symbols, model.info().symbol_count))
    bounds.push_back(symbol.bound);
  for (const weft_tensor_info &output : llvm::ArrayRef(entry.outputs, entry.output_count))
    outputs.emplace_back(countOf(output, bounds) * elementBytes(output.dtype));
}

static std::string generateSymbolName(const weft_model_info &info) {
  return info.generate_symbol < 0 ? "positions" : info.symbols[info.generate_symbol].name;
}

llvm::Expected<LanguageModel> LanguageModel::create(Model &model, bool incremental) {
  const weft_model_info &info = model.info();
  if (info.generate_entry < 0)
    return fail("model '" + llvm::StringRef(info.name) + "' does not generate text");
  const weft_entry_info &entry = info.entries[info.generate_entry];
  // A batch in the model's own shapes leaves no input that is a row of ids.
  if (info.generate_input < 0 || info.generate_output < 0 || info.generate_symbol < 0 ||
      entry.inputs[info.generate_input].rank != 1 ||
      entry.outputs[info.generate_output].rank != 2 ||
      entry.outputs[info.generate_output].dims[1] < 1)
    return fail("cannot generate: the model does not take ids [" + generateSymbolName(info) +
                "] to logits [" + generateSymbolName(info) +
                ", vocabulary] (generation needs it compiled without --batch)");
  LanguageModel result(model, entry);
  if (incremental && (result.step = model.findStep(entry)))
    result.state = Buffer(result.step->state_bytes);
  return std::move(result);
}

llvm::Error LanguageModel::checkIdsSuffice() const {
  for (const weft_tensor_info &input : inputs())
    if (&input != &idsInput() && !input.optional)
      return fail("cannot generate from ids alone: input '" + llvm::StringRef(input.name) +
                  "' is needed too");
  return llvm::Error::success();
}

void LanguageModel::give(const Binding &binding, int64_t example) {
  seen.clear();
  if (binding.inputs.empty())
    return;
  sizes = binding.sizes;
  givens = binding.pointers(*entry, example);
}

llvm::Expected<llvm::ArrayRef<float>> LanguageModel::logits(llvm::ArrayRef<int32_t> ids) {
  sizes[model->info().generate_symbol] = int64_t(ids.size());
  givens[model->info().generate_input] = ids.data();
  llvm::SmallVector<void *> pointers;
  for (Buffer &output : outputs)
    pointers.push_back(output.data());
  if (llvm::Error error = model->run(*entry, sizes, givens, pointers))
    return std::move(error);
  return outputs[model->info().generate_output].as<float>().take_front(ids.size() * vocabulary());
}

llvm::Error LanguageModel::begin() {
  seen.clear();
  return model->start(*step, state, sizes, model->startInputs(*step, *entry, givens));
}

// Continues the sequence of the state by `ids`; their logits are in the output then.
llvm::Error LanguageModel::advance(llvm::ArrayRef<int32_t> ids) {
  std::vector<const void *> inputs = model->stepInputs(*step, *entry, givens);
  for (int32_t i = 0; i != step->input_count; ++i)
    if (llvm::StringRef(step->inputs[i].name) == idsInput().name)
      inputs[i] = ids.data();
  sizes[step->count_symbol] = int64_t(ids.size());
  void *logits = outputs[model->info().generate_output].data();
  if (llvm::Error error = model->advance(*step, state, sizes, inputs, logits))
    return error;
  seen.insert(seen.end(), ids.begin(), ids.end());
  return llvm::Error::success();
}

llvm::Expected<llvm::ArrayRef<float>> LanguageModel::next(llvm::ArrayRef<int32_t> ids) {
  if (step && int64_t(ids.size()) <= bound()) {
    bool continues = !seen.empty() && seen.size() < ids.size() &&
                     ids.take_front(seen.size()) == llvm::ArrayRef(seen);
    if (!continues)
      if (llvm::Error error = begin())
        return std::move(error);
    llvm::ArrayRef<int32_t> fresh = ids.drop_front(seen.size());
    if (llvm::Error error = advance(fresh))
      return std::move(error);
    return outputs[model->info().generate_output]
        .as<float>()
        .take_front(fresh.size() * vocabulary())
        .take_back(vocabulary());
  }
  llvm::Expected<llvm::ArrayRef<float>> all =
      logits(ids.take_back(std::min<size_t>(ids.size(), bound())));
  if (!all)
    return all.takeError();
  return all->take_back(vocabulary());
}
