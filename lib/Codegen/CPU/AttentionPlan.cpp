//===- AttentionPlan.cpp - the roles of the indices of an attention -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionPlan.h"
#include "IndexLoops.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// f32 elements that one packed block, or the block of results, may take of the stack.
static constexpr int64_t kBlockElements = 24 << 10;

static bool regionUses(Region &region, unsigned position) {
  return region
      .walk([&](IndexOp index) {
        return index.getPosition() == position ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the weight of a key depends on the index.
static bool weightDependsOn(AttentionOp op, unsigned position) {
  FormulaOpInterface formula = op;
  auto uses = [&](unsigned input) { return formula.getInputMap(input).isFunctionOfDim(position); };
  for (unsigned i = 0, e = op.getInputs().size(); i != e; ++i)
    if (i != 2 * op.getDots() && uses(i))
      return true;
  auto boundUses = [&](std::optional<AffineMap> map) {
    return map && position < map->getNumDims() && map->isFunctionOfDim(position);
  };
  return boundUses(op.getKeyLower()) || boundUses(op.getKeyUpper()) ||
         regionUses(op.getScore(), position) || regionUses(op.getPredicate(), position);
}

/// Whether keys or values differ for different values of the index.
static bool keysDependOn(AttentionOp op, unsigned position) {
  FormulaOpInterface formula = op;
  for (unsigned i = 0; i != op.getDots(); ++i)
    if (formula.getInputMap(2 * i + 1).isFunctionOfDim(position))
      return true;
  return formula.getInputMap(2 * op.getDots()).isFunctionOfDim(position);
}

AttentionPlan::AttentionPlan(AttentionOp op, LoweringAttr lowering) : width(lowering.getWidth()) {
  FormulaOpInterface formula = op;
  AffineMap valueMap = formula.getInputMap(2 * op.getDots());
  int64_t largest = 0;
  for (unsigned position : getStoredOrder(formula)) {
    if (valueMap.isFunctionOfDim(position) && !weightDependsOn(op, position)) {
      columns.push_back(position);
      continue;
    }
    outer.push_back(position);
    int64_t size = formula.getIndexAttr(position).getSize();
    if (!keysDependOn(op, position) && size > largest) {
      query = position;
      largest = size;
    }
  }
  if (query)
    outer.erase(llvm::find(outer, *query));
  for (unsigned i = 0; i != op.getDots(); ++i) {
    SmallVector<unsigned> &indices = contracted.emplace_back();
    for (unsigned c = op.getKeyIndex() + 1; c != formula.getNumIndices(); ++c)
      if (formula.getInputMap(2 * i).isFunctionOfDim(c) ||
          formula.getInputMap(2 * i + 1).isFunctionOfDim(c))
        indices.push_back(c);
    sizeC.push_back(getBoundProduct(op.getIndices(), indices));
  }
  sizeV = getBoundProduct(op.getIndices(), columns);
  paddedV = llvm::alignTo(sizeV, width);
  normalized = op.getNormalizer() == Normalizer::Softmax;
  Block &score = op.getScore().front();
  plainScore = op.getDots() == 1 && score.getTerminator()->getOperand(0) == score.getArgument(0) &&
               score.without_terminator().empty();

  ArrayRef<int64_t> tile = lowering.getTile();
  tileRows = query ? std::min<int64_t>(tile[2], llvm::PowerOf2Ceil(largest)) : 1;
  blockRows = query ? std::min(tile[0], largest) : 1;
  int64_t widest = paddedV;
  for (int64_t size : sizeC)
    widest = std::max(widest, size);
  blockRows = std::min(blockRows, std::max<int64_t>(1, kBlockElements / widest));
  blockRows = llvm::alignTo(blockRows, tileRows);
  int64_t keys = formula.getIndexAttr(op.getKeyIndex()).getSize();
  blockKeys = std::min({tile[1], keys, kBlockElements / widest});
  blockKeys = llvm::alignTo(std::max<int64_t>(blockKeys, 1), 2 * width);
}
