//===- AttentionPanels.cpp - keys and values that another kernel has packed -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Keys are the columns of scores, `[keys / nr][contracted][nr]`, values those of results,
// `[columns / nr][keys][nr]`: with nr columns of a register tile, tiles walk through them where
// they lie. There is nothing behind the last key, so the product with values ends there.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"

#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

bool AttentionPlan::liesInPanels(AttentionOp op, unsigned input, ArrayRef<unsigned> k,
                                 ArrayRef<unsigned> n) const {
  LayoutAttr layout = getLayout(op.getInputs()[input].getType());
  return layout && isStoredAsComputed(op.getInputs()[input]) && layout.getKr() == 1 &&
         layout.getNr() == 2 * width && getDimsReadBy(op, input, k) == layout.getK() &&
         getDimsReadBy(op, input, n) == layout.getN();
}

void AttentionPlan::findPanels(AttentionOp op) {
  unsigned key = op.getKeyIndex();
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    keysInPanels.push_back(!cut && liesInPanels(op, 2 * dot + 1, contracted[dot], key));
  valuesInPanels = !cut && liesInPanels(op, 2 * op.getDots(), key, columns);
}

/// The first element of the head's matrix.
Value AttentionTask::getPanels(unsigned input) {
  Lanes zero = lanes.constant(0);
  SmallVector<Lanes> indices = state.indices;
  for (unsigned position = 0; position != indices.size(); ++position)
    if (!indices[position].value) // of keys, contracted elements and columns
      indices[position] = zero;
  SmallVector<Lanes> coordinates = lanes.apply(formula.getInputMap(input), indices);
  const Buffer &source = kernel.getBuffer(op.getInputs()[input]);
  return addElements(lanes, source.pointer, getOffset(lanes, source, coordinates));
}

void AttentionTask::findPanels() {
  for (unsigned dot = 0; dot != op.getDots(); ++dot)
    if (plan.keysInPanels[dot])
      state.keys[dot] = getPanels(2 * dot + 1);
  if (plan.valuesInPanels)
    state.values = getPanels(2 * op.getDots());
}

void AttentionTask::setKeyPanel(TileFactors &factors, unsigned dot, const Lanes &block, Value key) {
  factors.numVectors = 2;
  if (!plan.keysInPanels[dot]) {
    factors.panel = addElements(lanes, state.keys[dot], lanes.uniform(key));
    factors.panelStride = plan.blockKeys;
    return;
  }
  // A panel of nr keys has nr elements for each contracted one: as many as keys before it.
  Lanes before = lanes.add(block, lanes.uniform(key));
  factors.panel =
      addElements(lanes, state.keys[dot], lanes.mul(before, lanes.constant(plan.sizeC[dot])));
  factors.panelStride = 2 * lanes.width;
}

void AttentionTask::setValuePanel(TileFactors &factors, const Lanes &block, Value column,
                                  int64_t numVectors) {
  factors.numVectors = numVectors;
  if (!plan.valuesInPanels) {
    factors.panel = addElements(lanes, state.values, lanes.uniform(column));
    factors.panelStride = plan.sliceV;
    return;
  }
  int64_t nr = 2 * lanes.width;
  Lanes first = lanes.uniform(column, {0, plan.sliceV}, lanes.width);
  Lanes panel = lanes.mul(lanes.floorDiv(first, nr), state.numKeys);
  Lanes row = lanes.mul(lanes.add(panel, block), lanes.constant(nr));
  factors.panel = addElements(lanes, state.values, lanes.add(row, lanes.mod(first, nr)));
  factors.panelStride = nr;
}

Lanes AttentionTask::getSummedKeys(const Tile &tile, const Lanes &block) {
  bool isPacked = !plan.valuesInPanels && !tile.inPlace;
  return isPacked ? tile.keys : lanes.min(tile.keys, lanes.sub(state.numKeys, block));
}
