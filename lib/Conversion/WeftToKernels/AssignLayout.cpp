//===- AssignLayout.cpp - the order in which dimensions are stored --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The chosen order of a tensor is written into its type; the maps and coordinates of all that make
// or read it follow.
//
//===----------------------------------------------------------------------------------------===//

#include "LayoutChooser.h"
#include "weft/Conversion/WeftToKernels/Passes.h"

namespace weft {
#define GEN_PASS_DEF_ASSIGNLAYOUT
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

static AffineMap permute(AffineMap map, ArrayRef<unsigned> order) {
  SmallVector<AffineExpr> results;
  for (unsigned i : order)
    results.push_back(map.getResult(i));
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

static void permuteReader(OpOperand &use, ArrayRef<unsigned> order) {
  if (auto at = dyn_cast<AtOp>(use.getOwner())) {
    SmallVector<Value> coordinates;
    for (unsigned i : order)
      coordinates.push_back(at.getCoordinates()[i]);
    at.getCoordinatesMutable().assign(coordinates);
    return;
  }
  unsigned input = use.getOperandNumber();
  if (auto reader = dyn_cast<IndexedOpInterface>(use.getOwner()))
    reader.setInputMap(input, permute(reader.getInputMap(input), order));
}

void weft::permuteValue(Value value, ArrayRef<unsigned> order) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<IndexAttr> indices = getIndicesOf(type), stored;
  for (unsigned i : order)
    stored.push_back(indices[i]);
  value.setType(getTensorType(stored, type.getElementType()));
  if (auto producer = value.getDefiningOp<FormulaOpInterface>()) {
    unsigned output = cast<OpResult>(value).getResultNumber();
    producer.setOutputIndexingMap(output, permute(producer.getOutputIndexingMap(output), order));
  }
  for (OpOperand &use : value.getUses())
    permuteReader(use, order);
}

namespace {

struct AssignLayoutPass : weft::impl::AssignLayoutBase<AssignLayoutPass> {
  void runOnOperation() override {
    TensorClasses classes(getOperation());
    SmallVector<DimensionOrder> orders = chooseLayouts(getOperation(), classes);
    for (unsigned id = 0; id != classes.size(); ++id) {
      ArrayRef<unsigned> order = orders[id];
      if (order.empty() || llvm::is_sorted(order))
        continue;
      ++numPermuted;
      for (Value value : classes.getMembers(id))
        permuteValue(value, order);
    }
    updateFunctionTypes(getOperation());
  }
};

} // namespace
