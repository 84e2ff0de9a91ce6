//===- AssignLowering.cpp - choose how every kernel becomes loops ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Choosers.h"
#include "Emitters.h"

#include "weft/Codegen/CPU/Passes.h"
#include "weft/Codegen/Common/RowSchedules.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

namespace weft {
#define GEN_PASS_DEF_ASSIGNLOWERING
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

template <typename Op, LoweringAttr (*function)(Op, const CodeGoals &)>
static LoweringAttr choose(Operation *anchor, const CodeGoals &goals) {
  return function(cast<Op>(anchor), goals);
}

/// Who chooses the schedule of which emitter; the preferred emitter of an op first.
static constexpr struct {
  StringLiteral emitter;
  LoweringAttr (*choose)(Operation *anchor, const CodeGoals &goals);
} choosers[] = {
    {emitters::gemm, choose<ContractOp, chooseGemm>},
    {emitters::contract, choose<ContractOp, chooseContract>},
    {emitters::attention, choose<AttentionOp, chooseAttention>},
    {emitters::transpose, choose<MapOp, chooseTranspose>},
    {emitters::map, choose<MapOp, chooseMap>},
    {emitters::running, choose<ReduceOp, chooseRunning>},
    {emitters::reduce, choose<ReduceOp, chooseReduce>},
    {emitters::argtop, choose<ReduceOp, chooseArgTop>},
    {emitters::softmax, choose<SoftmaxOp, chooseSoftmax>},
    {emitters::row, choose<RowOp, chooseRow>},
    {emitters::check, choose<CheckOp, chooseCheck>},
};

static bool canWrite(StringRef emitter, Operation *anchor) {
  return llvm::any_of(getCPUEmitters(), [&](const EmitterInfo &info) {
    return info.name == emitter && info.writes(anchor);
  });
}

/// The schedule for this emitter, or for the first that can write the anchor; null if there is
/// none.
static LoweringAttr choose(Operation *anchor, StringRef emitter, const CodeGoals &goals) {
  for (const auto &chooser : choosers)
    if ((emitter.empty() || emitter == chooser.emitter) && canWrite(chooser.emitter, anchor))
      if (LoweringAttr lowering = chooser.choose(anchor, goals))
        return lowering;
  return {};
}

/// What is given, and for the fields that it lacks the choice for the lanes and tasks that it has.
static LoweringAttr complete(Operation *anchor, LoweringAttr given, const CodeGoals &goals) {
  CodeGoals wanted = goals;
  // What is wrong with these fields is said when all of them are read.
  ScheduleReader reader(given);
  std::optional<int64_t> width;
  reader("width", width);
  reader("parallel", wanted.parallel);
  if (width && isVectorWidth(*width))
    wanted.width = *width;
  LoweringAttr chosen = choose(anchor, given.getEmitter(), wanted);
  if (!chosen) // not with so many lanes
    chosen = choose(anchor, given.getEmitter(), goals);
  if (!chosen)
    return given;
  return completeLowering(given, chosen);
}

/// The bytes of the weights that an entry has at most.
static int64_t countWeights(ModuleOp module) {
  int64_t most = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    int64_t bytes = 0;
    function.walk([&](WeightOp weight) {
      if (auto type = dyn_cast<MemRefType>(weight.getType()))
        bytes += getLargestBytes(type, BoundsAttr()).value_or(0);
    });
    most = std::max(most, bytes);
  }
  return most;
}

namespace {

struct AssignLoweringPass : weft::impl::AssignLoweringBase<AssignLoweringPass> {
  using AssignLoweringBase::AssignLoweringBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    BufferBytes buffers(module);
    CodeGoals goals{
        width, registers, l2,     countWeights(module), /*parallel=*/threads != 1, tiles, dots,
        words, fetchRows, buffers};
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!attrs::Kernel::isOn(function))
        continue;
      for (Operation &op : function.getBody().front())
        if (isa<IndexedOpInterface>(op) && failed(assign(&op, goals)))
          return signalPassFailure();
      if (!function.getOps<LocalOp>().empty() && !createGemmChainEmitter(findAnchors(function)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult assign(Operation *anchor, const CodeGoals &goals) {
    auto given = attrs::Lowering::get(anchor);
    LoweringAttr lowering = given ? complete(anchor, given, goals) : choose(anchor, "", goals);
    if (!lowering)
      return anchor->emitError("no emitter of the target writes this");
    attrs::Lowering::set(anchor, lowering);
    std::unique_ptr<KernelEmitter> emitter = createEmitter(anchor, getCPUEmitters());
    if (emitter && emitter->isParallel() && threads == 1)
      return anchor->emitError("lowering \"")
             << lowering.getEmitter() << "\": 'parallel' is true, expected false with one thread";
    auto product = dyn_cast<ContractOp>(anchor);
    if (emitter && product && failed(verifyPaddedRows(product, lowering, goals.buffers)))
      return failure();
    return success(emitter != nullptr);
  }
};

} // namespace
