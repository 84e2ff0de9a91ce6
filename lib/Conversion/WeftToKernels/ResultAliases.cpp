//===- ResultAliases.cpp - results that are arguments ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ResultAliases.h"

#include "weft/Dialect/Weft/IR/CopyFormula.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

/// The formula that is `tensor` itself.
static Value copyOf(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto identity = AffineMap::getMultiDimIdentityMap(type.getRank(), builder.getContext());
  MapOp copy = createCopy(builder, loc, tensor, getIndicesOf(type), identity, getLayout(type));
  attrs::Label::set(copy, "copy");
  return copy.getResult();
}

/// The argument of its function that `value` is, if it is a cache to which rows were added.
static std::optional<unsigned> cacheArgument(Value value, const Aliases &aliases) {
  bool isAppended = false;
  while (!isa<BlockArgument>(value)) {
    auto append = value.getDefiningOp<AppendOp>();
    auto call = value.getDefiningOp<func::CallOp>();
    std::optional<unsigned> operand;
    if (call && aliases.contains(call.getCallee()))
      operand = aliases.lookup(call.getCallee())[cast<OpResult>(value).getResultNumber()];
    if (!append && !operand)
      return std::nullopt;
    value = append ? append.getCache() : call.getOperand(*operand);
    isAppended = true;
  }
  return isAppended ? std::optional(cast<BlockArgument>(value).getArgNumber()) : std::nullopt;
}

/// Callees first: a call hands on what its callee returns.
static void addAliases(func::FuncOp function, const SymbolTable &functions, Aliases &aliases) {
  if (function.isExternal() || aliases.contains(function.getName()))
    return;
  for (auto call : function.getOps<func::CallOp>())
    if (auto callee = functions.lookup<func::FuncOp>(call.getCallee()))
      addAliases(callee, functions, aliases);
  SmallVector<std::optional<unsigned>> results;
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(cacheArgument(value, aliases));
  aliases[function.getName()] = results;
}

/// The rows that a cache gets are made in their place if they have no other, and if who makes them
/// knows its strides: otherwise copied.
static void copyAppended(func::FuncOp function) {
  DenseSet<Value> returned;
  returned.insert_range(function.getBody().front().getTerminator()->getOperands());
  for (auto append : llvm::make_early_inc_range(function.getOps<AppendOp>())) {
    Value rows = append.getRows();
    Operation *def = rows.getDefiningOp();
    bool canMake = append.getRowDim() == 0 ? isa_and_nonnull<FormulaOpInterface, func::CallOp>(def)
                                           : isa_and_nonnull<MapOp, RowOp, ContractOp>(def) &&
                                                 !getLayout(rows.getType());
    bool isMade = canMake && !returned.contains(rows) &&
                  llvm::count_if(rows.getUsers(), llvm::IsaPred<AppendOp>) == 1;
    OpBuilder builder(append);
    if (!isMade)
      append.getRowsMutable().assign(copyOf(builder, append.getLoc(), rows));
  }
}

/// Makes all returned tensors different results of formulas and calls, which can write outputs.
static void copyReturned(func::FuncOp function, ArrayRef<std::optional<unsigned>> aliased) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  DenseSet<Value> seen;
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (aliased[operand.getOperandNumber()])
      continue; // the caller has the cache
    Operation *source = operand.get().getDefiningOp();
    if (!source || !isa<FormulaOpInterface, func::CallOp>(source) ||
        !seen.insert(operand.get()).second)
      operand.set(copyOf(builder, terminator->getLoc(), operand.get()));
  }
}

Aliases weft::findAliases(ModuleOp module) {
  Aliases aliases;
  SymbolTable functions(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (!attrs::Kernel::isOn(function))
      addAliases(function, functions, aliases);
  return aliases;
}

void weft::copyShared(func::FuncOp function, const Aliases &aliases) {
  copyAppended(function);
  copyReturned(function, aliases.at(function.getName()));
}
