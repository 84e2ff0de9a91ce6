//===- FreshTensors.cpp - which tensors new positions change --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FreshTensors.h"
#include "TensorReads.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

func::FuncOp weft::getCallee(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  return callee && !callee.isExternal() ? callee : func::FuncOp();
}

/// The results of a call that follow from its fresh operands.
static SmallVector<Value> findFreshResults(func::CallOp call, const DenseSet<Value> &fresh) {
  SmallVector<Value> results;
  func::FuncOp callee = getCallee(call);
  if (!callee)
    return results;
  SmallVector<bool> operands = llvm::map_to_vector(
      call.getOperands(), [&](Value operand) { return fresh.contains(operand); });
  DenseSet<Value> inside = findFresh(callee, operands);
  Operation *terminator = callee.getBody().front().getTerminator();
  for (auto [result, returned] : llvm::zip_equal(call.getResults(), terminator->getOperands()))
    if (inside.contains(returned))
      results.push_back(result);
  return results;
}

DenseSet<Value> weft::findFresh(func::FuncOp function, ArrayRef<bool> freshArguments) {
  DenseSet<Value> fresh;
  for (auto [argument, isFresh] : llvm::zip_equal(function.getArguments(), freshArguments))
    if (isFresh)
      fresh.insert(argument);
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (auto call = dyn_cast<func::CallOp>(op))
      fresh.insert_range(findFreshResults(call, fresh));
    else if (auto formula = dyn_cast<FormulaOpInterface>(op);
             formula && llvm::any_of(getReads(formula), [&](const TensorRead &read) {
               return fresh.contains(read.tensor);
             }))
      fresh.insert_range(op.getResults());
  }
  return fresh;
}
