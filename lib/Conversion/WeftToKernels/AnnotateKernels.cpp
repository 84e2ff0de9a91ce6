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

namespace weft {
#define GEN_PASS_DEF_ANNOTATEKERNELS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// A polynomial of degree 2 in one symbol: operations on reals, 2 for a product and its sum.
using Flops = std::array<double, 3>;

StringRef weft::getFlopsSymbol(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (GenerateAttr generate = attrs::Generate::get(function))
      return generate.getAlong();
  auto symbols = attrs::Symbols::get(module);
  return symbols && !symbols.getSymbols().empty() ? symbols.getSymbols().front().getValue() : "";
}

namespace {

/// Adds up what is counted, as a polynomial.
class FlopCounter {
public:
  explicit FlopCounter(ModuleOp module) : functions(module), symbol(getFlopsSymbol(module)) {}
  Flops countFunction(StringRef name);

private:
  void add(Flops &sum, double operations, ArrayAttr indices, ArrayRef<unsigned> positions) const;

  SymbolTable functions;
  StringRef symbol;
  llvm::StringMap<Flops> counted;
};

struct AnnotateKernelsPass : weft::impl::AnnotateKernelsBase<AnnotateKernelsPass> {
  void runOnOperation() override;

private:
  void annotateIndices(func::FuncOp entry, const SymbolTable &functions);
};

} // namespace

/// Adds so many operations for each value of the indices. A power of the symbol above 2 counts at
/// its bound.
void FlopCounter::add(Flops &sum, double operations, ArrayAttr indices,
                      ArrayRef<unsigned> positions) const {
  unsigned degree = 0;
  for (unsigned i : positions) {
    auto index = cast<IndexAttr>(indices[i]);
    if (index.getDynamic() && index.getDim() == symbol && degree < 2)
      ++degree;
    else
      operations *= double(index.getSize());
  }
  sum[degree] += operations;
}

Flops FlopCounter::countFunction(StringRef name) {
  auto known = counted.find(name);
  if (known != counted.end())
    return known->second;
  Flops sum = {0, 0, 0};
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
      Flops part = countFunction(called);
      for (unsigned i = 0; i != 3; ++i)
        sum[i] += part[i];
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
      attrs::Flops::set(function, counter.countFunction(function.getName()));
    if (!attrs::Kernel::isOn(function))
      continue;
    ArrayAttr needed = symbols.of(function);
    SmallVector<StringRef> names(needed.getAsValueRange<StringAttr>());
    attrs::Work::set(function, makeWork(needed, countWork(function, names, weights.of(function))));
  }
}
