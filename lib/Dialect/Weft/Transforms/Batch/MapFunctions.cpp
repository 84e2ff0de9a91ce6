//===- MapFunctions.cpp - functions over a leading index ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/Transforms/MapFunctions.h"

#include "BatchFormulas.h"
#include "Step/FreshTensors.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;

FunctionMapper::Variant FunctionMapper::getVariant(func::FuncOp func, ArrayRef<bool> arguments,
                                                   bool allResults) {
  Key key(std::vector<bool>(arguments.begin(), arguments.end()), allResults);
  return variants.get(func, key, [&](Variant &variant) {
    IRMapping mapping;
    func.cloneInto(variant.function, mapping);
    variant.results = mapFunction(variant.function, arguments, allResults);
  });
}

static void mapCall(FunctionMapper &mapper, FormulaBatcher &formulas, func::CallOp call) {
  auto arguments = llvm::map_to_vector<8>(
      call.getOperands(), [&](Value operand) { return formulas.isBatched(operand); });
  if (!llvm::is_contained(arguments, true))
    return;
  func::FuncOp callee = getCallee(call);
  if (!callee)
    return;
  FunctionMapper::Variant variant = mapper.getVariant(callee, arguments, /*allResults=*/false);
  call.setCallee(variant.function.getSymName());
  for (auto [result, type, isMapped] :
       llvm::zip_equal(call.getResults(), variant.function.getResultTypes(), variant.results)) {
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
      mapCall(*this, formulas, call);
    } else if (auto indexed = dyn_cast<IndexedOpInterface>(op)) {
      if (!formulas.readsBatched(&op))
        continue;
      formulas.addBatchIndex(indexed);
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
