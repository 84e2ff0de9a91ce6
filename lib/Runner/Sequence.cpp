//===- Sequence.cpp - a text that is computed piece by piece --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Sequence.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

static llvm::SmallVector<void *> pointersTo(llvm::MutableArrayRef<AlignedBuffer> buffers) {
  llvm::SmallVector<void *> pointers;
  for (AlignedBuffer &buffer : buffers)
    pointers.push_back(buffer.data());
  return pointers;
}

//===----------------------------------------------------------------------------------------===//
// By the step that weftc derived
//===----------------------------------------------------------------------------------------===//

namespace {

class StepSequence : public Sequence {
public:
  StepSequence(CompiledModel &model, const weft_step_info &step)
      : Sequence(model.info(), {step.inputs, size_t(step.input_count)},
                 {step.outputs, size_t(step.output_count)}, step.length_symbol, step.count_symbol),
        model(model), step(step), state(step.state_bytes) {}

  bool isEndless() const override { return false; }
  llvm::Error begin(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<const void *> given) override {
    return model.start(step, state, sizes,
                       pickInputs({step.start_inputs, size_t(step.start_input_count)}, given));
  }
  std::vector<const void *> pick(llvm::ArrayRef<const void *> given) const override {
    return pickInputs(inputs, given);
  }
  llvm::Error advance(llvm::ArrayRef<int64_t> sizes, std::vector<const void *> inputs,
                      llvm::MutableArrayRef<AlignedBuffer> results, bool last) override {
    return model.advance(step, state, sizes, inputs, pointersTo(results), last);
  }
  bool canGiveLast() const override { return step.last != nullptr; }
  int32_t wholeOf(int32_t) const override { return model.info().generate_output; }
  const AlignedBuffer *stateOf(int32_t) const override { return nullptr; }

private:
  // The tensors of `wanted` among those given to the entry, by their names.
  std::vector<const void *> pickInputs(llvm::ArrayRef<weft_tensor_info> wanted,
                                       llvm::ArrayRef<const void *> given) const {
    const weft_entry_info &entry = model.info().entries[step.entry];
    std::vector<const void *> picked;
    for (const weft_tensor_info &input : wanted) {
      const weft_tensor_info *whole = findTensor(inputsOf(entry), input.name);
      picked.push_back(whole ? given[whole - entry.inputs] : nullptr);
    }
    return picked;
  }

  CompiledModel &model;
  const weft_step_info &step;
  AlignedBuffer state;
};

} // namespace

//===----------------------------------------------------------------------------------------===//
// By the state that the model carries itself
//===----------------------------------------------------------------------------------------===//

namespace {

class RecurrentSequence : public Sequence {
public:
  RecurrentSequence(CompiledModel &model, const weft_entry_info &entry,
                    llvm::ArrayRef<int64_t> sizes)
      : Sequence(model.info(), inputsOf(entry), outputsOf(entry), model.info().generate_symbol,
                 model.info().generate_symbol),
        model(model), entry(entry) {
    for (RecurrentPair pair : recurrentPairs(model.info(), entry))
      state.push_back({pair, AlignedBuffer(bytesOf(entry.outputs[pair.output], sizes))});
  }

  bool isEndless() const override { return true; }
  llvm::Error begin(llvm::ArrayRef<int64_t>, llvm::ArrayRef<const void *>) override {
    isFirst = true;
    return llvm::Error::success();
  }
  std::vector<const void *> pick(llvm::ArrayRef<const void *> given) const override {
    return given.vec();
  }
  llvm::Error advance(llvm::ArrayRef<int64_t> sizes, std::vector<const void *> inputs,
                      llvm::MutableArrayRef<AlignedBuffer> results, bool) override {
    // The first call gets the state as it is given, or at its default.
    if (!isFirst)
      for (const Part &part : state)
        inputs[part.pair.input] = part.value.data();
    if (llvm::Error error = model.run(entry, sizes, inputs, pointersTo(results)))
      return error;
    for (Part &part : state)
      std::swap(part.value, results[part.pair.output]);
    isFirst = false;
    return llvm::Error::success();
  }
  bool canGiveLast() const override { return false; }
  int32_t wholeOf(int32_t index) const override { return index; }
  const AlignedBuffer *stateOf(int32_t index) const override {
    auto found =
        llvm::find_if(state, [index](const Part &part) { return part.pair.output == index; });
    return found == state.end() ? nullptr : &found->value;
  }

private:
  struct Part {
    RecurrentPair pair;
    AlignedBuffer value;
  };

  CompiledModel &model;
  const weft_entry_info &entry;
  std::vector<Part> state;
  bool isFirst = true;
};

} // namespace

std::unique_ptr<Sequence> Sequence::create(CompiledModel &model, const weft_entry_info &entry,
                                           llvm::ArrayRef<int64_t> sizes) {
  // A model that carries its state is asked for what it does, not for what it would do at once.
  if (!recurrentPairs(model.info(), entry).empty())
    return std::make_unique<RecurrentSequence>(model, entry, sizes);
  if (const weft_step_info *step = stepOf(model.info(), entry))
    return std::make_unique<StepSequence>(model, *step);
  return nullptr;
}
