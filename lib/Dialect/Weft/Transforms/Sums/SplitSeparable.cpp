//===- SplitSeparable.cpp - weft-split-separable --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What depends on the query alone or on the key alone leaves the loop over pairs. See Separable.h
// for the steps.
//
//===----------------------------------------------------------------------------------------===//

#include "Separable.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_SPLITSEPARABLEPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
class SplitSeparablePass : public weft::impl::SplitSeparablePassBase<SplitSeparablePass> {
public:
  using SplitSeparablePassBase::SplitSeparablePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    splitSums(rewriter);
    // A part may have parts of its own: the frequencies in the angles of a rotation.
    for (unsigned hoisted = 1; hoisted; numHoisted += hoisted) {
      hoisted = 0;
      for (FormulaOpInterface formula : getFormulas())
        hoisted += hoistInvariants(rewriter, formula);
    }
    // Producers first: a reader may lose the index that what it reads has lost.
    for (FormulaOpInterface formula : getFormulas())
      while (dropUnusedIndex(rewriter, formula))
        ++numDropped;
  }

private:
  SmallVector<FormulaOpInterface> getFormulas() {
    SmallVector<FormulaOpInterface> formulas;
    getOperation()->walk([&](FormulaOpInterface op) { formulas.push_back(op); });
    return formulas;
  }

  SmallVector<ReduceOp> getSums() {
    SmallVector<ReduceOp> sums;
    getOperation()->walk([&](ReduceOp op) { sums.push_back(op); });
    return sums;
  }

  void splitSums(RewriterBase &rewriter) {
    // Once, as splitting may make sums of sums again.
    for (ReduceOp sum : getSums())
      numMerged += mergeSums(rewriter, sum);
    SmallVector<ReduceOp> sums = getSums();
    // The list grows by the sums that splitting makes, which may be split again.
    for (size_t i = 0; i != sums.size(); ++i)
      if (splitTerms(rewriter, sums[i], sums) || splitFactors(rewriter, sums[i], sums))
        ++numSplit;
    for (ReduceOp sum : getSums())
      numLookedUp += lookUpSum(rewriter, sum);
  }
};
} // namespace
