//===- FixedFormulas.cpp - formulas that read known tensors only ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Maps/FixedFormulas.h"

using namespace mlir;
using namespace weft;

SmallVector<Value> weft::getTensorsRead(IndexedOpInterface op) {
  SmallVector<Value> tensors(op->getOperands());
  op->walk([&](Operation *nested) {
    if (nested == op)
      return;
    for (Value operand : nested->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()) &&
          !operand.getDefiningOp<arith::ConstantOp>())
        tensors.push_back(operand);
  });
  return tensors;
}

bool weft::dependsOnlyOn(IndexedOpInterface op, llvm::function_ref<bool(Value)> isKnown) {
  for (IndexAttr index : op.getIndices().getAsRange<IndexAttr>())
    if (index.getDynamic())
      return false;
  WalkResult sizes = op->walk([&](Operation *nested) {
    auto inner = dyn_cast<InnerOp>(nested);
    bool isDynamic = isa<SizeOp>(nested) || (inner && inner.getRange().getDynamic());
    return isDynamic ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !sizes.wasInterrupted() && llvm::all_of(getTensorsRead(op), isKnown);
}
