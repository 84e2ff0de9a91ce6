//===- Emitters.cpp - the emitters that serve every target ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Emitters.h"

using namespace mlir;
using namespace weft;

Operation *weft::findAnchor(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isa<FormulaOpInterface, CheckOp>(op) && attrs::Lowering::isOn(&op))
      return &op;
  kernel.emitError("kernel has no anchor with a lowering");
  return nullptr;
}

std::unique_ptr<KernelEmitter> weft::createCommonEmitter(Operation *anchor, LoweringAttr lowering) {
  if (auto op = dyn_cast<MapOp>(anchor))
    return createMapEmitter(op, lowering);
  if (auto op = dyn_cast<ReduceOp>(anchor))
    return op.getKind() == ReduceKind::ArgTop ? createArgTopEmitter(op, lowering)
                                              : createReduceEmitter(op, lowering);
  if (auto op = dyn_cast<SoftmaxOp>(anchor))
    return createSoftmaxEmitter(op, lowering);
  if (auto op = dyn_cast<CheckOp>(anchor))
    return createCheckEmitter(op, lowering);
  if (auto op = dyn_cast<ContractOp>(anchor))
    return createContractEmitter(op, lowering);
  return nullptr;
}
