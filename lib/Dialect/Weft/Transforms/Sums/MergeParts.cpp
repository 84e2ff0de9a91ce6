//===- MergeParts.cpp - weft-merge-parts ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `m[t] = max(s) sum(c) q[t, c] * k[s, c]` and `e[t, s] = exp(sum(d) q[t, d] * k[s, d] - m[t])`
// have the same sum, which the text does not name: it is computed once, whatever its index is
// called.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_MERGEPARTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Whether the text has no name for what the formula computes, "score.sum", for pairs of positions:
/// other sums are products with what follows them.
static bool isPart(FormulaOpInterface op) {
  StringAttr label = attrs::Label::get(op);
  llvm::SmallBitVector output(op.getNumIndices());
  output.set(0, op.getNumOutputIndices());
  return label && symbolizeReduceKind(label.getValue().rsplit('.').second) &&
         hasTwoPositions(op, output);
}

/// The attributes that say what is computed.
static SmallVector<NamedAttribute> getMeaning(FormulaOpInterface op) {
  SmallVector<NamedAttribute> attributes(op->getAttrs());
  llvm::erase_if(attributes, [](NamedAttribute attribute) {
    return attribute.getName() == "indices" || attribute.getName() == attrs::Label::name;
  });
  return attributes;
}

static bool areEqual(FormulaOpInterface a, FormulaOpInterface b) {
  return a->getName() == b->getName() && a->getOperands() == b->getOperands() &&
         a->getResultTypes() == b->getResultTypes() &&
         llvm::equal(a.getIndexList(), b.getIndexList(), haveSameRange) &&
         getMeaning(a) == getMeaning(b) &&
         llvm::all_of_zip(a->getRegions(), b->getRegions(), [](Region &x, Region &y) {
           return OperationEquivalence::isRegionEquivalentTo(&x, &y,
                                                             OperationEquivalence::IgnoreLocations);
         });
}

namespace {
class MergePartsPass : public weft::impl::MergePartsPassBase<MergePartsPass> {
public:
  using MergePartsPassBase::MergePartsPassBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      llvm::DenseMap<llvm::hash_code, SmallVector<FormulaOpInterface>> known;
      for (Operation &op : llvm::make_early_inc_range(block))
        if (auto formula = dyn_cast<FormulaOpInterface>(op))
          merge(formula, known[hash(formula)]);
    }
  }

private:
  static llvm::hash_code hash(FormulaOpInterface op) {
    return llvm::hash_combine(op->getName(),
                              llvm::hash_combine_range(op->operand_begin(), op->operand_end()));
  }

  void merge(FormulaOpInterface op, SmallVectorImpl<FormulaOpInterface> &earlier) {
    auto *equal = llvm::find_if(
        earlier, [&](FormulaOpInterface other) { return isPart(op) && areEqual(other, op); });
    if (equal == earlier.end()) {
      earlier.push_back(op);
      return;
    }
    op->replaceAllUsesWith((*equal)->getResults());
    op->erase();
    ++numMerged;
  }
};
} // namespace
