//===- RooflineReport.cpp - what bounds each kernel --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/RooflineReport.h"

#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Support/Format.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

namespace {

using Sizes = llvm::StringMap<int64_t>;

/// Walks through what an entry runs.
class RooflineReporter {
public:
  RooflineReporter(ModuleOp module, const Sizes &given) : functions(module), sizes(given) {
    if (auto symbols = attrs::Symbols::get(module))
      for (auto [symbol, bound] : llvm::zip(symbols.getSymbols(), symbols.getBounds()))
        sizes.try_emplace(symbol.getValue(), bound);
    for (const auto &last : getLastCounts(module))
      sizes[last.getKey()] = 1;
    if (auto symbols = attrs::Symbols::get(module))
      for (StringAttr symbol : symbols.getSymbols())
        entry.symbols.push_back(sizes.lookup(symbol.getValue()));
  }

  EntryRoofline report(func::FuncOp entry);

private:
  void visit(func::FuncOp function);
  void addLaunch(LaunchOp launch, func::FuncOp kernel);

  SymbolTable functions;
  Sizes sizes;
  EntryRoofline entry;
};

} // namespace

void RooflineReporter::addLaunch(LaunchOp launch, func::FuncOp kernel) {
  WorkAttr work = attrs::Work::get(kernel);
  if (!work)
    return;
  // A kernel that counts new positions may be launched for the last one.
  SmallVector<int64_t> passed;
  for (StringRef symbol : launch.getSizes().getAsValueRange<StringAttr>())
    passed.push_back(sizes.lookup(symbol));
  KernelRoofline one{kernel.getName().str(), 1, readWork(work).at(passed), passed};
  auto known = llvm::find_if(entry.kernels, [&](const KernelRoofline &other) {
    return other.name == one.name && other.work.flops == one.work.flops &&
           other.work.bytes == one.work.bytes && other.sizes == one.sizes;
  });
  if (known == entry.kernels.end())
    entry.kernels.push_back(std::move(one));
  else
    ++known->calls;
}

void RooflineReporter::visit(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    StringRef name = getFunctionOfStep(&op);
    auto called = name.empty() ? func::FuncOp() : functions.lookup<func::FuncOp>(name);
    if (!called || called.isExternal())
      continue;
    if (auto launch = dyn_cast<LaunchOp>(op))
      addLaunch(launch, called);
    else
      visit(called);
  }
}

EntryRoofline RooflineReporter::report(func::FuncOp function) {
  entry.name = function.getName().str();
  entry.kernels.clear();
  visit(function);
  return entry;
}

std::vector<EntryRoofline> weft::reportRoofline(ModuleOp module, const Sizes &sizes) {
  std::vector<EntryRoofline> report;
  RooflineReporter reporter(module, sizes);
  for (auto function : module.getOps<func::FuncOp>())
    if (attrs::Entry::isOn(function) && !function.isExternal())
      report.push_back(reporter.report(function));
  return report;
}

//===----------------------------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------------------------===//

static void printEntry(const EntryRoofline &entry, const MachineLimits &machine, int64_t allWeights,
                       llvm::raw_ostream &os) {
  std::vector<std::pair<Prediction, const KernelRoofline *>> lines;
  double total = 0;
  for (const KernelRoofline &kernel : entry.kernels) {
    Prediction one = predictTime(machine, kernel.work, double(allWeights));
    one.seconds *= double(kernel.calls);
    total += one.seconds;
    lines.emplace_back(std::move(one), &kernel);
  }
  llvm::sort(lines, [](const auto &a, const auto &b) {
    return a.first.seconds != b.first.seconds ? a.first.seconds > b.first.seconds
                                              : a.second->name < b.second->name;
  });
  print(os, "roofline: entry {}: {:.3f} ms\n", entry.name, 1e3 * total);
  print(os, "        ms  calls          flops          bytes  bound by  kernel\n");
  for (const auto &[time, kernel] : lines)
    print(os, "{:>10.4f} {:>6} {:>14.0f} {:>14.0f}  {:<8}  {}\n", 1e3 * time.seconds, kernel->calls,
          kernel->work.flops, kernel->work.bytes, time.limit, kernel->name);
}

void weft::printRoofline(ArrayRef<EntryRoofline> report, const MachineLimits &machine,
                         int64_t allWeights, llvm::raw_ostream &os) {
  print(os, "roofline: limits {}\n", limitsText(machine));
  for (const EntryRoofline &entry : report)
    printEntry(entry, machine, allWeights, os);
}
