//===- AttentionPlan.cpp - the tiles of an attention ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionPlan.h"
#include "weft/Codegen/Common/Kernel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// f32 elements that one packed block, or the block of results, may take of the stack.
static constexpr int64_t kBlockElements = 24 << 10;

AttentionPlan::AttentionPlan(AttentionOp op, LoweringAttr lowering)
    : AttentionRoles(op), width(lowering.getWidth()) {
  FormulaOpInterface formula = op;
  findPanels(op);
  chooseBlocks(lowering.getTile(), query ? formula.getIndexAttr(*query).getSize() : 1,
               formula.getIndexAttr(op.getKeyIndex()).getSize());
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
  keysInPanels.assign(sizeC.size(), false);
  valuesInPanels = false;
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
  int64_t rowElements = sliceV, keyElements = valuesInPanels ? 0 : sliceV;
  for (auto [size, inPanels] : llvm::zip_equal(sliceC, keysInPanels)) {
    rowElements = cut ? std::max(rowElements, size) : rowElements + size;
    keyElements = cut ? rowElements : keyElements + (inPanels ? 0 : size);
  }
  // Maximum, sum and two bounds of 64 bits of each row; scores and the scale of the rows kept.
  int64_t elements = blockRows * 6 + heldRows * (getNumScores() * blockKeys + 1);
  return (elements + blockRows * rowElements + blockKeys * keyElements) * int64_t(sizeof(float));
}
