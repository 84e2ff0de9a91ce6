//===- ExposeFormulas.cpp - return every labelled formula -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Reference/Interpreter.h"

#include "mlir/IR/IRMapping.h"

namespace weft {
#define GEN_PASS_DEF_EXPOSEFORMULASPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Puts the body of the callee in the place of `call`.
static void inlineCall(func::CallOp call, func::FuncOp callee) {
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  OpBuilder builder(call);
  for (Operation &op : callee.front().without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip(call.getResults(), callee.front().getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

/// Inlines calls until there are none. False if that does not end.
static bool inlineCalls(func::FuncOp function) {
  constexpr unsigned kMaxDepth = 64;
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    SmallVector<func::CallOp> calls(function.getOps<func::CallOp>());
    if (calls.empty())
      return true;
    for (func::CallOp call : calls) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
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
  void expose(func::FuncOp entry);
};
} // namespace

void ExposeFormulasPass::expose(func::FuncOp entry) {
  Operation *terminator = entry.front().getTerminator();
  llvm::StringMap<unsigned> counts;
  SmallVector<Type> types(entry.getResultTypes());
  Builder builder(&getContext());
  for (auto formula : entry.getOps<FormulaOpInterface>()) {
    auto label = formula->getAttrOfType<StringAttr>(attrs::kLabel);
    if (!label)
      continue;
    unsigned count = ++counts[label.getValue()];
    Value value = formula->getResult(0);
    auto type = cast<RankedTensorType>(value.getType());
    if (llvm::is_contained(terminator->getOperands(), value) || !fits(type, maxBytes))
      continue;
    std::string name = label.str() + (count > 1 ? "#" + std::to_string(count) : "");
    terminator->insertOperands(terminator->getNumOperands(), value);
    types.push_back(type);
    entry.setType(builder.getFunctionType(entry.getArgumentTypes(), types));
    entry.setResultAttr(types.size() - 1, attrs::kName, builder.getStringAttr(name));
    entry.setResultAttr(types.size() - 1, attrs::kLocation,
                        builder.getStringAttr(locationText(formula.getLoc())));
    ++numExposed;
  }
}

void ExposeFormulasPass::runOnOperation() {
  SmallVector<func::FuncOp> entries, others;
  for (auto function : getOperation().getOps<func::FuncOp>())
    (function->hasAttr(attrs::kEntry) ? entries : others).push_back(function);
  for (func::FuncOp entry : entries) {
    // The formulas of a step are compared by what it gives: their rows come in pieces.
    if (entry->hasAttr(attrs::kStep) || entry->hasAttr(attrs::kStart))
      continue;
    if (!inlineCalls(entry)) {
      entry.emitError() << "'" << entry.getName() << "' calls a function that cannot be inlined";
      return signalPassFailure();
    }
    expose(entry);
  }
  for (func::FuncOp function : others)
    if (SymbolTable::symbolKnownUseEmpty(function, getOperation()))
      function.erase();
}
