//===- ExplainPairs.cpp - weft-explain-pairs ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The n x n tensors that no fusion removed say so: silence would look like success.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionScore.h"
#include "PositionPairs.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/Iterators.h"

namespace weft {
#define GEN_PASS_DEF_EXPLAINPAIRSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Why the pairs of `value` are needed; empty if a reader has told already.
static StringRef findReason(Value value) {
  if (value.use_empty())
    return "nothing uses it";
  if (llvm::all_of(value.getUsers(), llvm::IsaPred<AttentionOp>))
    return "to compute it in every score that reads it would cost more";
  StringRef reason = "no formula that sums over its keys is all that uses it";
  for (Operation *user : value.getUsers()) {
    if (attrs::UnfusedReason::isOn(user))
      return "";
    if (isa<func::CallOp>(user))
      reason = "it is an argument of a layer";
    if (isa<func::ReturnOp>(user))
      reason = "it is a result of the function";
  }
  return reason;
}

namespace {
class ExplainPairsPass : public weft::impl::ExplainPairsPassBase<ExplainPairsPass> {
public:
  using ExplainPairsPassBase::ExplainPairsPassBase;

  void runOnOperation() override {
    PositionPairs pairs;
    // Readers before what they read: a chain has one reason, at its end.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>([&](FormulaOpInterface op) {
      if (attrs::UnfusedReason::isOn(op) || !pairs.contain(op->getResult(0)))
        return;
      StringRef why = findReason(op->getResult(0));
      ++numExplained;
      if (remarks && !why.empty())
        op->emitRemark() << getLabel(op) << " stays a tensor of position pairs: " << why;
      attrs::UnfusedReason::set(op, why.empty() ? "its reader is not fused" : why);
    });
  }
};
} // namespace
