//===- FunctionEquivalence.cpp - functions that compute the same ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/FunctionEquivalence.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace weft;

bool weft::areEquivalent(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() && a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

llvm::hash_code weft::hashOf(func::FuncOp function) {
  llvm::hash_code hash = llvm::hash_combine(function.getFunctionType(), function.getArgAttrsAttr());
  function.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(), op->getAttrDictionary(), op->getNumOperands());
  });
  return hash;
}
