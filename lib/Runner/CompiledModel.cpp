//===- CompiledModel.cpp - loads a compiled model and calls it ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/CompiledModel.h"

#include "SharedLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace weft;

CompiledModel::CompiledModel(void *library, const weft_model_info &info,
                             std::unique_ptr<llvm::MemoryBuffer> bytes)
    : library(library), description(&info), weightsBytes(std::move(bytes)) {
  if (weightsBytes)
    weights.data = weightsBytes->getBufferStart();
  int64_t scratchBytes = 0;
  for (const weft_entry_info &entry : entries())
    scratchBytes = std::max(scratchBytes, entry.scratch_bytes);
  for (const weft_step_info &step : stepsOf(info))
    scratchBytes = std::max(scratchBytes, step.scratch_bytes);
  scratch = AlignedBuffer(scratchBytes);
}

namespace {

struct Library {
  void *handle;
  const weft_model_info *info;
};

} // namespace

static llvm::Expected<Library> openLibrary(llvm::StringRef path) {
  llvm::Expected<void *> handle = openSharedLibrary(path);
  if (!handle)
    return handle.takeError();
  auto getInfo = reinterpret_cast<weft_get_info_function>(dlsym(*handle, WEFT_GET_INFO_NAME));
  const weft_model_info *info = getInfo ? getInfo() : nullptr;
  if (!info)
    return llvm::createStringError(
        path + ": not a model compiled by weftc: it has no " WEFT_GET_INFO_NAME);
  return Library{*handle, info};
}

static llvm::Error checkElements(llvm::ArrayRef<weft_tensor_info> tensors) {
  for (const weft_tensor_info &tensor : tensors)
    if (!elementTypeOfCode(tensor.dtype))
      return llvm::createStringError(llvm::Twine("tensor '") + tensor.name +
                                     "' has elements of type " + llvm::Twine(tensor.dtype) +
                                     ", which is not known here");
  return llvm::Error::success();
}

static llvm::Error checkElements(const weft_model_info &info) {
  for (const weft_entry_info &entry : entriesOf(info)) {
    if (llvm::Error error = checkElements(inputsOf(entry)))
      return error;
    if (llvm::Error error = checkElements(outputsOf(entry)))
      return error;
  }
  return llvm::Error::success(); // steps have tensors of their entries
}

// Fails for a library of another version of the interface, before anything else of it is read.
static llvm::Expected<weft_weights> openWeights(const weft_model_info &info, llvm::StringRef path,
                                                llvm::StringRef weightsPath, int flags) {
  llvm::SmallString<256> beside(path);
  llvm::sys::path::replace_extension(beside, "weights");
  std::string name = weightsPath.empty() ? beside.str().str() : weightsPath.str();
  flags |= weightsPath.empty() ? 0 : WEFT_WEIGHTS_FROM_FILE; // one that is named is meant
  char message[1024];
  weft_weights weights;
  int code = weft_weights_open_flags(name.c_str(), &info, flags, &weights, message, sizeof message);
  if (code == WEFT_OK)
    return weights;
  if (code == WEFT_ERROR_FILE && weightsPath.empty() && !llvm::sys::fs::exists(beside))
    return llvm::createStringError(llvm::Twine(message) + " (--weights=FILE names another place)");
  return llvm::createStringError(message);
}

llvm::Expected<std::unique_ptr<CompiledModel>>
CompiledModel::load(llvm::StringRef path, llvm::StringRef weightsPath, int weightsFlags) {
  llvm::Expected<Library> library = openLibrary(path);
  if (!library)
    return library.takeError();
  llvm::Expected<weft_weights> weights =
      openWeights(*library->info, path, weightsPath, weightsFlags);
  if (!weights)
    return weights.takeError();
  if (llvm::Error error = checkElements(*library->info))
    return std::move(error);
  std::unique_ptr<CompiledModel> model(new CompiledModel(library->handle, *library->info, nullptr));
  model->weights = *weights;
  return std::move(model);
}

llvm::Expected<std::unique_ptr<CompiledModel>>
CompiledModel::load(llvm::StringRef path, std::unique_ptr<llvm::MemoryBuffer> weights) {
  llvm::Expected<Library> library = openLibrary(path);
  if (!library)
    return library.takeError();
  return std::unique_ptr<CompiledModel>(
      new CompiledModel(library->handle, *library->info, std::move(weights)));
}

template <typename F> F *CompiledModel::function(const char *name) const {
  return library ? reinterpret_cast<F *>(dlsym(library, name)) : nullptr;
}

CompiledModel::~CompiledModel() {
  // The library may have a copy on a GPU.
  auto *close = function<void(weft_weights *)>("weft_weights_close");
  (close ? close : weft_weights_close)(&weights);
  // The library stays: its threads may still be on their way to sleep in its code.
}

