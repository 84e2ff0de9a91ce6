//===- DescribedModel.cpp - a model's interface as compiled code will give it --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DescribedModel.h"

using namespace weft;

const weft_tensor_info *DescribedModel::addTensors(const std::vector<TensorDescription> &list) {
  std::vector<weft_tensor_info> &added = tensors.emplace_back();
  for (const TensorDescription &tensor : list) {
    weft_tensor_info one = {};
    one.name = tensor.name.c_str();
    one.dims = tensor.dims.data();
    one.symbols = tensor.symbols.data();
    one.dtype = infoOf(tensor.type).code;
    one.rank = int32_t(tensor.dims.size());
    one.optional = tensor.optional;
    one.computed = tensor.computed;
    one.default_value = tensor.defaultValue;
    one.index_bound = tensor.indexBound;
    added.push_back(one);
  }
  return added.data();
}

void DescribedModel::addEntry(const EntryDescription &entry) {
  weft_entry_info one = {};
  one.name = entry.name.c_str();
  one.scratch_bytes = entry.scratchBytes;
  one.inputs = addTensors(entry.inputs);
  one.outputs = addTensors(entry.outputs);
  one.input_count = int32_t(entry.inputs.size());
  one.output_count = int32_t(entry.outputs.size());
  std::copy_n(entry.flops.coefficients.begin(), 3, one.flops);
  one.flops_symbol = entry.flops.symbol;
  entries.push_back(one);
}

void DescribedModel::addStep(const StepDescription &step) {
  weft_step_info one = {};
  one.name = step.entry.name.c_str();
  one.state_bytes = step.stateBytes;
  one.scratch_bytes = step.getScratchBytes();
  one.inputs = addTensors(step.entry.inputs);
  one.outputs = addTensors(step.entry.outputs);
  one.start_inputs = addTensors(step.start.inputs);
  one.input_count = int32_t(step.entry.inputs.size());
  one.output_count = int32_t(step.entry.outputs.size());
  one.start_input_count = int32_t(step.start.inputs.size());
  one.entry = step.continues;
  one.length_symbol = step.lengthSymbol;
  one.count_symbol = step.countSymbol;
  one.last_symbol = step.lastSymbol;
  steps.push_back(one);
}

DescribedModel::DescribedModel(const ModelDescription &model) {
  for (const SymbolDescription &symbol : model.symbols)
    symbols.push_back({symbol.name.c_str(), symbol.bound});
  for (const EntryDescription &entry : model.entries)
    addEntry(entry);
  for (const StepDescription &step : model.steps)
    addStep(step);
  result.abi_version = WEFT_ABI_VERSION;
  result.threaded = model.threaded;
  result.name = model.name.c_str();
  result.compiler = model.compiler.c_str();
  result.target = model.target.c_str();
  result.fingerprint = model.fingerprint;
  result.weights_bytes = model.weightsBytes;
  result.parameter_count = model.parameterCount;
  result.peak_bytes = model.peakBytes;
  result.symbols = symbols.data();
  result.entries = entries.data();
  result.symbol_count = int32_t(symbols.size());
  result.entry_count = int32_t(entries.size());
  result.generate_entry = model.generateEntry;
  result.generate_output = model.generateOutput;
  result.generate_symbol = model.generateSymbol;
  result.generate_input = model.generateInput;
  result.step_count = int32_t(steps.size());
  result.steps = steps.data();
  result.features = model.features.c_str();
}
