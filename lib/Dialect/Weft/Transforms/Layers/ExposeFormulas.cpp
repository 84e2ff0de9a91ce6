//===- ExposeFormulas.cpp - return every labelled formula -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InlineCall.h"

#include "weft/Dialect/Weft/IR/LocationText.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace weft {
#define GEN_PASS_DEF_EXPOSEFORMULASPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// How many formulas a call of `function` runs, those of its callees included. Functions call
/// others more than once, so that few levels may run more than can be compared, or counted.
static uint64_t countFormulas(func::FuncOp function, const SymbolTable &functions,
                              DenseMap<Operation *, uint64_t> &counted) {
  auto [place, isNew] = counted.try_emplace(function, 0);
  if (!isNew || function.isExternal())
    return place->second;
  uint64_t count = 0;
  for (Operation &op : function.front()) {
    count = llvm::SaturatingAdd<uint64_t>(count, isa<FormulaOpInterface>(op));
    if (auto call = dyn_cast<func::CallOp>(op))
      if (auto callee = functions.lookup<func::FuncOp>(call.getCallee()))
        count = llvm::SaturatingAdd(count, countFormulas(callee, functions, counted));
  }
  return counted[function] = count;
}

/// Inlines calls until there are none. False if that does not end.
static bool inlineCalls(func::FuncOp function, const SymbolTable &functions) {
  constexpr unsigned kMaxDepth = 64;
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    SmallVector<func::CallOp> calls(function.getOps<func::CallOp>());
    if (calls.empty())
      return true;
    for (func::CallOp call : calls) {
      auto callee = functions.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal() || callee == function)
        return false;
      inlineCall(call, callee);
    }
  }
  return false;
}

/// Whether `type` takes at most `limit` bytes with its symbols at their bounds.
static bool fits(RankedTensorType type, int64_t limit) {
  std::optional<int64_t> bytes = getLargestBytes(type);
  return bytes && *bytes <= limit;
}

namespace {
class ExposeFormulasPass : public weft::impl::ExposeFormulasPassBase<ExposeFormulasPass> {
public:
  using ExposeFormulasPassBase::ExposeFormulasPassBase;
  void runOnOperation() override;

private:
  LogicalResult inlineAndExpose(func::FuncOp entry, const SymbolTable &functions);
  void expose(func::FuncOp entry);
};
} // namespace

void ExposeFormulasPass::expose(func::FuncOp entry) {
  Operation *terminator = entry.front().getTerminator();
  llvm::StringMap<unsigned> counts;
  SmallVector<Value> results(terminator->getOperands());
  llvm::SmallPtrSet<Value, 8> returned(results.begin(), results.end());
  SmallVector<DictionaryAttr> attributes;
  entry.getAllResultAttrs(attributes);
  Builder builder(&getContext());
  for (auto formula : entry.getOps<FormulaOpInterface>()) {
    auto label = attrs::Label::get(formula);
    if (!label)
      continue;
    unsigned count = ++counts[label.getValue()];
    Value value = formula->getResult(0);
    if (returned.contains(value) || !fits(cast<RankedTensorType>(value.getType()), maxBytes))
      continue;
    std::string name = label.str() + (count > 1 ? "#" + std::to_string(count) : "");
    results.push_back(value);
    attributes.push_back(builder.getDictionaryAttr(
        {attrs::Name::named(&getContext(), name),
         attrs::Location::named(&getContext(), locationText(formula.getLoc()))}));
    ++numExposed;
  }
  terminator->setOperands(results);
  entry.setType(builder.getFunctionType(entry.getArgumentTypes(), ValueRange(results).getTypes()));
  entry.setAllResultAttrs(attributes);
}

LogicalResult ExposeFormulasPass::inlineAndExpose(func::FuncOp entry,
                                                  const SymbolTable &functions) {
  constexpr uint64_t kMaxFormulas = 10000; // all of them may become outputs
  DenseMap<Operation *, uint64_t> counted;
  if (countFormulas(entry, functions, counted) > kMaxFormulas)
    return entry.emitError() << "'" << entry.getName() << "' applies more than " << kMaxFormulas
                             << " formulas, too many to compare one by one";
  if (!inlineCalls(entry, functions))
    return entry.emitError() << "'" << entry.getName()
                             << "' calls a function that cannot be inlined";
  expose(entry);
  return success();
}

void ExposeFormulasPass::runOnOperation() {
  SymbolTable functions(getOperation());
  SmallVector<func::FuncOp> entries, others;
  for (auto function : getOperation().getOps<func::FuncOp>())
    (attrs::Entry::isOn(function) ? entries : others).push_back(function);
  for (func::FuncOp entry : entries) {
    // The formulas of a step are compared by what it gives: their rows come in pieces.
    if (attrs::Step::isOn(entry) || attrs::Start::isOn(entry))
      continue;
    if (failed(inlineAndExpose(entry, functions)))
      return signalPassFailure();
  }
  for (func::FuncOp function : others)
    if (SymbolTable::symbolKnownUseEmpty(function, getOperation()))
      function.erase();
}
