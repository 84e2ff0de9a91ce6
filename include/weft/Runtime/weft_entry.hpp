//===- weft_entry.hpp - calls of a model, from C++ ------------------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Include weft.hpp.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_WEFT_ENTRY_HPP
#define WEFT_RUNTIME_WEFT_ENTRY_HPP

#include "weft/Runtime/weft_model.hpp"

namespace weft {
namespace detail {

inline void checkScratch(const Scratch &scratch, std::int64_t bytes) {
  if (scratch.data() && scratch.size() < bytes)
    throw Error(WEFT_ERROR_ARGUMENT, "the scratch has " + std::to_string(scratch.size()) +
                                         " bytes, " + std::to_string(bytes) + " are needed");
}

/// Memory for the results of a call.
inline std::vector<Tensor> makeResults(const Binder &binder, const Runtime &runtime,
                                       const weft_tensor_info *outputs, std::int32_t count) {
  std::vector<Tensor> results;
  for (std::int32_t i = 0; i < count; ++i) {
    Shape shape = binder.shapeOf(outputs[i]);
    std::int64_t bytes = countOf(shape) < 0 ? -1 : countOf(shape) * bytesOfType(outputs[i].dtype);
    void *memory = runtime.allocate(bytes);
    if (!memory)
      throw Error(WEFT_ERROR_MEMORY, std::string("out of memory for '") + outputs[i].name + "'");
    results.emplace_back(outputs[i], std::move(shape), memory);
  }
  return results;
}

inline std::vector<void *> pointersTo(std::vector<Tensor> &tensors) {
  std::vector<void *> pointers;
  for (Tensor &tensor : tensors)
    pointers.push_back(tensor.data());
  return pointers;
}

} // namespace detail

/// A function of a model.
class Entry {
public:
  const weft_entry_info &info() const { return *description; }
  const char *name() const { return description->name; }

  /// Calls it. Inputs that have a default may be left out; all outputs are given.
  void call(const Weights &weights, Scratch &scratch, const Inputs &inputs,
            const Outputs &outputs) const {
    detail::Binder binder(owner.info());
    std::vector<void *> in = bind(binder, inputs);
    run(weights, scratch, binder, in,
        binder.bind("output", info().outputs, info().output_count, outputs));
  }
  /// The same with results that it allocates, in the order of the entry.
  std::vector<Tensor> call(const Weights &weights, Scratch &scratch, const Inputs &inputs) const {
    detail::Binder binder(owner.info());
    std::vector<void *> in = bind(binder, inputs);
    std::vector<Tensor> results =
        detail::makeResults(binder, *owner.runtime, info().outputs, info().output_count);
    run(weights, scratch, binder, in, detail::pointersTo(results));
    return results;
  }

private:
  friend class Model;
  friend class State;
  Entry(const Model &model, const weft_entry_info &info) : owner(model), description(&info) {}

  std::vector<void *> bind(detail::Binder &binder, const Inputs &inputs) const {
    std::vector<void *> in = binder.bind("input", info().inputs, info().input_count, inputs);
    for (std::int32_t i = 0; i < info().input_count; ++i)
      binder.shapeOf(info().inputs[i]); // all symbols are known
    return in;
  }
  void run(const Weights &weights, Scratch &scratch, const detail::Binder &binder,
           const std::vector<void *> &inputs, const std::vector<void *> &outputs) const {
    detail::checkScratch(scratch, info().scratch_bytes);
    detail::check(info().call(weights.of(owner.info()), scratch.data(), binder.sizes.data(),
                              inputs.data(), outputs.data()),
                  std::string("entry '") + name() + "'", *owner.runtime);
  }

  Model owner;
  const weft_entry_info *description;
};

inline Entry Model::entry(const std::string &name) const {
  std::string names;
  const weft_model_info &model = info();
  for (std::int32_t i = 0; i < model.entry_count; ++i) {
    if (name == model.entries[i].name)
      return Entry(*this, model.entries[i]);
    names += (i ? ", " : "") + std::string(model.entries[i].name);
  }
  if (name.empty() && (model.entry_count == 1 || model.generate_entry >= 0))
    return Entry(*this, model.entries[std::max(model.generate_entry, 0)]);
  throw Error(WEFT_ERROR_ARGUMENT,
              (name.empty() ? "the model has several entries, name one: "
                            : "no entry '" + name + "' in the model; it has: ") +
                  names);
}

} // namespace weft

#endif // WEFT_RUNTIME_WEFT_ENTRY_HPP
