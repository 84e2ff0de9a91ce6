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
#include "weft/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace weft;
namespace json = llvm::json;

namespace {

// What was measured at one length.
struct Measurement {
  RandomCall call;
  Times times;
  double peak; // GFLOP/s of the processor; 0 where it is not known
};

// Of a call, at its median time; nothing where it is not known.
struct Rates {
  std::optional<double> tokens, flops; // a second
};

} // namespace

static Rates ratesOf(const weft_model_info &info, const weft_entry_info &entry,
                     const Measurement &measured) {
  Rates rates;
  int32_t symbol = entry.flops_symbol >= 0 ? entry.flops_symbol : info.generate_symbol;
  int64_t length = symbol >= 0 ? measured.call.sizes[symbol] : 0;
  if (symbol >= 0)
    rates.tokens = double(length) / measured.times.median();
  double flops = flopsOf(info, entry, measured.call.sizes);
  if (flops > 0)
    rates.flops = flops / measured.times.median();
  return rates;
}

static void printTimes(const CompiledModel &model, const weft_entry_info &entry,
                       const Measurement &measured, llvm::raw_ostream &os) {
  const weft_model_info &info = model.info();
  const Times &times = measured.times;
  double peak = measured.peak;
  print(os, "entry {}", entry.name);
  for (int32_t i = 0; i < info.symbol_count; ++i)
    if (!countsNew(info, i))
      print(os, ", {} = {}", info.symbols[i].name, measured.call.sizes[i]);
  print(os, ", threads = {}: median {:.3f} ms, min {:.3f} ms ({} runs)", model.threads(),
        1e3 * times.median(), 1e3 * times.least(), times.seconds.size());
  Rates rates = ratesOf(info, entry, measured);
  if (rates.tokens)
    print(os, ", {:.0f} tokens/s", *rates.tokens);
  if (rates.flops)
    print(os, ", {}", rateText(*rates.flops, 1));
  if (rates.flops && peak > 0)
    print(os, ", {:.0f} % of the measured peak", 100e-9 * *rates.flops / peak);
  if (peak > 0)
    print(os, " (peak: {}, {})", rateText(1e9 * peak, 1), peakVectors());
  os << "\n";
}

static json::Object timesAsJson(const CompiledModel &model, const weft_entry_info &entry,
                                const Measurement &measured) {
  const weft_model_info &info = model.info();
  json::Object sizes;
  for (int32_t i = 0; i < info.symbol_count; ++i)
    if (!countsNew(info, i))
      sizes[info.symbols[i].name] = measured.call.sizes[i];
  json::Object object{{"sizes", std::move(sizes)},
                      {"runs", int64_t(measured.times.seconds.size())},
                      {"median_ms", 1e3 * measured.times.median()},
                      {"min_ms", 1e3 * measured.times.least()}};
  Rates rates = ratesOf(info, entry, measured);
  if (rates.tokens)
    object["tokens_per_s"] = *rates.tokens;
  if (rates.flops)
    object["gflops"] = 1e-9 * *rates.flops;
  if (measured.peak > 0) {
    object["peak_gflops"] = measured.peak;
    object["peak_vectors"] = peakVectors();
  }
  return object;
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

static llvm::Expected<Measurement> measureAt(CompiledModel &model, const weft_entry_info &entry,
                                             int64_t length, int64_t runs) {
  RandomCall call(entry, sizesAt(model.info(), length));
  double before = peakOf(model);
  llvm::Expected<Times> times = measure(model, entry, call, runs);
  if (!times)
    return times.takeError();
  return Measurement{std::move(call), std::move(*times), std::max(before, peakOf(model))};
}

// Prints latency, tokens per second, GFLOP/s and share of the measured peak of each length when it
// is there, or all of them as JSON at the end.
static llvm::Error bench(CompiledModel &model, const weft_entry_info &entry,
                         llvm::ArrayRef<int64_t> lengths, const RunOptions &options,
                         llvm::raw_ostream &os) {
  json::Array all;
  for (int64_t length : lengths) {
    llvm::Expected<Measurement> measured = measureAt(model, entry, length, options.bench.runs);
    if (!measured)
      return measured.takeError();
    if (options.json)
      all.push_back(timesAsJson(model, entry, *measured));
    else
      printTimes(model, entry, *measured, os);
  }
  MemoryUse memory = memoryOf(model);
  if (!options.json) {
    print(os, "memory: {}\n", memoryText(memory));
    return llvm::Error::success();
  }
  json::Object object{{"model", model.info().name},
                      {"entry", entry.name},
                      {"threads", model.threads()},
                      {"lengths", std::move(all)},
                      {"memory", json::Object{{"weights_bytes", memory.weights},
                                              {"scratch_bytes", memory.scratch},
                                              {"resident_bytes", memory.resident}}}};
  if (options.profile)
    object["profile"] = profileAsJson(model);
  printJson(std::move(object), os);
  return llvm::Error::success();
}

llvm::Expected<bool> weft::benchCommand(CompiledModel &model, const RunOptions &options) {
  llvm::Expected<const weft_entry_info *> entry = model.findEntry(options.entry);
  if (!entry)
    return entry.takeError();
  llvm::Expected<llvm::SmallVector<int64_t>> lengths = chooseLengths(model.info(), options.bench);
  if (!lengths)
    return lengths.takeError();
  if (llvm::Error error = bench(model, **entry, *lengths, options, llvm::outs()))
    return std::move(error);
  // The profile covers the calls of the last length, and comes after their line.
  llvm::outs().flush();
  if (options.profile && !options.json)
    printProfile(model, llvm::errs());
  return true;
}
