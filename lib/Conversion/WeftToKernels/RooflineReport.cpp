//===- RooflineReport.cpp - what bounds each kernel --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/RooflineReport.h"

#include "KernelCounts.h"
#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Support/Format.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

namespace {

using Sizes = llvm::StringMap<int64_t>;

/// Counts what a kernel does where its run-time dimensions have these values.
class WorkCounter {
public:
  explicit WorkCounter(const Sizes &sizes) : sizes(sizes) {}

  /// `weights`: which of its arguments are weights.
  KernelWork count(func::FuncOp kernel, const llvm::BitVector &weights) const;

private:
  void countBytes(Operation *anchor, SmallVectorImpl<double> &bytes) const;
  double getSize(StringRef symbol, int64_t bound) const {
    auto found = sizes.find(symbol);
    return double(found == sizes.end() ? bound : found->second);
  }
  double getSize(IndexAttr index) const {
    return index.getDynamic() ? getSize(index.getDim(), index.getSize()) : double(index.getSize());
  }
  double getElements(BlockArgument buffer) const;

  const Sizes &sizes;
};

/// Walks through what an entry runs.
class RooflineReporter {
public:
  RooflineReporter(ModuleOp module, const Sizes &given) : functions(module), sizes(given) {
    for (const auto &last : getLastCounts(module))
      sizes[last.getKey()] = 1;
  }

  EntryRoofline report(func::FuncOp entry);

private:
  /// `weights`: which of the function's arguments are weights.
  void visit(func::FuncOp function, const llvm::BitVector &weights);
  void addLaunch(LaunchOp launch, func::FuncOp kernel, const llvm::BitVector &weights);

  SymbolTable functions;
  Sizes sizes;
  KernelSymbols symbols;
  EntryRoofline entry;
};

} // namespace

double WorkCounter::getElements(BlockArgument buffer) const {
  auto function = cast<func::FuncOp>(buffer.getOwner()->getParentOp());
  auto bounds = attrs::Bounds::getArg(function, buffer.getArgNumber());
  double elements = 1;
  unsigned next = 0;
  for (int64_t size : cast<ShapedType>(buffer.getType()).getShape()) {
    if (!ShapedType::isDynamic(size)) {
      elements *= double(size);
    } else if (bounds) {
      elements *= getSize(bounds.getSymbols()[next].getValue(), bounds.getBounds()[next]);
      ++next;
    }
  }
  return elements;
}

/// Adds the bytes of each argument of the kernel that the anchor reads or writes.
void WorkCounter::countBytes(Operation *anchor, SmallVectorImpl<double> &bytes) const {
  auto formula = dyn_cast<IndexedOpInterface>(anchor);
  if (!formula)
    return;
  auto note = [&](Value value, llvm::function_ref<bool(unsigned position)> isUsed) {
    auto buffer = dyn_cast<BlockArgument>(value);
    if (!buffer || !isa<func::FuncOp>(buffer.getOwner()->getParentOp()))
      return;
    double elements = 1;
    for (auto [position, index] : llvm::enumerate(formula.getIndices()))
      if (isUsed(position))
        elements *= getSize(cast<IndexAttr>(index));
    elements = std::min(elements, getElements(buffer));
    double bits = double(getStorageBits(cast<ShapedType>(buffer.getType()).getElementType()));
    double &most = bytes[buffer.getArgNumber()];
    most = std::max(most, elements * bits / 8);
  };
  for (auto [i, input] : llvm::enumerate(formula.getInputs())) {
    AffineMap map = cast<AffineMapAttr>(formula.getMaps()[i]).getValue();
    note(input, [&](unsigned position) { return map.isFunctionOfDim(position); });
  }
  anchor->walk([&](AtOp at) { note(at.getSource(), [](unsigned) { return true; }); });
  auto written = dyn_cast<FormulaOpInterface>(anchor);
  for (unsigned i = 0; written && i != written.getOutputs().size(); ++i) {
    AffineMap map = written.getOutputIndexingMap(i);
    note(written.getOutputs()[i], [&](unsigned position) { return map.isFunctionOfDim(position); });
  }
}

