//===- BenchCommand.cpp - latency and speed -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "weft/Runner/Measure.h"
#include "weft/Runner/PeakFlops.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

static void printTimes(const CompiledModel &model, const weft_entry_info &entry,
                       const RandomCall &call, const Times &times, double peak,
                       llvm::raw_ostream &os) {
  const weft_model_info &info = model.info();
  print(os, "entry {}", entry.name);
  for (int32_t i = 0; i < info.symbol_count; ++i)
    if (!countsNew(info, i))
      print(os, ", {} = {}", info.symbols[i].name, call.sizes[i]);
  print(os, ", threads = {}: median {:.3f} ms, min {:.3f} ms ({} runs)", model.threads(),
        1e3 * times.median(), 1e3 * times.least(), times.seconds.size());
  int32_t symbol = entry.flops_symbol >= 0 ? entry.flops_symbol : info.generate_symbol;
  if (symbol >= 0)
    print(os, ", {:.0f} tokens/s", double(call.sizes[symbol]) / times.median());
  double flops = flopsAt(entry.flops, entry.flops_symbol, symbol >= 0 ? call.sizes[symbol] : 0);
  if (flops > 0)
    print(os, ", {}", rateText(flops, times.median()));
  if (flops > 0 && peak > 0)
    print(os, ", {:.0f} % of the measured peak", 100e-9 * flops / times.median() / peak);
  if (peak > 0)
    print(os, " (peak: {}, {})", rateText(1e9 * peak, 1), peakVectors());
  os << "\n";
}

// Of the processor; 0 if the model runs elsewhere.
static double peakOf(const CompiledModel &model) {
  return model.isOnDevice() ? 0 : measurePeak(model.threads());
}

// What --length says, or else one length that is not too long.
static llvm::Expected<llvm::SmallVector<int64_t>> chooseLengths(const weft_model_info &info,
                                                                const Bench &options) {
  llvm::SmallVector<int64_t> lengths = options.lengths;
  int64_t bound = 1;
  for (const weft_symbol_info &symbol : symbolsOf(info))
    bound = std::max(bound, symbol.bound);
  if (lengths.empty())
    lengths.push_back(std::min<int64_t>(bound, 128));
  for (int64_t length : lengths)
    if (length < 1 || length > bound)
      return llvm::createStringError("--length=" + llvm::Twine(length) + ": the model takes 1 to " +
                                     llvm::Twine(bound));
  return lengths;
}

// Prints latency, tokens per second, GFLOP/s and share of the measured peak per length.
static llvm::Error bench(CompiledModel &model, const weft_entry_info &entry,
                         llvm::ArrayRef<int64_t> lengths, const Bench &options,
                         llvm::raw_ostream &os) {
  const weft_model_info &info = model.info();
  for (int64_t length : lengths) {
    RandomCall call(entry, sizesAt(info, length));
    double before = peakOf(model);
    llvm::Expected<Times> times = measure(model, entry, call, options.runs);
    if (!times)
      return times.takeError();
    double peak = std::max(before, peakOf(model));
    printTimes(model, entry, call, *times, peak, os);
  }
  print(os, "memory: {}\n", memoryText(model));
  return llvm::Error::success();
}

llvm::Expected<bool> weft::benchCommand(CompiledModel &model, const RunOptions &options) {
  llvm::Expected<const weft_entry_info *> entry = model.findEntry(options.entry);
  if (!entry)
    return entry.takeError();
  llvm::Expected<llvm::SmallVector<int64_t>> lengths = chooseLengths(model.info(), options.bench);
  if (!lengths)
    return lengths.takeError();
  if (llvm::Error error = bench(model, **entry, *lengths, options.bench, llvm::outs()))
    return std::move(error);
  // The profile covers the calls of the last length, and comes after their line.
  llvm::outs().flush();
  if (options.profile)
    printProfile(model, llvm::errs());
  return true;
}
