//===- FuseMask.cpp - weft-fuse-mask --------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Whatever way a mask is written, it ends as a predicate: of that, the part that is affine in the
// positions becomes the interval of keys a query can see. Keys outside are never visited.
//
//===----------------------------------------------------------------------------------------===//

#include "KeyMasks.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_FUSEMASKPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Turns affine conjuncts of the predicate into the key interval. Returns how many.
static unsigned splitInterval(AttentionOp op) {
  if (op.getPredicate().empty())
    return 0;
  Operation *yield = op.getPredicate().front().getTerminator();
  SmallVector<Conjunct> conjuncts, residual;
  collectConjuncts(yield->getOperand(0), false, conjuncts);
  IndexInterval interval(op.getContext(), op.getKeyIndex(), op.getNumOutputIndices());
  interval.start(op.getKeyLowerAttr(), op.getKeyUpperAttr(), op.getBoundSymbolsAttr());
  for (Conjunct conjunct : conjuncts)
    if (!interval.add(conjunct))
      residual.push_back(conjunct);
  unsigned numSplit = conjuncts.size() - residual.size();
  if (numSplit) {
    op.setKeyLowerAttr(interval.getLower());
    op.setKeyUpperAttr(interval.getUpper());
    op.setBoundSymbolsAttr(interval.getSymbols());
  }
  if (residual.empty()) {
    op.getPredicate().getBlocks().clear();
    return numSplit;
  }
  OpBuilder builder(yield);
  Value all;
  for (Conjunct conjunct : residual) {
    Value value = conjunct.condition;
    if (conjunct.negated)
      value = arith::XOrIOp::create(
          builder, op.getLoc(), value,
          arith::ConstantOp::create(builder, op.getLoc(), builder.getBoolAttr(true)));
    all = all ? arith::AndIOp::create(builder, op.getLoc(), all, value) : value;
  }
  if (numSplit)
    yield->setOperand(0, all);
  eraseDeadCode(op.getPredicate());
  return numSplit;
}

namespace {
class FuseMaskPass : public weft::impl::FuseMaskPassBase<FuseMaskPass> {
public:
  using FuseMaskPassBase::FuseMaskPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](AttentionOp op) {
      numMasks += moveMasks(op, threshold);
      numIntervals += splitInterval(op);
      eraseDeadCode(op.getScore());
    });
  }
};
} // namespace