/// What multiplies: both factors of a unit's type, and otherwise f32.
static Unit getUnit(Operation *anchor) {
  if (!isa<ContractOp, AttentionOp>(anchor))
    return Unit::Elements;
  auto inputs = cast<IndexedOpInterface>(anchor).getInputs();
  auto typeOf = [&](unsigned i) { return cast<ShapedType>(inputs[i].getType()).getElementType(); };
  if (typeOf(0).isInteger(8) && typeOf(1).isInteger(8))
    return Unit::Int8;
  return typeOf(0).isBF16() && typeOf(1).isBF16() ? Unit::BF16 : Unit::F32;
}

KernelWork WorkCounter::count(func::FuncOp kernel, const llvm::BitVector &weights) const {
  KernelWork work;
  SmallVector<double> bytes(kernel.getNumArguments());
  auto addTo = [&](double &sum) {
    return [&](double operations, ArrayAttr indices, ArrayRef<unsigned> positions) {
      for (unsigned position : positions)
        operations *= getSize(cast<IndexAttr>(indices[position]));
      sum += operations;
    };
  };
  for (Operation &op : kernel.getBody().front()) {
    countFlops(&op, addTo(work.flops));
    countFunctions(&op, addTo(work.functions));
    countBytes(&op, bytes);
    if (Unit unit = getUnit(&op); unit != Unit::Elements)
      work.unit = unit;
  }
  for (auto [i, count] : llvm::enumerate(bytes)) {
    work.bytes += count;
    work.weights += weights[i] ? count : 0;
  }
  return work;
}

void RooflineReporter::addLaunch(LaunchOp launch, func::FuncOp kernel,
                                 const llvm::BitVector &weights) {
  // A kernel that counts new positions may be launched for the last one.
  Sizes passed = sizes;
  for (auto [given, wanted] : llvm::zip_equal(launch.getSizes().getAsValueRange<StringAttr>(),
                                              symbols.of(kernel).getAsValueRange<StringAttr>()))
    if (auto value = sizes.find(given); value != sizes.end())
      passed[wanted] = value->second;
  KernelWork work = WorkCounter(passed).count(kernel, weights);
  auto known = llvm::find_if(entry.kernels, [&](const KernelRoofline &other) {
    return other.name == kernel.getName() && other.work.flops == work.flops &&
           other.work.bytes == work.bytes && other.work.weights == work.weights;
  });
  if (known == entry.kernels.end())
    entry.kernels.push_back({kernel.getName().str(), 1, work});
  else
    ++known->calls;
}

void RooflineReporter::visit(func::FuncOp function, const llvm::BitVector &weights) {
  auto isWeight = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return value.getDefiningOp<WeightOp>() || (argument && weights[argument.getArgNumber()]);
  };
  for (Operation &op : function.getBody().front()) {
    StringRef name = getFunctionOfStep(&op);
    auto called = name.empty() ? func::FuncOp() : functions.lookup<func::FuncOp>(name);
    if (!called || called.isExternal())
      continue;
    llvm::BitVector passed;
    for (Value operand : op.getOperands())
      passed.push_back(isWeight(operand));
    if (auto launch = dyn_cast<LaunchOp>(op))
      addLaunch(launch, called, passed);
    else
      visit(called, passed);
  }
}

EntryRoofline RooflineReporter::report(func::FuncOp function) {
  entry = {function.getName().str(), {}};
  visit(function, llvm::BitVector(function.getNumArguments()));
  return std::move(entry);
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
  print(os,
        "roofline: limits {}: {:.0f} GFLOP/s in f32, {:.0f} in bf16, {:.0f} in int8, "
        "{:.1f} G exponentials/s, memory {:.1f} GB/s\n",
        machine.origin, machine.f32, machine.bf16, machine.int8, machine.exponentials,
        machine.reads.back().rate);
  for (const EntryRoofline &entry : report)
    printEntry(entry, machine, allWeights, os);
}
