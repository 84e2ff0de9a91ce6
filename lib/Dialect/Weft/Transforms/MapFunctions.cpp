//===- MapFunctions.cpp - functions over a leading index ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/Transforms/MapFunctions.h"

#include "BatchFormulas.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

FunctionMapper::Variant FunctionMapper::getVariant(func::FuncOp func, ArrayRef<bool> arguments,
                                                   bool allResults) {
  auto key = std::make_tuple(func.getSymName().str(),
                             std::vector<bool>(arguments.begin(), arguments.end()), allResults);
  auto known = variants.find(key);
  if (known != variants.end())
    return known->second;
  func::FuncOp copy = func.clone();
  copy.setSymName((func.getSymName() + "_batched").str());
  SymbolTable(module).insert(copy, Block::iterator(func));
  Flags results = mapFunction(copy, arguments, allResults);
  return variants[key] = {copy, results};
}

/// Lets `call` call the function for the operands that have the index.
static void mapCall(FunctionMapper &mapper, ModuleOp module, FormulaBatcher &formulas,
                    func::CallOp call) {
  auto arguments = llvm::map_to_vector<8>(
      call.getOperands(), [&](Value operand) { return formulas.isBatched(operand); });
  if (!llvm::is_contained(arguments, true))
    return;
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return;
  FunctionMapper::Variant variant = mapper.getVariant(callee, arguments, /*allResults=*/false);
  call.setCallee(variant.func.getSymName());
  for (auto [result, type, isMapped] :
       llvm::zip_equal(call.getResults(), variant.func.getResultTypes(), variant.results)) {
    result.setType(type);
    if (isMapped)
      formulas.markBatched(result);
  }
}

FunctionMapper::Flags FunctionMapper::mapFunction(func::FuncOp func, ArrayRef<bool> arguments,
                                                  bool allResults) {
  FormulaBatcher formulas(index);
  for (auto [argument, isMapped] : llvm::zip_equal(func.getArguments(), arguments))
    if (isMapped) {
      argument.setType(formulas.getBatchedType(cast<RankedTensorType>(argument.getType())));
      formulas.markBatched(argument);
    }
  Flags results;
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      mapCall(*this, module, formulas, call);
    } else if (isa<FormulaOpInterface, CheckOp>(op)) {
      if (!formulas.readsBatched(&op))
        continue;
      formulas.addBatchIndex(&op);
      ++numMapped;
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      OpBuilder builder(ret);
      for (OpOperand &operand : ret->getOpOperands()) {
        if (allResults && !formulas.isBatched(operand.get())) {
          operand.set(formulas.broadcast(builder, operand.get()));
          formulas.markBatched(operand.get());
        }
        results.push_back(formulas.isBatched(operand.get()));
      }
      func.setFunctionType(
          builder.getFunctionType(func.getBody().getArgumentTypes(), ret.getOperandTypes()));
    }
  }
  return results;
}

void weft::eraseUncalled(ModuleOp module) {
  llvm::StringMap<size_t> numCalls;
  module.walk([&](func::CallOp call) { ++numCalls[call.getCallee()]; });
  SymbolTable functions(module);
  SmallVector<func::FuncOp> uncalled;
  auto check = [&](func::FuncOp func) {
    if (func && func.isPrivate() && !func.isExternal() && !numCalls.lookup(func.getSymName()))
      uncalled.push_back(func);
  };
  for (auto func : module.getOps<func::FuncOp>())
    check(func);
  while (!uncalled.empty()) {
    func::FuncOp func = uncalled.pop_back_val();
    func.walk([&](func::CallOp call) {
      if (--numCalls[call.getCallee()] == 0)
        check(functions.lookup<func::FuncOp>(call.getCallee()));
    });
    functions.erase(func);
  }
}
