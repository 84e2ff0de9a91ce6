//===- Describe.cpp - what a model offers, and its memory -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Describe.h"

#include "weft/Support/Format.h"

using namespace weft;
namespace json = llvm::json;

static bool generates(const weft_model_info &info) {
  return info.generate_entry >= 0 && info.generate_output >= 0 && info.generate_symbol >= 0;
}

//===----------------------------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------------------------===//

static void describeTensor(const weft_model_info &info, const weft_tensor_info &tensor,
                           const char *kind, llvm::raw_ostream &os) {
  print(os, "  {} {}: {}{}", kind, tensor.name, elementsOf(tensor).name,
        declaredShape(info, tensor));
  if (tensor.index_bound > 0)
    print(os, ", ids below {}", tensor.index_bound);
  if (tensor.computed)
    print(os, ", default computed");
  else if (tensor.optional)
    print(os, ", default {:g}", tensor.default_value);
  print(os, "\n");
}

void weft::describe(const weft_model_info &info, llvm::raw_ostream &os) {
  print(os, "model {}: {} parameters, compiled by {} for {}{}\n", info.name, info.parameter_count,
        info.compiler, info.target, info.threaded ? ", threaded" : "");
  for (int32_t i = 0; i != info.symbol_count; ++i)
    if (!countsNew(info, i))
      print(os, "dim {} <= {}\n", info.symbols[i].name, info.symbols[i].bound);
  for (const weft_entry_info &entry : entriesOf(info)) {
    print(os, "entry {}: scratch {}\n", entry.name, sizeText(entry.scratch_bytes));
    for (const weft_tensor_info &input : inputsOf(entry))
      describeTensor(info, input, "input", os);
    for (const weft_tensor_info &output : outputsOf(entry))
      describeTensor(info, output, "output", os);
  }
  for (const weft_step_info &step : stepsOf(info))
    print(os, "step {}: continues {} by {} positions, state {}, scratch {}\n", step.name,
          info.entries[step.entry].name, info.symbols[step.count_symbol].name,
          sizeText(step.state_bytes), sizeText(step.scratch_bytes));
  for (const weft_entry_info &entry : entriesOf(info))
    for (RecurrentPair pair : recurrentPairs(info, entry))
      print(os, "state {}: what {} writes, its next call reads\n", entry.inputs[pair.input].name,
            entry.name);
  if (generates(info))
    print(os, "generate {} over {}\n",
          info.entries[info.generate_entry].outputs[info.generate_output].name,
          info.symbols[info.generate_symbol].name);
  print(os, "memory: weights {}, peak of a call {}\n", sizeText(info.weights_bytes),
        sizeText(info.peak_bytes));
}

//===----------------------------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------------------------===//

static json::Array tensorsAsJson(const weft_model_info &info,
                                 llvm::ArrayRef<weft_tensor_info> tensors) {
  json::Array list;
  for (const weft_tensor_info &tensor : tensors) {
    json::Array shape;
    for (int32_t i = 0; i < tensor.rank; ++i)
      shape.push_back(tensor.symbols[i] >= 0 ? json::Value(info.symbols[tensor.symbols[i]].name)
                                             : json::Value(tensor.dims[i]));
    json::Object one{
        {"name", tensor.name}, {"type", elementsOf(tensor).name}, {"shape", std::move(shape)}};
    if (tensor.index_bound > 0)
      one["ids_below"] = tensor.index_bound;
    if (tensor.computed)
      one["default"] = "computed";
    else if (tensor.optional)
      one["default"] = tensor.default_value;
    list.push_back(std::move(one));
  }
  return list;
}

static json::Array entriesAsJson(const weft_model_info &info) {
  json::Array list;
  for (const weft_entry_info &entry : entriesOf(info))
    list.push_back(json::Object{{"name", entry.name},
                                {"scratch_bytes", entry.scratch_bytes},
                                {"inputs", tensorsAsJson(info, inputsOf(entry))},
                                {"outputs", tensorsAsJson(info, outputsOf(entry))}});
  return list;
}

static json::Array stepsAsJson(const weft_model_info &info) {
  json::Array list;
  for (const weft_step_info &step : stepsOf(info))
    list.push_back(json::Object{{"name", step.name},
                                {"entry", info.entries[step.entry].name},
                                {"dim", info.symbols[step.count_symbol].name},
                                {"state_bytes", step.state_bytes},
                                {"scratch_bytes", step.scratch_bytes}});
  return list;
}

static json::Array statesAsJson(const weft_model_info &info) {
  json::Array list;
  for (const weft_entry_info &entry : entriesOf(info))
    for (RecurrentPair pair : recurrentPairs(info, entry))
      list.push_back(json::Object{{"name", entry.inputs[pair.input].name}, {"entry", entry.name}});
  return list;
}

json::Object weft::describeAsJson(const weft_model_info &info) {
  json::Array dims;
  for (int32_t i = 0; i != info.symbol_count; ++i)
    if (!countsNew(info, i))
      dims.push_back(
          json::Object{{"name", info.symbols[i].name}, {"bound", info.symbols[i].bound}});
  json::Value generate = nullptr;
  if (generates(info)) {
    const weft_entry_info &entry = info.entries[info.generate_entry];
    generate = json::Object{{"entry", entry.name},
                            {"output", entry.outputs[info.generate_output].name},
                            {"dim", info.symbols[info.generate_symbol].name}};
  }
  return json::Object{{"name", info.name},
                      {"parameters", info.parameter_count},
                      {"compiler", info.compiler},
                      {"target", info.target},
                      {"threaded", info.threaded != 0},
                      {"dims", std::move(dims)},
                      {"entries", entriesAsJson(info)},
                      {"steps", stepsAsJson(info)},
                      {"states", statesAsJson(info)},
                      {"generate", std::move(generate)},
                      {"weights_bytes", info.weights_bytes},
                      {"peak_bytes", info.peak_bytes}};
}
