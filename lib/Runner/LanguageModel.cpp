//===- LanguageModel.cpp - ids in, logits of the next token out -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/LanguageModel.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

static llvm::SmallVector<int64_t> boundsOf(const weft_model_info &info) {
  llvm::SmallVector<int64_t> bounds;
  for (const weft_symbol_info &symbol : symbolsOf(info))
    bounds.push_back(symbol.bound);
  return bounds;
}

LanguageModel::LanguageModel(CompiledModel &model, const weft_entry_info &entry)
    : model(&model), entry(&entry), sizes(model.info().symbol_count, 1),
      givens(entry.input_count, nullptr) {
  llvm::SmallVector<int64_t> bounds = boundsOf(model.info());
  for (const weft_tensor_info &output : outputsOf(entry))
    outputs.emplace_back(bytesOf(output, bounds));
}

static std::string generateSymbolName(const weft_model_info &info) {
  return info.generate_symbol < 0 ? "positions" : info.symbols[info.generate_symbol].name;
}

// Whether the tensor has a row for each id.
static bool areLogits(const weft_tensor_info &output, const weft_tensor_info &ids) {
  return output.dtype == WEFT_F32 && output.rank == ids.rank + 1 && output.dims[ids.rank] > 0 &&
         llvm::ArrayRef(output.symbols, ids.rank) == llvm::ArrayRef(ids.symbols, ids.rank);
}

llvm::Expected<LanguageModel> LanguageModel::create(CompiledModel &model, bool incremental) {
  const weft_model_info &info = model.info();
  if (info.generate_entry < 0)
    return llvm::createStringError("model '" + llvm::StringRef(info.name) +
                                   "' does not generate text");
  const weft_entry_info &entry = info.entries[info.generate_entry];
  // Batches in the model's own shapes are of one; a fixed one leaves no input that is a row of ids.
  if (info.generate_input < 0 || info.generate_output < 0 || info.generate_symbol < 0 ||
      !areLogits(entry.outputs[info.generate_output], entry.inputs[info.generate_input]))
    return llvm::createStringError(
        "cannot generate: the model does not take ids int[" + generateSymbolName(info) +
        "] to logits [" + generateSymbolName(info) +
        ", vocabulary] in 32 bits (generation needs it compiled without --batch)");
  LanguageModel result(model, entry);
  if (incremental)
    result.sequence = Sequence::create(model, entry, boundsOf(info));
  return std::move(result);
}

llvm::Error LanguageModel::checkIdsSuffice() const {
  for (const weft_tensor_info &input : inputs())
    if (&input != &idsInput() && !input.optional)
      return llvm::createStringError("cannot generate from ids alone: input '" +
                                     llvm::StringRef(input.name) + "' is needed too");
  return llvm::Error::success();
}

void LanguageModel::give(const Binding &binding, int64_t example) {
  seen.clear();
  if (binding.inputs.empty())
    return;
  sizes = binding.sizes;
  givens = binding.pointers(*entry, example);
}

// The first of them that a call has written.
llvm::ArrayRef<float> LanguageModel::rows(size_t count) const {
  return outputs[model->info().generate_output].as<float>().take_front(count * vocabulary());
}

llvm::Expected<llvm::ArrayRef<float>> LanguageModel::logits(llvm::ArrayRef<int32_t> ids) {
  if (isEndless())
    return goOn(ids, /*last=*/false);
  sizes[model->info().generate_symbol] = int64_t(ids.size());
  givens[model->info().generate_input] = ids.data();
  llvm::SmallVector<void *> pointers;
  for (AlignedBuffer &output : outputs)
    pointers.push_back(output.data());
  if (llvm::Error error = model->run(*entry, sizes, givens, pointers))
    return std::move(error);
  return rows(ids.size());
}

// The next positions of the sequence, in as many calls as the bound asks for; the logits of the
// last call, or with `last` those of the last position alone.
llvm::Expected<llvm::ArrayRef<float>> LanguageModel::goOn(llvm::ArrayRef<int32_t> ids, bool last) {
  if (seen.empty())
    if (llvm::Error error = sequence->begin(sizes, givens))
      return std::move(error);
  llvm::ArrayRef<float> logits;
  // Those that a call makes: of a step one, of a state model all.
  auto results =
      llvm::MutableArrayRef(outputs).slice(sequence->wholeOf(0), sequence->outputs.size());
  while (!ids.empty()) {
    llvm::ArrayRef<int32_t> piece = ids.take_front(size_t(bound()));
    givens[model->info().generate_input] = piece.data();
    sizes[sequence->countSymbol] = int64_t(piece.size());
    if (llvm::Error error = sequence->advance(sizes, sequence->pick(givens), results, last))
      return std::move(error);
    logits = rows(last ? 1 : piece.size());
    seen.insert(seen.end(), piece.begin(), piece.end());
    ids = ids.drop_front(piece.size());
  }
  return logits;
}

llvm::Expected<llvm::ArrayRef<float>> LanguageModel::next(llvm::ArrayRef<int32_t> ids) {
  bool goesOn = sequence && (isEndless() || int64_t(ids.size()) <= bound());
  if (goesOn && (seen.size() >= ids.size() || ids.take_front(seen.size()) != llvm::ArrayRef(seen)))
    seen.clear(); // another text begins
  llvm::Expected<llvm::ArrayRef<float>> all =
      goesOn ? goOn(ids.drop_front(seen.size()), sequence->canGiveLast())
             : logits(ids.take_back(size_t(bound())));
  if (!all)
    return all.takeError();
  return all->take_back(vocabulary());
}
