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

llvm::Expected<LanguageModel> LanguageModel::create(Model &model) {
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
  return LanguageModel(model, entry);
}

llvm::Error LanguageModel::checkIdsSuffice() const {
  for (const weft_tensor_info &input : inputs())
    if (&input != &idsInput() && !input.optional)
      return fail("cannot generate from ids alone: input '" + llvm::StringRef(input.name) +
                  "' is needed too");
  return llvm::Error::success();
}

void LanguageModel::give(const Binding &binding, int64_t example) {
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

llvm::Expected<llvm::ArrayRef<float>> LanguageModel::next(llvm::ArrayRef<int32_t> ids) {
  llvm::Expected<llvm::ArrayRef<float>> all =
      logits(ids.take_back(std::min<size_t>(ids.size(), bound())));
  if (!all)
    return all.takeError();
  return all->take_back(vocabulary());
}
