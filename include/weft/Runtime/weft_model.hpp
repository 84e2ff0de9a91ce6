//===- weft_model.hpp - models, weights and scratch, from C++ -------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Include weft.hpp.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_WEFT_MODEL_HPP
#define WEFT_RUNTIME_WEFT_MODEL_HPP

#include "weft/Runtime/weft_binder.hpp"
#include "weft/Runtime/weft_runtime.h"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>

namespace weft {
namespace detail {

/// The functions of the runtime: those that are linked, or those of a library that was loaded,
/// which has its own threads, and knows what it keeps on a GPU.
struct Runtime {
  decltype(&weft_error_string) errorString;
  decltype(&weft_weights_open_flags) openWeights;
  decltype(&weft_weights_close) closeWeights;
  decltype(&weft_allocate) allocate;
  decltype(&weft_set_threads) setThreads; ///< null in a library without threads
};

inline void check(int code, const std::string &what, const Runtime &runtime) {
  if (code != WEFT_OK)
    throw Error(code, what + ": " + runtime.errorString(code));
}

/// Sets `function` to that of this name in a library, or to null.
template <typename F> void find(void *library, const char *name, F &function) {
  function = reinterpret_cast<F>(dlsym(library, name));
}

/// Memory of the runtime, aligned to 64 bytes.
class Memory {
public:
  Memory() = default;
  Memory(const Runtime &runtime, std::int64_t wanted)
      : memory(runtime.allocate(wanted), std::free), bytes(wanted) {
    if (!memory)
      throw Error(WEFT_ERROR_MEMORY, "out of memory: " + std::to_string(wanted) + " bytes");
  }
  std::int64_t size() const { return memory ? bytes : 0; }
  /// An Error if it was moved away.
  void *get(const char *what) const {
    if (!memory)
      throw Error(WEFT_ERROR_ARGUMENT, std::string("the ") + what + " was moved away");
    return memory.get();
  }

private:
  std::unique_ptr<void, void (*)(void *)> memory{nullptr, std::free};
  std::int64_t bytes = 0;
};

} // namespace detail

class Entry;
class Weights;
class Scratch;

/// A compiled model; a copy is the same model.
class Model {
public:
  /// One that is linked into this program, with libweft_runtime.a: MODEL_info of its header.
  explicit Model(const weft_model_info &info)
      : Model(info, {&weft_error_string, &weft_weights_open_flags, &weft_weights_close,
                     &weft_allocate, &weft_set_threads}) {}
  Model(const Model &) = default; // to move one is to copy it
  Model &operator=(const Model &) = default;
  /// A shared library that weftc has made. The program needs to link nothing of Weft for it.
  static Model load(const std::string &path);

  const weft_model_info &info() const { return *description; }
  const char *name() const { return description->name; }
  /// Where it was loaded from; empty if it is linked.
  const std::string &path() const { return libraryPath; }
  /// The entry of a name; without one the only entry, or the one that generates.
  Entry entry(const std::string &name = "") const;
  /// For all calls of models that share this model's runtime; n < 1: the default.
  void setThreads(int n) const {
    if (runtime->setThreads)
      runtime->setThreads(n);
  }

private:
  friend class Entry;
  friend class Weights;
  friend class Scratch;
  friend class State;
  Model(const weft_model_info &info, const detail::Runtime &functions)
      : description(&info), runtime(std::make_shared<detail::Runtime>(functions)) {
    if (info.abi_version < WEFT_ABI_OLDEST || info.abi_version > WEFT_ABI_VERSION)
      throw Error(WEFT_ERROR_VERSION,
                  "model compiled for interface version " + std::to_string(info.abi_version) +
                      ", this program knows versions " + std::to_string(WEFT_ABI_OLDEST) + " to " +
                      std::to_string(WEFT_ABI_VERSION));
  }

