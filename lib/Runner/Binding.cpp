//===- Binding.cpp - matches a file's tensors with an entry's inputs ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Binding.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

namespace {

// Derives the batch and the symbols from shapes, remembering who said what for the messages.
class ShapeReader {
public:
  ShapeReader(const weft_model_info &info, Binding &binding)
      : info(info), binding(binding), sources(info.symbol_count) {
    binding.sizes.assign(info.symbol_count, 0);
  }
  // Symbol that has no bound, because a call goes on where the one before has ended; -1: none.
  int32_t endless = -1;

  llvm::Error read(const weft_tensor_info &declared, const StoredTensor &tensor);
  llvm::Error readBatch(const weft_tensor_info &declared, const StoredTensor &tensor);
  llvm::Error readSymbol(int32_t symbol, int64_t extent, const StoredTensor &tensor);
  llvm::Error finish(const weft_entry_info &entry);

private:
  llvm::Error badShape(const weft_tensor_info &declared, const StoredTensor &tensor) {
    return llvm::createStringError("input '" + tensor.name + "' has shape " +
                                   shapeString(tensor.shape) + ", the model declares " +
                                   declaredShape(info, declared) + " (a batch may come before it)");
  }

  const weft_model_info &info;
  Binding &binding;
  std::vector<std::string> sources; // per symbol: the tensor that gave its value
  std::string batchSource;
};

} // namespace

llvm::Error ShapeReader::readBatch(const weft_tensor_info &declared, const StoredTensor &tensor) {
  if (int64_t(tensor.shape.size()) < declared.rank)
    return badShape(declared, tensor);
  llvm::ArrayRef<int64_t> batch = llvm::ArrayRef(tensor.shape).drop_back(declared.rank);
  binding.shared.push_back(batch.empty());
  if (batch.empty())
    return llvm::Error::success();
  if (llvm::is_contained(batch, 0))
    return llvm::createStringError("input '" + tensor.name + "' has an empty batch");
  if (!binding.batch.empty() && llvm::ArrayRef(binding.batch) != batch)
    return llvm::createStringError("input '" + tensor.name + "' has a batch of " +
                                   shapeString(batch) + ", but input '" + batchSource + "' has " +
                                   shapeString(binding.batch));
  batchSource = tensor.name;
  binding.batch.assign(batch.begin(), batch.end());
  return llvm::Error::success();
}

llvm::Error ShapeReader::readSymbol(int32_t symbol, int64_t extent, const StoredTensor &tensor) {
  const weft_symbol_info &declared = info.symbols[symbol];
  std::string name = declared.name;
  if (extent < 1)
    return llvm::createStringError("input '" + tensor.name + "' has " + name +
                                   " = 0, at least 1 is needed");
  if (extent > declared.bound && symbol != endless)
    return llvm::createStringError("input '" + tensor.name + "' has " + name + " = " +
                                   llvm::Twine(extent) + ", the model is compiled for " + name +
                                   " <= " + llvm::Twine(declared.bound));
  if (!sources[symbol].empty() && binding.sizes[symbol] != extent)
    return llvm::createStringError("input '" + tensor.name + "' has " + name + " = " +
                                   llvm::Twine(extent) + ", but input '" + sources[symbol] +
                                   "' has " + name + " = " + llvm::Twine(binding.sizes[symbol]));
  sources[symbol] = tensor.name;
  binding.sizes[symbol] = extent;
  return llvm::Error::success();
}

llvm::Error ShapeReader::read(const weft_tensor_info &declared, const StoredTensor &tensor) {
  if (llvm::Error error = readBatch(declared, tensor))
    return error;
  llvm::ArrayRef<int64_t> shape = llvm::ArrayRef(tensor.shape).take_back(declared.rank);
  for (int32_t i = 0; i < declared.rank; ++i) {
    if (declared.symbols[i] < 0 && declared.dims[i] != shape[i])
      return badShape(declared, tensor);
    if (declared.symbols[i] >= 0)
      if (llvm::Error error = readSymbol(declared.symbols[i], shape[i], tensor))
        return error;
  }
  return llvm::Error::success();
}

// Every symbol that the entry uses has a value now, or none of the given inputs has it.
llvm::Error ShapeReader::finish(const weft_entry_info &entry) {
  for (const auto &tensors : {inputsOf(entry), outputsOf(entry)})
    for (const weft_tensor_info &tensor : tensors)
      for (int32_t symbol : llvm::ArrayRef(tensor.symbols, tensor.rank))
        if (symbol >= 0 && sources[symbol].empty())
          return llvm::createStringError("no given input tells the value of " +
                                         llvm::StringRef(info.symbols[symbol].name) +
                                         ", needed by '" + tensor.name + "'");
  return llvm::Error::success();
}

