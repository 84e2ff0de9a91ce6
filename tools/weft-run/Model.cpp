//===- Model.cpp - loads a compiled model and calls it --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace weft;

llvm::Expected<std::unique_ptr<Model>> Model::load(llvm::StringRef path,
                                                   llvm::StringRef weightsPath) {
  // A name without a slash would be searched for in the system's folders.
  llvm::SmallString<256> absolute(path);
  if (std::error_code error = llvm::sys::fs::make_absolute(absolute))
    return fail(path + ": " + error.message());
  if (!llvm::sys::fs::exists(absolute))
    return fail(path + ": no such file");

  std::unique_ptr<Model> model(new Model());
  model->library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!model->library)
    return fail(path + ": not a shared library: " + dlerror());
  auto *getInfo = model->function<const weft_model_info *()>(WEFT_GET_INFO_NAME);
  model->description = getInfo ? getInfo() : nullptr;
  if (!model->description)
    return fail(path + ": not a model compiled by weftc: it has no " WEFT_GET_INFO_NAME);
  if (llvm::Error error = model->openWeights(path, weightsPath))
    return std::move(error);

  int64_t scratchBytes = 0;
  for (const weft_entry_info &entry : model->entries())
    scratchBytes = std::max(scratchBytes, entry.scratch_bytes);
  for (const weft_step_info &step :
       llvm::ArrayRef(model->description->steps, model->description->step_count))
    scratchBytes = std::max(scratchBytes, step.scratch_bytes);
  model->scratch = Buffer(scratchBytes);
  return std::move(model);
}

llvm::Error Model::openWeights(llvm::StringRef path, llvm::StringRef weightsPath) {
  llvm::SmallString<256> beside(path);
  llvm::sys::path::replace_extension(beside, "weights");
  std::string name = weightsPath.empty() ? beside.str().str() : weightsPath.str();
  char message[1024];
  if (weft_weights_open(name.c_str(), description, &weights, message, sizeof message) == WEFT_OK)
    return llvm::Error::success();
  if (weightsPath.empty() && !llvm::sys::fs::exists(beside))
    return fail(llvm::Twine(message) + " (--weights=FILE names another place)");
  return fail(message);
}

Model::~Model() {
  weft_weights_close(&weights);
  // The library stays: its threads may still be on their way to sleep in its code.
}

template <typename F> F *Model::function(const char *name) const {
  return reinterpret_cast<F *>(dlsym(library, name));
}

llvm::ArrayRef<weft_entry_info> Model::entries() const {
  return {description->entries, size_t(description->entry_count)};
}

