//===- FactorTypes.cpp - what reads a tensor as a factor ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types/FactorTypes.h"

#include "weft/Dialect/Weft/IR/Product.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;

bool weft::isMatrix(Value tensor) {
  return llvm::count_if(cast<RankedTensorType>(tensor.getType()).getShape(),
                        [](int64_t size) { return size != 1; }) > 1;
}

/// Whether the formula's result is a choice by the size of what it reads.
static bool chooses(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce &&
         (reduce.getKind() == ReduceKind::ArgTop || reduce.getKind() == ReduceKind::ArgMax);
}

/// A rounding of the scores of experts can choose another expert, which no tolerance covers: what
/// is made of the product element by element, in its function, is looked at for such a choice.
bool FactorTypes::selects(ContractOp op) {
  auto [known, isNew] = selecting.try_emplace(op, false);
  if (!isNew)
    return known->second;
  llvm::SetVector<Operation *> reached;
  reached.insert(op);
  for (unsigned i = 0; i != reached.size(); ++i)
    for (Operation *user : reached[i]->getUsers()) {
      // A read at computed places is the formula's around it.
      while (user && isa<AtOp, InnerOp>(user))
        user = user->getParentOp();
      if (user && chooses(user))
        return selecting[op] = true;
      if (user && isa<MapOp, SoftmaxOp, RowOp>(user))
        reached.insert(user);
    }
  return false;
}

bool FactorTypes::isMatrixOrRow(Value tensor, Value other) const {
  return isMatrix(tensor) || (!classes.isWeight(tensor) && classes.isWeight(other));
}

bool FactorTypes::isProductFactor(OpOperand &use) const {
  auto op = dyn_cast<ContractOp>(use.getOwner());
  return op && use.getOperandNumber() < 2 && (isMatrix(op.getLhs()) || isMatrix(op.getRhs())) &&
         isMatrixOrRow(op.getLhs(), op.getRhs()) && isMatrixOrRow(op.getRhs(), op.getLhs()) &&
         (Product::matchAny(op, 1) || Product::matchAny(op, 0));
}

bool FactorTypes::isFactor(OpOperand &use) {
  return isProductFactor(use) && !selects(cast<ContractOp>(use.getOwner()));
}

Type FactorTypes::getWanted(OpOperand &use) {
  Type wanted;
  if (auto op = dyn_cast<AttentionOp>(use.getOwner()))
    wanted = use.getOperandNumber() <= 2 * op.getDots() ? attention : Type();
  else if (isFactor(use) && !isPlain(cast<ContractOp>(use.getOwner())))
    wanted = compute;
  return wanted && wanted.isF32() ? Type() : wanted;
}
