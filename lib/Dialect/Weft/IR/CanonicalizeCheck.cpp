//===- CanonicalizeCheck.cpp - Checks that say nothing new ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Formulas that read through the elements of one tensor (`e[ids[t]]`, `e[ids[t - 1]]`) bring a
// check each. Where one of them is about every element, the others say less.
//
//===----------------------------------------------------------------------------------------===//

#include "Canonicalize.h"

#include "weft/Dialect/Weft/IR/AccessRange.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

namespace {
/// What a check says: an element of a tensor is below a bound, if the check asks for it.
struct Claim {
  Value tensor;
  AffineMap map; ///< null if the element's place is computed
  std::optional<int64_t> bound;
  StringRef symbol; ///< of a bound at run time
  bool isConditional = false;

  bool hasBoundOf(const Claim &other) const {
    return bound == other.bound && symbol == other.symbol;
  }
};
} // namespace

/// `element < bound`, or that it is so or a condition fails.
static std::optional<Claim> getClaim(CheckOp check) {
  Claim claim;
  Value value = check.getBody().front().getTerminator()->getOperand(0);
  while (auto choice = value.getDefiningOp<arith::OrIOp>()) {
    claim.isConditional = true;
    value = choice.getLhs();
  }
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
    return std::nullopt;
  APInt bound;
  if (matchPattern(compare.getRhs(), m_ConstantInt(&bound)))
    claim.bound = bound.getSExtValue();
  else if (auto size = compare.getRhs().getDefiningOp<SizeOp>())
    claim.symbol = size.getSymbol();
  else
    return std::nullopt;
  auto cast = compare.getLhs().getDefiningOp<arith::IndexCastOp>();
  Value element = cast ? cast.getIn() : Value();
  if (auto argument = dyn_cast_or_null<BlockArgument>(element)) {
    unsigned input = argument.getArgNumber();
    claim.tensor = check.getInputs()[input];
    claim.map = check.getInputMap(input);
    return claim;
  }
  auto at = element ? element.getDefiningOp<AtOp>() : AtOp();
  if (!at)
    return std::nullopt;
  claim.tensor = at.getSource(); // 0 outside of it, and 0 is below every bound
  return claim;
}

/// Whether `claim` is about every element of its tensor.
static bool isWhole(CheckOp check, const Claim &claim) {
  auto type = dyn_cast<RankedTensorType>(claim.tensor.getType());
  if (claim.isConditional || !claim.map || !type)
    return false;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, expr] : llvm::enumerate(claim.map.getResults())) {
    auto position = dyn_cast<AffineDimExpr>(expr);
    if (!position || !seen.insert(position.getPosition()).second)
      return false;
    IndexAttr index = check.getIndexAttr(position.getPosition());
    bool isAll = type.isDynamicDim(dim)
                     ? index.getDynamic() && index.getDim() == getSymbol(type, dim)
                     : !index.getDynamic() && index.getSize() == type.getDimSize(dim);
    if (!isAll)
      return false;
  }
  return true;
}

bool weft::isCheckedBelow(Value tensor, int64_t bound) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
    auto check = dyn_cast<CheckOp>(user);
    std::optional<Claim> claim = check ? getClaim(check) : std::nullopt;
    return claim && claim->tensor == tensor && claim->bound && *claim->bound <= bound &&
           isWhole(check, *claim);
  });
}

namespace {
struct DropImpliedCheck : OpRewritePattern<CheckOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CheckOp op, PatternRewriter &rewriter) const override {
    std::optional<Claim> claim = getClaim(op);
    if (!claim)
      return failure();
    bool isOneOfAll = isWhole(op, *claim);
    for (Operation *user : claim->tensor.getUsers()) {
      auto other = dyn_cast<CheckOp>(user);
      if (!other || other == op || other->getBlock() != op->getBlock())
        continue;
      std::optional<Claim> wider = getClaim(other);
      // Of two equal checks the first one stays.
      if (!wider || wider->tensor != claim->tensor || !wider->hasBoundOf(*claim) ||
          !isWhole(other, *wider) || (isOneOfAll && op->isBeforeInBlock(other)))
        continue;
      rewriter.eraseOp(op);
      return success();
    }
    return failure();
  }
};
} // namespace

void weft::addCheckPatterns(RewritePatternSet &patterns) {
  patterns.add<DropImpliedCheck>(patterns.getContext());
}
