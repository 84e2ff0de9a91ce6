//===- Emitters.cpp - the emitters that serve every target ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Emitters.h"

#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Support/NearestName.h"

using namespace mlir;
using namespace weft;

SmallVector<Operation *> weft::findAnchors(func::FuncOp kernel) {
  SmallVector<Operation *> anchors;
  if (failed(verifyKernelSymbols(kernel)))
    return anchors;
  for (Operation &op : kernel.getBody().front())
    if (isa<IndexedOpInterface>(op) && attrs::Lowering::isOn(&op))
      anchors.push_back(&op);
  if (anchors.empty())
    kernel.emitError("kernel has no anchor with a lowering");
  return anchors;
}

template <typename Op> static bool writes(Operation *anchor) { return isa<Op>(anchor); }

template <bool isArgTop> static bool writesReduce(Operation *anchor) {
  auto op = dyn_cast<ReduceOp>(anchor);
  return op && (op.getKind() == ReduceKind::ArgTop) == isArgTop;
}

template <typename Op, std::unique_ptr<KernelEmitter> (*function)(Op, LoweringAttr)>
static std::unique_ptr<KernelEmitter> create(Operation *anchor, LoweringAttr lowering) {
  return function(cast<Op>(anchor), lowering);
}

ArrayRef<EmitterInfo> weft::getCommonEmitters() {
  static constexpr EmitterInfo common[] = {
      {emitters::map, writes<MapOp>, create<MapOp, createMapEmitter>},
      {emitters::reduce, writesReduce<false>, create<ReduceOp, createReduceEmitter>},
      {emitters::argtop, writesReduce<true>, create<ReduceOp, createArgTopEmitter>},
      {emitters::contract, writes<ContractOp>, create<ContractOp, createContractEmitter>},
      {emitters::softmax, writes<SoftmaxOp>, create<SoftmaxOp, createSoftmaxEmitter>},
      {emitters::row, writes<RowOp>, create<RowOp, createRowOpEmitter>},
      {emitters::check, writes<CheckOp>, create<CheckOp, createCheckEmitter>},
      {emitters::attentionRows, writes<AttentionOp>,
       create<AttentionOp, createAttentionRowEmitter>},
  };
  return common;
}

std::unique_ptr<KernelEmitter> weft::createEmitter(Operation *anchor,
                                                   ArrayRef<EmitterInfo> emitters) {
  return createEmitter(anchor, attrs::Lowering::get(anchor), emitters);
}

std::unique_ptr<KernelEmitter> weft::createEmitter(Operation *anchor, LoweringAttr lowering,
                                                   ArrayRef<EmitterInfo> emitters) {
  SmallVector<StringRef> names;
  for (const EmitterInfo &emitter : emitters) {
    if (!emitter.writes(anchor))
      continue;
    if (emitter.name == lowering.getEmitter())
      return emitter.create(anchor, lowering);
    names.push_back(emitter.name);
  }
  InFlightDiagnostic error = anchor->emitError("the target has no emitter \"")
                             << lowering.getEmitter() << "\" for this";
  if (!names.empty())
    error << choices(lowering.getEmitter(), names);
  return nullptr;
}
