//===- CanonicalizeAt.cpp - Reads that are inputs -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `weft.at` is for places that data decides. A read whose place is affine in the indices is an
// input of its formula, where the fusions look for it.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/AccessRange.h"
#include "weft/Dialect/Weft/IR/AffineValue.h"

using namespace mlir;
using namespace weft;

/// The coordinates of `op` as a map of the formula's indices; null if they are not affine.
static AffineMap coordinateMap(AtOp op, unsigned numIndices) {
  SmallVector<AffineExpr> results;
  for (Value coordinate : op.getCoordinates()) {
    results.push_back(getAffineExpr(coordinate));
    if (!results.back())
      return {};
  }
  return AffineMap::get(numIndices, 0, results, op.getContext());
}

static bool isProvenInRange(AffineMap map, ArrayRef<IndexAttr> indices, ShapedType type) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (!isProvenInRange(expr, indices, type, dim))
      return false;
  return true;
}

namespace {
/// A read at an affine place that is in range is an input of the formula.
struct ReadAsInput : OpRewritePattern<AtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AtOp op, PatternRewriter &rewriter) const override {
    auto formula = dyn_cast<FormulaOpInterface>(op->getParentOp());
    if (!formula || formula.hasBufferSemantics())
      return failure();
    auto indices = llvm::to_vector(formula.getIndices().getAsRange<IndexAttr>());
    AffineMap map = coordinateMap(op, indices.size());
    if (!map || !isProvenInRange(map, indices, cast<ShapedType>(op.getSource().getType())))
      return failure();
    rewriter.modifyOpInPlace(formula, [&] { formula.appendInput(op.getSource(), map); });
    rewriter.replaceOp(op, op->getBlock()->getArguments().back());
    return success();
  }
};
} // namespace

void AtOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReadAsInput>(context);
}
