//===- AnnotateKernels.cpp - what later stages can no longer see ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CountWork.h"
#include "KernelCounts.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Kernels.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

#include <map>

namespace weft {
#define GEN_PASS_DEF_ANNOTATEKERNELS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Operations on reals, 2 for a product and its sum: how many there are for each value of the
/// run-time dimensions, whose names are sorted.
using Flops = std::map<SmallVector<StringRef>, double>;

StringRef weft::getFlopsSymbol(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (GenerateAttr generate = attrs::Generate::get(function))
      return generate.getAlong();
  auto symbols = attrs::Symbols::get(module);
  return symbols && !symbols.getSymbols().empty() ? symbols.getSymbols().front().getValue() : "";
}

namespace {

/// Adds up what is counted, as polynomials.
class FlopCounter {
public:
  explicit FlopCounter(ModuleOp module);
  void annotate(func::FuncOp function);

private:
  void add(Flops &sum, double operations, ArrayAttr indices, ArrayRef<unsigned> positions);
  Flops countFunction(StringRef name);
  std::array<double, 3> getCoefficients(const Flops &flops) const;
  std::string getText(const Flops &flops) const;

  SymbolTable functions;
  StringRef symbol;           ///< of the polynomials with three coefficients
  SmallVector<StringRef> all; ///< of the module
  llvm::StringMap<double> bounds;
  llvm::StringMap<Flops> counted;
};

struct AnnotateKernelsPass : weft::impl::AnnotateKernelsBase<AnnotateKernelsPass> {
  void runOnOperation() override;

private:
  void annotateIndices(func::FuncOp entry, const SymbolTable &functions);
};

} // namespace

FlopCounter::FlopCounter(ModuleOp module) : functions(module), symbol(getFlopsSymbol(module)) {
  if (auto symbols = attrs::Symbols::get(module))
    for (StringAttr name : symbols.getSymbols())
      all.push_back(name.getValue());
}

/// Adds so many operations for each value of the indices.
void FlopCounter::add(Flops &sum, double operations, ArrayAttr indices,
                      ArrayRef<unsigned> positions) {
  SmallVector<StringRef> names;
  for (unsigned i : positions)
    if (auto index = cast<IndexAttr>(indices[i]); index.getDynamic()) {
      names.push_back(index.getDim());
      bounds[index.getDim()] = double(index.getSize());
    } else {
      operations *= double(index.getSize());
    }
  llvm::sort(names);
  sum[names] += operations;
}

/// In one symbol: a power above 2, and other symbols, count at their bounds.
std::array<double, 3> FlopCounter::getCoefficients(const Flops &flops) const {
  std::array<double, 3> sum = {0, 0, 0};
  for (auto [names, operations] : flops) {
    unsigned degree = 0;
    for (StringRef name : names)
      if (name == symbol && degree < 2)
        ++degree;
      else
        operations *= bounds.lookup(name);
    sum[degree] += operations;
  }
  return sum;
}

std::string FlopCounter::getText(const Flops &flops) const {
  Count sum;
  for (const auto &[names, operations] : flops) {
    Count product = 1;
    for (StringRef name : names) {
      const auto *known = llvm::find(all, name);
      product = product * (known == all.end() ? Count(bounds.lookup(name))
                                              : Count::ofSymbol(int32_t(known - all.begin())));
    }
    sum = sum + product * operations;
  }
  return sum.getText(all);
}

void FlopCounter::annotate(func::FuncOp function) {
  Flops flops = countFunction(function.getName());
  attrs::Flops::set(function, getCoefficients(flops));
  if (attrs::Entry::isOn(function) && !attrs::Step::isOn(function) && !attrs::Start::isOn(function))
    attrs::FlopCount::set(function, getText(flops));
}

Flops FlopCounter::countFunction(StringRef name) {
  auto known = counted.find(name);
  if (known != counted.end())
    return known->second;
  Flops sum;
  auto function = functions.lookup<func::FuncOp>(name);
  if (function && !function.isExternal())
    for (Operation &op : function.getBody().front()) {
      StringRef called = getFunctionOfStep(&op);
      if (called.empty()) {
        countFlops(&op, [&](double operations, ArrayAttr indices, ArrayRef<unsigned> positions) {
          add(sum, operations, indices, positions);
        });
        continue;
      }
      for (const auto &[names, operations] : countFunction(called))
        sum[names] += operations;
    }
  return counted[name] = sum;
}

/// N if `check` says that every element of its only input is below the constant N as an unsigned
/// number, which is the check of an index; otherwise 0.
static int64_t indexBoundOf(CheckOp check) {
  Block &body = check.getBody().front();
  auto compare = body.getTerminator()->getOperand(0).getDefiningOp<arith::CmpIOp>();
  APInt bound;
  if (check.getInputs().size() != 1 || !compare ||
      compare.getPredicate() != arith::CmpIPredicate::ult ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&bound)))
    return 0;
  Value checked = compare.getLhs();
  if (auto cast = checked.getDefiningOp<arith::IndexCastOp>())
    checked = cast.getIn();
  return checked == body.getArgument(0) ? bound.getSExtValue() : 0;
}

void AnnotateKernelsPass::annotateIndices(func::FuncOp entry, const SymbolTable &functions) {
  for (auto launch : entry.getOps<LaunchOp>()) {
    auto kernel = functions.lookup<func::FuncOp>(launch.getKernel());
    if (!kernel || kernel.isExternal())
      continue;
    ValueRange inputs = launch.getInputs();
    auto argument = inputs.empty() ? nullptr : dyn_cast<BlockArgument>(inputs.front());
    for (auto check : kernel.getOps<CheckOp>())
      if (int64_t bound = argument ? indexBoundOf(check) : 0)
        attrs::IndexBound::setArg(entry, argument.getArgNumber(), bound);
  }
}

void AnnotateKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable functions(module);
  FlopCounter counter(module);
  WeightArguments weights(module);
  KernelSymbols symbols;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool entry = attrs::Entry::isOn(function);
    if (entry)
      annotateIndices(function, functions);
    if (entry || attrs::Kernel::isOn(function))
      counter.annotate(function);
    if (!attrs::Kernel::isOn(function))
      continue;
    ArrayAttr needed = symbols.of(function);
    SmallVector<StringRef> names(needed.getAsValueRange<StringAttr>());
    attrs::Work::set(function, makeWork(needed, countWork(function, names, weights.of(function))));
  }
}