  const weft_model_info *description;
  std::shared_ptr<const detail::Runtime> runtime;
  std::string libraryPath;
};

inline Model Model::load(const std::string &path) {
  // A name without a slash would be searched for in the system's folders.
  std::string place = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(WEFT_ERROR_FILE, path + ": cannot load: " + dlerror());
  weft_get_info_function getInfo = nullptr;
  detail::find(library, WEFT_GET_INFO_NAME, getInfo);
  const weft_model_info *info = getInfo ? getInfo() : nullptr;
  if (!info)
    throw Error(WEFT_ERROR_FILE, path + ": not a model compiled by weftc");
  detail::Runtime own;
  detail::find(library, "weft_error_string", own.errorString);
  detail::find(library, "weft_weights_open_flags", own.openWeights);
  detail::find(library, "weft_weights_close", own.closeWeights);
  detail::find(library, "weft_allocate", own.allocate);
  detail::find(library, "weft_set_threads", own.setThreads);
  if (!own.errorString || !own.openWeights || !own.closeWeights || !own.allocate)
    throw Error(WEFT_ERROR_VERSION, path + ": a library without the runtime");
  Model model(*info, own);
  model.libraryPath = place;
  return model;
}

/// The weights of a model, mapped from a file or in the model itself.
class Weights {
public:
  /// Opens `path`; by default the weights in the model, or the file beside the library,
  /// NAME.weights. `flags`: WEFT_WEIGHTS_COPY_HUGE, or 0.
  explicit Weights(const Model &model, const std::string &path = "", int flags = 0)
      : owner(model), isOpen(true) {
    std::string file = path.empty() ? besideLibrary(model) : path;
    flags |= path.empty() ? 0 : WEFT_WEIGHTS_FROM_FILE;
    char message[1024];
    int code = model.runtime->openWeights(file.empty() ? nullptr : file.c_str(), &model.info(),
                                          flags, &weights, message, sizeof message);
    if (code != WEFT_OK)
      throw Error(code, message);
  }
  Weights(Weights &&other) noexcept : owner(other.owner) { swap(other); }
  Weights &operator=(Weights &&other) noexcept {
    Weights(std::move(other)).swap(*this);
    return *this;
  }
  ~Weights() { close(); }

  /// Gives them back before the end; states and calls need them.
  void close() noexcept {
    if (isOpen)
      owner.runtime->closeWeights(&weights);
    isOpen = false;
  }
  /// What the C functions take; null if the model has none.
  const void *data() const {
    if (!isOpen)
      throw Error(WEFT_ERROR_ARGUMENT, "the weights were closed or moved away");
    return weights.data;
  }
  /// The same, if they are those of this model.
  const void *of(const weft_model_info &info) const {
    if (&info != &owner.info())
      throw Error(WEFT_ERROR_WEIGHTS, std::string("the weights are those of model '") +
                                          owner.name() + "', not of '" + info.name + "'");
    return data();
  }

private:
  static std::string besideLibrary(const Model &model) {
    const std::string &path = model.path();
    std::size_t slash = path.rfind('/'), dot = path.rfind('.');
    bool hasSuffix = dot != std::string::npos && dot > slash + 1;
    return path.empty() ? path : path.substr(0, hasSuffix ? dot : path.size()) + ".weights";
  }
  void swap(Weights &other) noexcept {
    std::swap(owner, other.owner);
    std::swap(weights, other.weights);
    std::swap(isOpen, other.isOpen);
  }

  Model owner;
  weft_weights weights = {nullptr, 0};
  bool isOpen = false;
};

/// Memory for the calls of one thread: enough for every entry and step of the model.
class Scratch {
public:
  explicit Scratch(const Model &model) : memory(*model.runtime, bytesOf(model.info())) {}
  std::int64_t size() const { return memory.size(); }
  void *data() const { return memory.get("scratch"); }

private:
  static std::int64_t bytesOf(const weft_model_info &info) {
    std::int64_t bytes = 0;
    for (std::int32_t i = 0; i < info.entry_count; ++i)
      bytes = std::max(bytes, info.entries[i].scratch_bytes);
    for (std::int32_t i = 0; i < info.step_count; ++i)
      bytes = std::max(bytes, info.steps[i].scratch_bytes);
    return bytes;
  }

  detail::Memory memory;
};

} // namespace weft

#endif // WEFT_RUNTIME_WEFT_MODEL_HPP
