//===- weft_state.hpp - sequences that go on, from C++ ----------------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The step of a model that generates. Include weft.hpp.
//
//   weft::State state(model, weights, scratch);
//   state.stepLast(weights, scratch, {{"input_ids", prompt}}, {{"logits", logits}});
//   weft::State other = state;                  // another sequence with the same past
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_WEFT_STATE_HPP
#define WEFT_RUNTIME_WEFT_STATE_HPP

#include "weft/Runtime/weft_entry.hpp"

namespace weft {

/// One sequence: what the step of an entry keeps of its positions. A copy is another sequence with
/// the same past; of a model for a GPU the rules of docs/GPU.md hold.
class State {
public:
  /// Begins a sequence of the entry of this name (without one: of the only one that has a step).
  /// `inputs` are those that the whole sequence sees.
  State(const Model &model, const Weights &weights, Scratch &scratch, const Inputs &inputs = {},
        const std::string &entry = "")
      : owner(model), description(&findStep(model, entry)), start(model.info()),
        memory(*owner.runtime, description->state_bytes) {
    std::vector<void *> in =
        start.bind("input", description->start_inputs, description->start_input_count, inputs);
    detail::checkScratch(scratch, description->scratch_bytes);
    detail::check(description->start(weights.of(owner.info()), data(), scratch.data(),
                                     start.sizes.data(), in.data(), nullptr),
                  std::string("start of '") + description->name + "'", *owner.runtime);
  }
  State(const State &other)
      : owner(other.owner), description(other.description), start(other.start),
        memory(*owner.runtime, description->state_bytes) {
    std::memcpy(data(), other.data(), std::size_t(description->state_bytes));
  }
  State &operator=(const State &other) { return *this = State(other); }
  State(State &&) = default;
  State &operator=(State &&) = default;

  /// Computes the next positions: inputs and outputs have a row for each of them.
  void step(const Weights &weights, Scratch &scratch, const Inputs &inputs,
            const Outputs &outputs) {
    advance(weights, scratch, inputs, outputs, description->call, description->outputs);
  }
  std::vector<Tensor> step(const Weights &weights, Scratch &scratch, const Inputs &inputs) {
    return advance(weights, scratch, inputs, description->call, description->outputs);
  }
  /// The same, but of the outputs only those of the last position, without its dimension.
  void stepLast(const Weights &weights, Scratch &scratch, const Inputs &inputs,
                const Outputs &outputs) {
    advance(weights, scratch, inputs, outputs, lastCall(), description->last_outputs);
  }
  std::vector<Tensor> stepLast(const Weights &weights, Scratch &scratch, const Inputs &inputs) {
    return advance(weights, scratch, inputs, lastCall(), description->last_outputs);
  }

  /// The number of positions so far.
  std::int64_t length() const { return *static_cast<const std::int64_t *>(data()); }
  /// Takes positions back: to 0, or as far as sliding windows still hold what the next ones see.
  /// The next call says so if they do not.
  void truncate(std::int64_t positions) {
    if (positions < 0 || positions > length())
      throw Error(WEFT_ERROR_LENGTH, "the sequence has " + std::to_string(length()) +
                                         " positions and cannot be cut to " +
                                         std::to_string(positions));
    *static_cast<std::int64_t *>(data()) = positions;
  }
  const weft_step_info &info() const { return *description; }

private:
  void *data() const { return memory.get("state"); }

  static const weft_step_info &findStep(const Model &model, const std::string &entry) {
    const weft_model_info &info = model.info();
    for (std::int32_t i = 0; i < info.step_count; ++i)
      if (entry.empty() ? info.step_count == 1 || info.steps[i].entry == info.generate_entry
                        : entry == info.entries[info.steps[i].entry].name)
        return info.steps[i];
    throw Error(WEFT_ERROR_ARGUMENT, std::string("model '") + info.name + "' has no step" +
                                         (entry.empty() ? "" : " for an entry '" + entry + "'") +
                                         ": it computes all positions at once only");
  }
  weft_step_call lastCall() const {
    if (!description->last)
      throw Error(WEFT_ERROR_ARGUMENT,
                  std::string("'") + description->name + "' cannot give the last position alone");
    return description->last;
  }

  /// The values of symbols: those of the start, the new positions of the inputs, all of them.
  detail::Binder bind(const Inputs &inputs, std::vector<void *> &pointers) const {
    detail::Binder binder = start;
    std::int64_t before = length();
    pointers = binder.bind("input", description->inputs, description->input_count, inputs);
    std::int64_t added = binder.sizes[std::size_t(description->count_symbol)];
    if (!binder.isKnown(description->count_symbol))
      throw Error(WEFT_ERROR_ARGUMENT, std::string("no given input tells how many positions '") +
                                           description->name + "' computes");
    if (binder.isKnown(description->length_symbol) &&
        binder.sizes[std::size_t(description->length_symbol)] != before + added)
      throw Error(WEFT_ERROR_ARGUMENT, std::string("an input of '") + description->name +
                                           "' is not for the " + std::to_string(before + added) +
                                           " positions that the sequence has with the new ones");
    binder.setSize(description->length_symbol, before + added, "the sequence");
    return binder;
  }
  void run(const Weights &weights, Scratch &scratch, const detail::Binder &binder,
           const std::vector<void *> &inputs, const std::vector<void *> &outputs,
           weft_step_call call) {
    detail::checkScratch(scratch, description->scratch_bytes);
    detail::check(call(weights.of(owner.info()), data(), scratch.data(), binder.sizes.data(),
                       inputs.data(), outputs.data()),
                  std::string("entry '") + description->name + "'", *owner.runtime);
  }
  void advance(const Weights &weights, Scratch &scratch, const Inputs &inputs,
               const Outputs &outputs, weft_step_call call, const weft_tensor_info *declared) {
    std::vector<void *> in;
    detail::Binder binder = bind(inputs, in);
    run(weights, scratch, binder, in,
        binder.bind("output", declared, description->output_count, outputs), call);
  }
  std::vector<Tensor> advance(const Weights &weights, Scratch &scratch, const Inputs &inputs,
                              weft_step_call call, const weft_tensor_info *declared) {
    std::vector<void *> in;
    detail::Binder binder = bind(inputs, in);
    std::vector<Tensor> results =
        detail::makeResults(binder, *owner.runtime, declared, description->output_count);
    run(weights, scratch, binder, in, detail::pointersTo(results), call);
    return results;
  }

  Model owner;
  const weft_step_info *description;
  detail::Binder start; ///< with what the start was given
  detail::Memory memory;
};

} // namespace weft

#endif // WEFT_RUNTIME_WEFT_STATE_HPP
