//===- TestModel.h - compiled models that a test writes by hand -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_RUNNER_TESTMODEL_H
#define WEFT_TEST_UNIT_RUNNER_TESTMODEL_H

#include "weft/Runner/Tensors.h"
#include "weft/Runtime/weft_model_info.h"

#include <list>

namespace weft::test {

/// Extents of a shape that are the value of symbol 0, 1.
constexpr int64_t symbol0 = -1, symbol1 = -2;

/// An input or an output.
struct TensorText {
  const char *name;
  int32_t dtype;
  std::vector<int64_t> shape;
  bool optional = false;
  int64_t indexBound = 0;
};

/// The description of a model whose functions are in the test, and the memory for it.
class TestModel {
public:
  TestModel() {
    info = {};
    info.abi_version = WEFT_ABI_VERSION;
    info.name = "m";
    info.generate_entry = info.generate_output = info.generate_symbol = info.generate_input = -1;
  }
  TestModel(TestModel &&) = default; // what `info` points to stays where it is

  TestModel &symbol(const char *name, int64_t bound) {
    symbols.push_back({name, bound});
    return update();
  }
  TestModel &entry(const char *name, const std::vector<TensorText> &inputs,
                   const std::vector<TensorText> &outputs, weft_call call = nullptr) {
    weft_entry_info entry = {};
    entry.name = name;
    entry.call = call;
    entry.scratch_bytes = 64;
    entry.inputs = tensors(inputs);
    entry.outputs = tensors(outputs);
    entry.input_count = int32_t(inputs.size());
    entry.output_count = int32_t(outputs.size());
    entries.push_back(entry);
    return update();
  }
  /// Of entry 0; symbol 0 counts all positions, symbol 1 the new ones.
  TestModel &step(const std::vector<TensorText> &inputs, const std::vector<TensorText> &outputs,
                  int64_t stateBytes, weft_step_call start, weft_step_call call) {
    weft_step_info step = {};
    step.name = "step";
    step.start = start;
    step.call = call;
    step.state_bytes = stateBytes;
    step.inputs = tensors(inputs);
    step.outputs = tensors(outputs);
    step.input_count = int32_t(inputs.size());
    step.output_count = int32_t(outputs.size());
    step.count_symbol = 1;
    step.last_symbol = -1;
    steps.push_back(step);
    return update();
  }
  /// Entry 0 generates its output `output` over symbol 0 from its input `input`.
  TestModel &generates(int32_t output, int32_t input) {
    info.generate_entry = info.generate_symbol = 0;
    info.generate_output = output;
    info.generate_input = input;
    return *this;
  }

  weft_model_info info;

private:
  TestModel &update() {
    info.symbols = symbols.data();
    info.entries = entries.data();
    info.steps = steps.data();
    info.symbol_count = int32_t(symbols.size());
    info.entry_count = int32_t(entries.size());
    info.step_count = int32_t(steps.size());
    return *this;
  }
  const weft_tensor_info *tensors(const std::vector<TensorText> &texts) {
    std::vector<weft_tensor_info> &result = lists.emplace_back();
    for (const TensorText &text : texts) {
      std::vector<int64_t> &dims = shapes.emplace_back(text.shape);
      std::vector<int32_t> &indices = indexLists.emplace_back();
      for (int64_t &dim : dims) {
        indices.push_back(dim < 0 ? int32_t(-1 - dim) : -1);
        dim = dim < 0 ? -1 : dim;
      }
      weft_tensor_info info = {};
      info.name = text.name;
      info.dims = dims.data();
      info.symbols = indices.data();
      info.dtype = text.dtype;
      info.rank = int32_t(dims.size());
      info.optional = text.optional;
      info.index_bound = text.indexBound;
      result.push_back(info);
    }
    return result.data();
  }

  std::vector<weft_symbol_info> symbols;
  std::vector<weft_entry_info> entries;
  std::vector<weft_step_info> steps;
  std::list<std::vector<weft_tensor_info>> lists;
  std::list<std::vector<int64_t>> shapes;
  std::list<std::vector<int32_t>> indexLists;
};

/// A tensor of a file; it points to `values`.
template <typename T>
StoredTensor stored(const char *name, ElementType type, std::vector<int64_t> shape,
                    const std::vector<T> &values) {
  return {
      name, type, std::move(shape),
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(T))};
}

/// A result of 32-bit elements.
template <typename T>
OwnedTensor owned(const char *name, ElementType type, std::vector<int64_t> shape,
                  const std::vector<T> &values) {
  OwnedTensor tensor{name, type, std::move(shape), AlignedBuffer(int64_t(values.size()) * 4)};
  std::copy(values.begin(), values.end(), tensor.data.as<T>().begin());
  return tensor;
}

template <typename T> std::vector<T> valuesOf(const OwnedTensor &tensor) {
  llvm::ArrayRef<T> values = tensor.data.as<T>();
  return {values.begin(), values.end()};
}

/// The message of what failed, or "none".
template <typename T> std::string errorOf(llvm::Expected<T> result) {
  return result ? "none" : llvm::toString(result.takeError());
}
inline std::string errorOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "none";
}

} // namespace weft::test

#endif // WEFT_TEST_UNIT_RUNNER_TESTMODEL_H