llvm::Expected<const weft_entry_info *> CompiledModel::findEntry(llvm::StringRef name) const {
  std::string names;
  for (const weft_entry_info &entry : entries()) {
    if (entry.name == name)
      return &entry;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  if (!name.empty())
    return llvm::createStringError("no entry '" + name + "' in the model; it has: " + names);
  if (entries().size() == 1)
    return &entries().front();
  if (description->generate_entry >= 0)
    return &entries()[description->generate_entry];
  return llvm::createStringError("the model has several entries, choose one by --entry: " + names);
}

/// Where an index may have come from: the integers that a call was given.
static std::string originOfIndices(llvm::ArrayRef<weft_tensor_info> inputs) {
  std::string names;
  for (const weft_tensor_info &input : inputs)
    if (elementsOf(input).kind == ElementKind::Int)
      names += (names.empty() ? " (integers come from '" : "', '") + std::string(input.name);
  return names.empty() ? "" : names + "')";
}

// What a call returned.
llvm::Error CompiledModel::check(const llvm::Twine &what, int code,
                                 llvm::ArrayRef<weft_tensor_info> inputs) const {
  if (code == WEFT_OK)
    return llvm::Error::success();
  std::string origin = code == WEFT_ERROR_INDEX ? originOfIndices(inputs) : "";
  // The library knows what its GPU met with.
  auto *explain = function<const char *(int)>("weft_error_string");
  return llvm::createStringError(what + "': " + (explain ? explain : weft_error_string)(code) +
                                 origin);
}

llvm::Error CompiledModel::run(const weft_entry_info &entry, llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<const void *> inputs,
                               llvm::ArrayRef<void *> outputs) {
  int code = entry.call(weights.data, scratch.data(), sizes.data(),
                        const_cast<void *const *>(inputs.data()), outputs.data());
  noteProfile(sizes);
  return check(llvm::Twine("entry '") + entry.name, code,
               {entry.inputs, size_t(entry.input_count)});
}

llvm::Error CompiledModel::start(const weft_step_info &step, AlignedBuffer &state,
                                 llvm::ArrayRef<int64_t> sizes,
                                 llvm::ArrayRef<const void *> inputs) {
  int code = step.start(weights.data, state.data(), scratch.data(), sizes.data(),
                        const_cast<void *const *>(inputs.data()), nullptr);
  noteProfile(sizes);
  return check(llvm::Twine("start of '") + step.name, code,
               {step.start_inputs, size_t(step.start_input_count)});
}

llvm::Error CompiledModel::advance(const weft_step_info &step, AlignedBuffer &state,
                                   llvm::ArrayRef<int64_t> sizes,
                                   llvm::ArrayRef<const void *> inputs,
                                   llvm::ArrayRef<void *> outputs, bool last) {
  weft_step_call call = last ? step.last : step.call;
  int code = call(weights.data, state.data(), scratch.data(), sizes.data(),
                  const_cast<void *const *>(inputs.data()), outputs.data());
  if (profile) {
    // What the call itself knows: the positions of the state, and the last one of them.
    llvm::SmallVector<int64_t> inside(sizes);
    inside[size_t(step.length_symbol)] = *reinterpret_cast<const int64_t *>(state.data());
    if (step.last_symbol >= 0)
      inside[size_t(step.last_symbol)] = 1;
    noteProfile(inside);
  }
  return check(llvm::Twine("entry '") + step.name, code, {step.inputs, size_t(step.input_count)});
}

void CompiledModel::setThreads(int count) {
  if (auto *set = function<void(int)>("weft_set_threads"))
    set(count);
}

int CompiledModel::threads() const {
  auto *get = function<int()>("weft_get_threads");
  return description->threaded && get ? get() : 1;
}

bool CompiledModel::isOnDevice() const { return function<void()>("weft_cuda_shutdown") != nullptr; }

//===----------------------------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------------------------===//

void CompiledModel::startProfile(std::optional<MachineLimits> machine) {
  profile = std::make_unique<Profile>(*description, std::move(machine));
  resetProfile();
}

void CompiledModel::resetProfile() {
  if (auto *reset = function<void()>("weft_profile_reset"))
    reset();
  if (profile)
    profile->reset();
}

void CompiledModel::noteProfile(llvm::ArrayRef<int64_t> sizes) {
  auto *read =
      profile ? function<void(int32_t, int64_t *, double *)>("weft_profile_read") : nullptr;
  if (!read)
    return;
  std::vector<Profile::Total> totals(profile->kernels().size());
  for (auto [i, total] : llvm::enumerate(totals))
    read(int32_t(i), &total.calls, &total.seconds);
  profile->add(totals, sizes);
}
