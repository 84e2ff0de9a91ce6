//===- Describe.cpp - what a model offers, and its memory -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Report.h"
#include "weft/Support/Format.h"

#include <sys/resource.h>

using namespace weft;

void weft::noteCut(const Encoding &encoding) {
  if (encoding.cut > 0)
    llvm::errs() << "weft-run: note: the tokenizer cuts the text to " << encoding.ids.size()
                 << " tokens: " << encoding.cut << " are left out\n";
}

std::string weft::memoryText(const CompiledModel &model) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return fmt::format("weights {}, scratch {}, resident {} (peak)",
                     sizeText(model.info().weights_bytes), sizeText(model.scratchBytes()),
                     sizeText(int64_t(usage.ru_maxrss) * 1024));
}

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

void weft::describe(const CompiledModel &model, llvm::raw_ostream &os) {
  const weft_model_info &info = model.info();
  print(os, "model {}: {} parameters, compiled by {} for {}{}\n", info.name, info.parameter_count,
        info.compiler, info.target, info.threaded ? ", threaded" : "");
  for (int32_t i = 0; i != info.symbol_count; ++i)
    if (!countsNew(info, i))
      print(os, "dim {} <= {}\n", info.symbols[i].name, info.symbols[i].bound);
  for (const weft_entry_info &entry : model.entries()) {
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
  for (const weft_entry_info &entry : model.entries())
    for (RecurrentPair pair : recurrentPairs(info, entry))
      print(os, "state {}: what {} writes, its next call reads\n", entry.inputs[pair.input].name,
            entry.name);
  if (info.generate_entry >= 0 && info.generate_output >= 0 && info.generate_symbol >= 0)
    print(os, "generate {} over {}\n",
          info.entries[info.generate_entry].outputs[info.generate_output].name,
          info.symbols[info.generate_symbol].name);
  print(os, "memory: weights {}, peak of a call {}\n", sizeText(info.weights_bytes),
        sizeText(info.peak_bytes));
}
