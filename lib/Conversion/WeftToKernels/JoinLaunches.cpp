//===- JoinLaunches.cpp - launches that do not depend on each other are one -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A launch goes up to the nearest one before it with which it can be one, past what it has no
// buffer in common with that either writes.
//
//===----------------------------------------------------------------------------------------===//

#include "LaunchPair.h"

#include "weft/Conversion/WeftToKernels/Passes.h"

namespace weft {
#define GEN_PASS_DEF_JOINLAUNCHES
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Formulas of a kernel, and steps that a launch goes past: buffers are alive for longer by these.
static constexpr size_t kMostFormulas = 4;
static constexpr unsigned kMostSteps = 16;

/// The memory that a buffer is a part of.
static Value getMemory(Value buffer) {
  auto slot = buffer.getDefiningOp<SlotOp>();
  return slot ? slot.getCache() : buffer;
}

/// Whether one of them writes memory that the other reads or writes. Of a call that may be all that
/// it is passed; a check says whether those behind it may run.
static bool areOrdered(LaunchOp launch, Operation *before) {
  auto other = dyn_cast<LaunchOp>(before);
  if (!other && getFunctionOfStep(before).empty())
    return false;
  if (other && other.getOutputs().empty())
    return true;
  ValueRange written = other ? ValueRange(other.getOutputs()) : before->getOperands();
  auto meet = [](ValueRange some, ValueRange others) {
    return llvm::any_of(some, [&](Value buffer) {
      return llvm::any_of(others, [&](Value one) { return getMemory(one) == getMemory(buffer); });
    });
  };
  return meet(launch->getOperands(), written) || meet(launch.getOutputs(), before->getOperands());
}

/// Products of one unit are alike, and maps, and rows.
static bool areAlike(FormulaOpInterface a, FormulaOpInterface b) {
  if (!isa<MapOp, ContractOp, RowOp>(a) || a->getName() != b->getName())
    return false;
  auto typeOf = [](FormulaOpInterface op, unsigned i) {
    return cast<ShapedType>(op.getInputs()[i].getType()).getElementType();
  };
  return !isa<ContractOp>(a) || (typeOf(a, 0) == typeOf(b, 0) && typeOf(a, 1) == typeOf(b, 1));
}

/// Of products, so that there are as many rows of each.
static bool haveOneFactor(LaunchPair &pair) {
  std::array<SmallVector<Value>, 2> factors;
  for (unsigned i : {0, 1}) {
    func::FuncOp kernel = pair.getKernels()[i];
    for (auto product : kernel.getOps<ContractOp>())
      for (Value factor : {product.getLhs(), product.getRhs()})
        factors[i].push_back(pair.getOperand(i, cast<BlockArgument>(factor)));
  }
  return factors[0].empty() || llvm::any_of(factors[0], [&](Value factor) {
           return llvm::is_contained(factors[1], factor);
         });
}

static bool canBeOne(LaunchPair &pair) {
  SmallVector<FormulaOpInterface> all;
  for (func::FuncOp kernel : pair.getKernels()) {
    if (!kernel || kernel.isExternal() || !kernel.getOps<LocalOp>().empty())
      return false;
    auto formulas = kernel.getOps<FormulaOpInterface>();
    if (formulas.empty()) // a check
      return false;
    llvm::append_range(all, formulas);
  }
  bool areAllAlike = all.size() <= kMostFormulas && llvm::all_of(all, [&](FormulaOpInterface op) {
                       return areAlike(all.front(), op);
                     });
  return areAllAlike && haveOneFactor(pair) && pair.haveOneSize();
}

namespace {

class JoinLaunchesPass : public weft::impl::JoinLaunchesBase<JoinLaunchesPass> {
public:
  using JoinLaunchesBase::JoinLaunchesBase;

  void runOnOperation() override {
    JoinedKernels kernels(getOperation());
    for (func::FuncOp caller : kernels.getCallers())
      for (auto launch : llvm::to_vector(caller.getOps<LaunchOp>()))
        moveUp(launch, kernels);
    kernels.dropUnused();
  }

private:
  void moveUp(LaunchOp launch, JoinedKernels &kernels) {
    unsigned steps = 0;
    for (Operation *op = launch->getPrevNode(); op && steps != kMostSteps; op = op->getPrevNode()) {
      if (areOrdered(launch, op))
        return;
      steps += !getFunctionOfStep(op).empty();
      auto other = dyn_cast<LaunchOp>(op);
      if (!other)
        continue;
      LaunchPair pair(other, launch, kernels.getFunctions(), kernels.getSymbols());
      if (!canBeOne(pair))
        continue;
      kernels.join(pair);
      ++numJoined;
      return;
    }
  }
};

} // namespace
