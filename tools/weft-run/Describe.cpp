//===- Describe.cpp - what a model offers, and its memory -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/resource.h>

using namespace weft;

double weft::flopsAt(const double (&flops)[3], int32_t symbol, int64_t length) {
  double n = symbol >= 0 ? double(length) : 0;
  return flops[0] + flops[1] * n + flops[2] * n * n;
}

static std::string megabytes(int64_t bytes) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f MB", double(bytes) * 1e-6);
  return text;
}

std::string weft::memoryText(const Model &model) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return "weights " + megabytes(model.info().weights_bytes) + ", scratch " +
         megabytes(model.scratchBytes()) + ", resident " +
         megabytes(int64_t(usage.ru_maxrss) * 1024) + " (peak)";
}

static void describeTensor(const weft_model_info &info, const weft_tensor_info &tensor,
                           const char *kind, llvm::raw_ostream &os) {
  os << "  " << kind << " " << tensor.name << ": " << elementName(tensor.dtype)
     << declaredShape(info, tensor);
  if (tensor.index_bound > 0)
    os << ", ids below " << tensor.index_bound;
  if (tensor.computed)
    os << ", default computed";
  else if (tensor.optional)
    os << ", default " << llvm::format("%g", tensor.default_value);
  os << "\n";
}

void weft::describe(const Model &model, llvm::raw_ostream &os) {
  const weft_model_info &info = model.info();
  os << "model " << info.name << ": " << info.parameter_count << " parameters, compiled by "
     << info.compiler << " for " << info.target << (info.threaded ? ", threaded" : "") << "\n";
  for (int32_t i = 0; i != info.symbol_count; ++i)
    if (!countsNew(info, i))
      os << "dim " << info.symbols[i].name << " <= " << info.symbols[i].bound << "\n";
  for (const weft_entry_info &entry : model.entries()) {
    os << "entry " << entry.name << ": scratch " << megabytes(entry.scratch_bytes) << "\n";
    for (const weft_tensor_info &input : inputsOf(entry))
      describeTensor(info, input, "input", os);
    for (const weft_tensor_info &output : outputsOf(entry))
      describeTensor(info, output, "output", os);
  }
  for (const weft_step_info &step : stepsOf(info))
    os << "step " << step.name << ": continues " << info.entries[step.entry].name << " by "
       << info.symbols[step.count_symbol].name << " positions, state "
       << megabytes(step.state_bytes) << ", scratch " << megabytes(step.scratch_bytes) << "\n";
  for (const weft_entry_info &entry : model.entries())
    for (RecurrentPair pair : recurrentPairs(info, entry))
      os << "state " << entry.inputs[pair.input].name << ": what " << entry.name
         << " writes, its next call reads\n";
  if (info.generate_entry >= 0 && info.generate_output >= 0 && info.generate_symbol >= 0)
    os << "generate " << info.entries[info.generate_entry].outputs[info.generate_output].name
       << " over " << info.symbols[info.generate_symbol].name << "\n";
  os << "memory: weights " << megabytes(info.weights_bytes) << ", peak of a call "
     << megabytes(info.peak_bytes) << "\n";
}
