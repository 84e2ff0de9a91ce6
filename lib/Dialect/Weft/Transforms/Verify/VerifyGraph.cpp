//===- VerifyGraph.cpp - the contracts of the stages graph and fused ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Attention/PositionPairs.h"
#include "ToldSymbols.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Dialect/Weft/Transforms/VerifySequences.h"

#include "llvm/ADT/StringMap.h"

namespace weft {
#define GEN_PASS_DEF_VERIFYGRAPHPASS
#define GEN_PASS_DEF_VERIFYFUSEDPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------------------------===//

namespace {
/// The bound that each symbol of a module was first seen with.
class SymbolBounds {
public:
  LogicalResult add(Operation *op, StringRef symbol, int64_t bound) {
    auto [it, isNew] = bounds.try_emplace(symbol, bound);
    if (isNew || it->second == bound)
      return success();
    return op->emitError() << "symbol '" << symbol << "' has the bound " << bound << " here and "
                           << it->second << " before: a symbol is the same in a whole module";
  }

  LogicalResult add(Operation *op, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? add(op, getBounds(tensor)) : success();
  }

  LogicalResult add(Operation *op, BoundsAttr attr) {
    if (attr)
      for (auto [symbol, bound] : llvm::zip(attr.getSymbols(), attr.getBounds()))
        if (failed(add(op, symbol.getValue(), bound)))
          return failure();
    return success();
  }

private:
  llvm::StringMap<int64_t> bounds;
};

class VerifyGraphPass : public weft::impl::VerifyGraphPassBase<VerifyGraphPass> {
public:
  void runOnOperation() override {
    SymbolBounds bounds;
    bool isValid = succeeded(bounds.add(getOperation(), attrs::Symbols::get(getOperation()))) &&
                   succeeded(verifySequences(getOperation()));
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      isValid &= succeeded(verifyFunction(function, bounds));
      function->walk([&](Operation *op) { isValid &= succeeded(verifyOp(op, bounds)); });
    }
    if (!isValid)
      signalPassFailure();
  }

private:
  LogicalResult verifyFunction(func::FuncOp function, SymbolBounds &bounds) {
    if (function.isExternal())
      return function.emitError() << "'" << function.getName()
                                  << "' has no body: a module call was not resolved";
    if (!function.getBody().hasOneBlock())
      return function.emitError() << "'" << function.getName()
                                  << "' has branches: a function of formulas has one block";
    for (Type type : function.getArgumentTypes())
      if (failed(verifyInterface(function, type)) || failed(bounds.add(function, type)))
        return failure();
    for (Type type : function.getResultTypes())
      if (failed(verifyInterface(function, type)))
        return failure();
    if (failed(verifySizes(function)))
      return failure();
    return verifySymbols(function);
  }

  /// An entry receives the run-time sizes of its tensors and no others.
  LogicalResult verifySymbols(func::FuncOp function) {
    if (!attrs::Entry::isOn(function))
      return success();
    std::optional<UntoldSymbol> untold = findUntoldSymbol(function);
    if (!untold)
      return success();
    return untold->op->emitError()
           << "the run-time dimension '" << untold->symbol << "' is not known here: no input and "
           << "no output of entry '" << function.getName() << "' has it";
  }

  /// What is passed and returned are tensors whose dynamic dimensions are symbols of the module.
  LogicalResult verifyInterface(func::FuncOp function, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return function.emitError() << "'" << function.getName() << "' passes or returns " << type
                                  << ", which is no tensor";
    if (failed(verifyStorageType(
            type, [&] { return function.emitError(); },
            "'" + function.getName() + "': a tensor that is passed or returned")))
      return failure();
    auto declared = attrs::Symbols::get(getOperation());
    for (unsigned dim = 0, e = tensor.getRank(); dim != e; ++dim) {
      if (!tensor.isDynamicDim(dim))
        continue;
      StringRef symbol = getSymbol(tensor, dim);
      auto name = StringAttr::get(&getContext(), symbol);
      if (symbol.empty())
        return function.emitError() << "'" << function.getName() << "': " << type
                                    << " has no symbols for its dynamic dimensions";
      if (!declared || !llvm::is_contained(declared.getSymbols(), name))
        return function.emitError() << "'" << function.getName() << "': symbol '" << symbol
                                    << "' is not among the module's " << attrs::Symbols::name;
    }
    return success();
  }

  LogicalResult verifyOp(Operation *op, SymbolBounds &bounds) {
    if (!isa<arith::ArithDialect, math::MathDialect, func::FuncDialect, WeftDialect>(
            op->getDialect()))
      return op->emitError() << "'" << op->getName()
                             << "' is no op of a formula: stages graph and fused hold weft, arith "
                                "and math in functions";
    if (auto formula = dyn_cast<FormulaOpInterface>(op); formula && formula.hasBufferSemantics())
      return op->emitError("writes a buffer: buffers begin with stage kernels");
    for (Type type : op->getResultTypes())
      if (failed(bounds.add(op, type)) ||
          failed(verifyStorageType(type, [&] { return op->emitOpError(); }, "the result")))
        return failure();
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------------------------===//
// Fused
//===----------------------------------------------------------------------------------------===//

namespace {
class VerifyFusedPass : public weft::impl::VerifyFusedPassBase<VerifyFusedPass> {
public:
  using VerifyFusedPassBase::VerifyFusedPassBase;

  void runOnOperation() override {
    SmallVector<FormulaOpInterface> unexplained;
    batch = attrs::Batch::getText(getOperation());
    pairs = PositionPairs();
    getOperation()->walk([&](FormulaOpInterface formula) {
      if (formula.hasBufferSemantics())
        return;
      if (llvm::any_of(formula->getResults(), [&](Value result) {
            llvm::SmallPtrSet<Operation *, 8> visited;
            return pairs.contain(result, batch) && !isExplained(result, visited);
          }))
        unexplained.push_back(formula);
    });
    for (FormulaOpInterface formula : unexplained)
      strict ? complain(formula) : explain(formula);
    if (strict && !unexplained.empty())
      signalPassFailure();
  }

private:
  /// Whether `value`, or what is made of it, is told to stay, or leaves the function.
  bool isExplained(Value value, llvm::SmallPtrSetImpl<Operation *> &visited) {
    Operation *op = value.getDefiningOp();
    if (op && attrs::UnfusedReason::isOn(op))
      return true;
    for (Operation *user : value.getUsers()) {
      if (!visited.insert(user).second)
        continue;
      if (attrs::UnfusedReason::isOn(user) || isa<func::ReturnOp>(user))
        return true;
      for (Value result : user->getResults())
        if (pairs.contain(result, batch) && isExplained(result, visited))
          return true;
    }
    return false;
  }

  void explain(FormulaOpInterface formula) {
    ++numExplained;
    attrs::UnfusedReason::set(formula, "it leads to no softmax that is summed over");
  }

  static void complain(FormulaOpInterface formula) {
    InFlightDiagnostic error = formula->emitError()
                               << "the tensor " << formula->getResult(0).getType()
                               << " of position pairs is left, and no remark says why";
    error.attachNote() << "attention is found in a softmax with one consumer that sums over its "
                          "axis; another chain needs the attribute '"
                       << attrs::UnfusedReason::name << "'";
  }

  StringRef batch;
  PositionPairs pairs;
};
} // namespace
