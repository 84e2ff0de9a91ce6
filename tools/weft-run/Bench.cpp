//===- Bench.cpp - latency and speed --------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "PeakFlops.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <random>

using namespace weft;

static Buffer randomInput(const weft_tensor_info &input, int64_t bytes, std::mt19937 &random) {
  Buffer buffer(bytes);
  if (input.dtype == WEFT_BOOL)
    std::memset(buffer.data(), 1, size_t(bytes));
  else if (input.dtype == WEFT_F32)
    for (float &value : buffer.as<float>())
      value = float(int32_t(random())) * 0x1p-31f;
  else if (input.index_bound > 0)
    for (int32_t &id : buffer.as<int32_t>())
      id = int32_t(random() % uint64_t(input.index_bound));
  return buffer;
}

namespace {

// The memory of one measured call.
struct Call {
  llvm::SmallVector<int64_t> sizes;
  std::vector<Buffer> buffers;
  llvm::SmallVector<const void *> inputs;
  llvm::SmallVector<void *> outputs;
};

struct Times {
  std::vector<double> seconds; // ascending
  double median() const { return seconds[seconds.size() / 2]; }
  double least() const { return seconds.front(); }
};

} // namespace

static llvm::SmallVector<int64_t> sizesAt(const weft_model_info &info, int64_t length) {
  llvm::SmallVector<int64_t> sizes;
  for (const weft_symbol_info &symbol : symbolsOf(info))
    sizes.push_back(std::min(length, symbol.bound));
  return sizes;
}

static Call prepareCall(const weft_model_info &info, const weft_entry_info &entry, int64_t length) {
  Call call;
  std::mt19937 random(1);
  call.sizes = sizesAt(info, length);
  for (const weft_tensor_info &input : inputsOf(entry)) {
    // What may be left out is left out: this is how a model is called as a rule.
    call.buffers.push_back(input.optional ? Buffer()
                                          : randomInput(input, bytesOf(input, call.sizes), random));
    call.inputs.push_back(call.buffers.back().data());
  }
  for (const weft_tensor_info &output : outputsOf(entry)) {
    call.buffers.emplace_back(bytesOf(output, call.sizes));
    call.outputs.push_back(call.buffers.back().data());
  }
  return call;
}

static llvm::Expected<Times> measure(Model &model, const weft_entry_info &entry, const Call &call,
                                     int64_t runs) {
  // The first call reads the weights and starts the threads.
  if (llvm::Error error = model.run(entry, call.sizes, call.inputs, call.outputs))
    return std::move(error);
  model.resetProfile();
  Times times;
  double total = 0;
  for (int64_t run = 0; runs > 0 ? run < runs : run < 5 || (total < 1 && run < 1000); ++run) {
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = model.run(entry, call.sizes, call.inputs, call.outputs))
      return std::move(error);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    times.seconds.push_back(seconds.count());
    total += seconds.count();
  }
  llvm::sort(times.seconds);
  return times;
}

static void printTimes(const Model &model, const weft_entry_info &entry, const Call &call,
                       const Times &times, double peak, llvm::raw_ostream &os) {
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
    print(os, ", {}, {:.0f} % of the measured peak", rateText(flops, times.median()),
          100e-9 * flops / times.median() / peak);
  print(os, " (peak: {}, {})\n", rateText(1e9 * peak, 1), peakVectors());
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
      return fail("--length=" + llvm::Twine(length) + ": the model takes 1 to " +
                  llvm::Twine(bound));
  return lengths;
}

// Prints latency, tokens per second, GFLOP/s and share of the measured peak per length. Inputs are
// random: ids below their bounds, reals in [-1, 1), truth values 1.
static llvm::Error bench(Model &model, const weft_entry_info &entry,
                         llvm::ArrayRef<int64_t> lengths, const Bench &options,
                         llvm::raw_ostream &os) {
  const weft_model_info &info = model.info();
  for (int64_t length : lengths) {
    Call call = prepareCall(info, entry, length);
    double before = measurePeak(model.threads());
    llvm::Expected<Times> times = measure(model, entry, call, options.runs);
    if (!times)
      return times.takeError();
    double peak = std::max(before, measurePeak(model.threads()));
    printTimes(model, entry, call, *times, peak, os);
  }
  print(os, "memory: {}\n", memoryText(model));
  return llvm::Error::success();
}

llvm::Expected<bool> weft::benchCommand(Model &model, const RunOptions &options) {
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
    printProfile(model, lengthOf(model.info(), sizesAt(model.info(), lengths->back())),
                 llvm::errs());
  return true;
}
