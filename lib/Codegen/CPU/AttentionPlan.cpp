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
  assignIndices(op);
  sizeV = getBoundProduct(op.getIndices(), columns);
  for (ArrayRef<unsigned> indices : contracted)
    sizeC.push_back(getBoundProduct(op.getIndices(), indices));
  normalized = op.getNormalizer() == Normalizer::Softmax;
  Block &score = op.getScore().front();
  plainScore = op.getDots() == 1 && score.getTerminator()->getOperand(0) == score.getArgument(0) &&
               score.without_terminator().empty();
  chooseBlocks(lowering.getTile(), query ? formula.getIndexAttr(*query).getSize() : 1,
               formula.getIndexAttr(op.getKeyIndex()).getSize());
}

void AttentionPlan::assignIndices(AttentionOp op) {
  FormulaOpInterface formula = op;
  AffineMap valueMap = formula.getInputMap(2 * op.getDots());
  int64_t largest = 0;
  for (unsigned position : getStoredOrder(formula)) {
    // Blocks hold all columns: their number is fixed.
    if (valueMap.isFunctionOfDim(position) && !weightDependsOn(op, position) &&
        !formula.getIndexAttr(position).getDynamic()) {
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
  }
}

void AttentionPlan::chooseBlocks(ArrayRef<int64_t> tile, int64_t numQueries, int64_t numKeys) {
  tileRows = query ? std::min<int64_t>(tile[2], llvm::PowerOf2Ceil(numQueries)) : 1;
  auto setBlocks = [&](int64_t most) {
    blockRows = std::min({query ? tile[0] : 1, numQueries, most});
    blockRows = llvm::alignTo(std::max<int64_t>(blockRows, 1), tileRows);
    blockKeys = std::min({tile[1], numKeys, most});
    blockKeys = llvm::alignTo(std::max<int64_t>(blockKeys, 1), 2 * width);
  };
  sliceC = sizeC;
  sliceV = llvm::alignTo(sizeV, width);
  heldRows = tileRows;
  int64_t widest = sliceV;
  for (int64_t size : sizeC)
    widest = std::max(widest, size);
  setBlocks(kBlockElements / widest);
  if (widest <= kBlockElements && getStackBytes() <= kTaskStack)
    return;
  setBlocks(INT64_MAX);
  cutHead();
}

/// The size of the slices of something, all about as long.
static int64_t getSlice(int64_t size, int64_t longest, int64_t multiple) {
  return llvm::alignTo(llvm::divideCeil(size, llvm::divideCeil(size, longest)), multiple);
}

void AttentionPlan::cutHead() {
  cut = true;
  heldRows = blockRows;
  sliceC.assign(sizeC.size(), 0);
  sliceV = 0;
  // What is not for slices are mostly scores: half of the stack at most.
  while (getStackBytes() > kTaskStack / 2 && (blockRows > tileRows || blockKeys > 2 * width)) {
    bool fewerRows = blockRows > tileRows && (blockRows >= blockKeys || blockKeys == 2 * width);
    if (fewerRows)
      heldRows = blockRows = llvm::alignTo(blockRows / 2, tileRows);
    else
      blockKeys = llvm::alignTo(blockKeys / 2, 2 * width);
  }
  int64_t left = (kTaskStack - getStackBytes()) / int64_t(sizeof(float));
  int64_t longest =
      llvm::alignDown(std::max<int64_t>(left, 0) / (blockRows + blockKeys), 2 * width);
  longest = std::max(longest, 2 * width);
  for (auto [slice, size] : llvm::zip(sliceC, sizeC))
    slice = getSlice(size, longest, 2 * width);
  sliceV = getSlice(sizeV, longest, 2 * width);
}

int64_t AttentionPlan::getStackBytes() const {
  // The slices of a head that is cut take turns in one place.
  int64_t wide = sliceV;
  for (int64_t size : sliceC)
    wide = cut ? std::max(wide, size) : wide + size;
  // Maximum, sum and two bounds of 64 bits of each row; scores and the scale of the rows kept.
  int64_t elements = blockRows * 6 + heldRows * (getNumScores() * blockKeys + 1);
  return (elements + (blockRows + blockKeys) * wide) * int64_t(sizeof(float));
}
