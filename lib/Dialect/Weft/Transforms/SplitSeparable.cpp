//===- SplitSeparable.cpp - weft-split-separable --------------------------------------------===//
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
    SmallVector<FormulaOpInterface> formulas;
    getOperation()->walk([&](FormulaOpInterface op) { formulas.push_back(op); });
    for (FormulaOpInterface formula : formulas)
      numHoisted += hoistInvariants(rewriter, formula);
    // Readers first: a formula may lose an index because its reader has.
    formulas.clear();
    getOperation()->walk([&](FormulaOpInterface op) { formulas.push_back(op); });
    for (FormulaOpInterface formula : formulas)
      while (dropUnusedIndex(rewriter, formula))
        ++numDropped;
  }

private:
  void splitSums(RewriterBase &rewriter) {
    SmallVector<ReduceOp> sums;
    getOperation()->walk([&](ReduceOp op) { sums.push_back(op); });
    // The list grows by the sums that splitting makes, which may be split again.
    for (size_t i = 0; i != sums.size(); ++i) {
      if (splitTerms(rewriter, sums[i], sums))
        ++numSplit;
      else if (splitFactors(rewriter, sums[i], sums))
        ++numSplit;
    }
  }
};
} // namespace