static std::string inputNames(const weft_entry_info &entry) {
  std::vector<std::string> names;
  for (const weft_tensor_info &input : inputsOf(entry))
    names.push_back(input.name);
  return joinNames(names);
}

static llvm::Error checkNames(const weft_entry_info &entry, llvm::ArrayRef<std::string> names) {
  for (const std::string &name : names)
    if (!findTensor(inputsOf(entry), name))
      return llvm::createStringError("the model has no input '" + name +
                                     "'; it has: " + inputNames(entry));
  for (const weft_tensor_info &input : inputsOf(entry))
    if (!input.optional && !llvm::is_contained(names, input.name))
      return llvm::createStringError("input '" + llvm::StringRef(input.name) +
                                     "' is missing; the model needs it");
  return llvm::Error::success();
}

static std::vector<std::string> namesOf(llvm::ArrayRef<StoredTensor> tensors) {
  std::vector<std::string> names;
  for (const StoredTensor &tensor : tensors)
    names.push_back(tensor.name);
  return names;
}

static bool hasResults(const weft_entry_info &entry,
                       llvm::ArrayRef<const StoredTensor *> expected) {
  return llvm::all_of(expected, [&](const StoredTensor *tensor) {
    return findTensor(outputsOf(entry), tensor->name);
  });
}

llvm::Expected<const weft_entry_info *>
weft::chooseEntry(const CompiledModel &model, llvm::StringRef name,
                  llvm::ArrayRef<StoredTensor> tensors,
                  llvm::ArrayRef<const StoredTensor *> expected) {
  return chooseEntry(
      model, name, [&](const weft_entry_info &) { return namesOf(tensors); }, expected);
}

llvm::Expected<const weft_entry_info *>
weft::chooseEntry(const CompiledModel &model, llvm::StringRef name,
                  llvm::function_ref<std::vector<std::string>(const weft_entry_info &)> given,
                  llvm::ArrayRef<const StoredTensor *> expected) {
  if (!name.empty() || model.entries().size() == 1)
    return model.findEntry(name);
  llvm::SmallVector<const weft_entry_info *> fitting, complete;
  std::string reasons, names;
  for (const weft_entry_info &entry : model.entries()) {
    if (llvm::Error error = checkNames(entry, given(entry))) {
      reasons += "\n  " + std::string(entry.name) + ": " + llvm::toString(std::move(error));
      continue;
    }
    fitting.push_back(&entry);
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
    if (hasResults(entry, expected))
      complete.push_back(&entry);
  }
  if (fitting.empty())
    return llvm::createStringError("the inputs fit no entry of the model:" + reasons);
  if (fitting.size() == 1)
    return fitting.front();
  if (complete.size() == 1)
    return complete.front();
  if (model.info().generate_entry >= 0) {
    const weft_entry_info *generating = &model.entries()[model.info().generate_entry];
    if (llvm::is_contained(fitting, generating))
      return generating;
  }
  return llvm::createStringError("the inputs fit several entries, choose one by --entry: " + names);
}

llvm::Expected<Binding> weft::bindInputs(const weft_model_info &info, const weft_entry_info &entry,
                                         llvm::ArrayRef<StoredTensor> tensors, bool inPieces) {
  if (llvm::Error error = checkNames(entry, namesOf(tensors)))
    return std::move(error);
  Binding binding;
  ShapeReader shapes(info, binding);
  if (inPieces && !recurrentPairs(info, entry).empty())
    shapes.endless = info.generate_symbol;
  for (const weft_tensor_info &input : inputsOf(entry)) {
    binding.inputs.emplace_back();
    const StoredTensor *tensor = findTensor(tensors, input.name);
    if (!tensor) {
      binding.shared.push_back(true);
      continue;
    }
    if (llvm::Error error = shapes.read(input, *tensor))
      return std::move(error);
    llvm::Expected<AlignedBuffer> buffer = convertInput(input, *tensor);
    if (!buffer)
      return buffer.takeError();
    binding.inputs.back() = std::move(*buffer);
  }
  if (llvm::Error error = shapes.finish(entry))
    return std::move(error);
  return std::move(binding);
}

int64_t Binding::examples() const {
  int64_t count = 1;
  for (int64_t extent : batch)
    count *= extent;
  return count;
}

bool Binding::isLongerThanCall(const weft_model_info &info) const {
  int32_t symbol = info.generate_symbol;
  return symbol >= 0 && sizes[symbol] > info.symbols[symbol].bound;
}

std::vector<const void *> Binding::pointers(const weft_entry_info &entry, int64_t index) const {
  std::vector<const void *> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    int64_t bytes = bytesOf(entry.inputs[i], sizes);
    int64_t offset = shared[i] ? 0 : index * bytes;
    result.push_back(inputs[i].data() ? inputs[i].data() + offset : nullptr);
  }
  return result;
}