llvm::Expected<const weft_entry_info *> Model::findEntry(llvm::StringRef name) const {
  std::string names;
  for (const weft_entry_info &entry : entries()) {
    if (entry.name == name)
      return &entry;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  if (!name.empty())
    return fail("no entry '" + name + "' in the model; it has: " + names);
  if (entries().size() == 1)
    return &entries().front();
  if (description->generate_entry >= 0)
    return &entries()[description->generate_entry];
  return fail("the model has several entries, choose one by --entry: " + names);
}

llvm::Error Model::run(const weft_entry_info &entry, llvm::ArrayRef<int64_t> sizes,
                       llvm::ArrayRef<const void *> inputs, llvm::ArrayRef<void *> outputs) {
  int code = entry.call(weights.data, scratch.data(), sizes.data(),
                        const_cast<void *const *>(inputs.data()), outputs.data());
  if (code == WEFT_OK)
    return llvm::Error::success();
  return fail("entry '" + llvm::StringRef(entry.name) + "': " + weft_error_string(code));
}

const weft_step_info *Model::findStep(const weft_entry_info &entry) const {
  for (const weft_step_info &step : llvm::ArrayRef(description->steps, description->step_count))
    if (&description->entries[step.entry] == &entry)
      return &step;
  return nullptr;
}

// The tensors of `wanted` among those given to the entry.
static std::vector<const void *> pickInputs(llvm::ArrayRef<weft_tensor_info> wanted,
                                            const weft_entry_info &entry,
                                            llvm::ArrayRef<const void *> given) {
  std::vector<const void *> picked;
  for (const weft_tensor_info &input : wanted) {
    picked.push_back(nullptr);
    for (int32_t i = 0; i != entry.input_count; ++i)
      if (llvm::StringRef(entry.inputs[i].name) == input.name)
        picked.back() = given[i];
  }
  return picked;
}

std::vector<const void *> Model::stepInputs(const weft_step_info &step,
                                            const weft_entry_info &entry,
                                            llvm::ArrayRef<const void *> given) const {
  return pickInputs(llvm::ArrayRef(step.inputs, step.input_count), entry, given);
}

std::vector<const void *> Model::startInputs(const weft_step_info &step,
                                             const weft_entry_info &entry,
                                             llvm::ArrayRef<const void *> given) const {
  return pickInputs(llvm::ArrayRef(step.start_inputs, step.start_input_count), entry, given);
}

llvm::Error Model::start(const weft_step_info &step, Buffer &state, llvm::ArrayRef<int64_t> sizes,
                         llvm::ArrayRef<const void *> inputs) {
  int code = step.start(weights.data, state.data(), scratch.data(), sizes.data(),
                        const_cast<void *const *>(inputs.data()), nullptr);
  if (code == WEFT_OK)
    return llvm::Error::success();
  return fail("start of '" + llvm::StringRef(step.name) + "': " + weft_error_string(code));
}

llvm::Error Model::advance(const weft_step_info &step, Buffer &state, llvm::ArrayRef<int64_t> sizes,
                           llvm::ArrayRef<const void *> inputs, void *output) {
  int code = step.call(weights.data, state.data(), scratch.data(), sizes.data(),
                       const_cast<void *const *>(inputs.data()), &output);
  if (code == WEFT_OK)
    return llvm::Error::success();
  return fail("entry '" + llvm::StringRef(step.name) + "': " + weft_error_string(code));
}

void Model::setThreads(int count) {
  if (auto *set = function<void(int)>("weft_set_threads"))
    set(count);
}

int Model::threads() const {
  auto *get = function<int()>("weft_get_threads");
  return description->threaded && get ? get() : 1;
}

void Model::resetProfile() {
  if (auto *reset = function<void()>("weft_profile_reset"))
    reset();
}

void Model::readProfile(int32_t kernel, int64_t &calls, double &seconds) const {
  calls = 0;
  seconds = 0;
  if (auto *read = function<void(int32_t, int64_t *, double *)>("weft_profile_read"))
    read(kernel, &calls, &seconds);
}

int64_t weft::elementBytes(int32_t dtype) { return dtype == WEFT_BOOL ? 1 : 4; }

llvm::StringRef weft::elementName(int32_t dtype) {
  return dtype == WEFT_F32 ? "real" : dtype == WEFT_I32 ? "int" : "bool";
}

llvm::SmallVector<int64_t> weft::shapeOf(const weft_tensor_info &tensor,
                                         llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t> shape;
  for (int32_t i = 0; i < tensor.rank; ++i)
    shape.push_back(tensor.symbols[i] >= 0 ? sizes[tensor.symbols[i]] : tensor.dims[i]);
  return shape;
}

int64_t weft::countOf(const weft_tensor_info &tensor, llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t extent : shapeOf(tensor, sizes))
    count *= extent;
  return count;
}

bool weft::countsNew(const weft_model_info &info, int32_t symbol) {
  return llvm::any_of(llvm::ArrayRef(info.steps, info.step_count),
                      [symbol](const weft_step_info &step) { return step.count_symbol == symbol; });
}

std::string weft::declaredShape(const weft_model_info &info, const weft_tensor_info &tensor) {
  std::string text = "[";
  for (int32_t i = 0; i < tensor.rank; ++i) {
    text += i ? ", " : "";
    text += tensor.symbols[i] >= 0 ? std::string(info.symbols[tensor.symbols[i]].name)
                                   : std::to_string(tensor.dims[i]);
  }
  return text + "]";
}
