//===- AttentionRows.cpp - the rows of an attention --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/AttentionRows.h"

using namespace mlir;
using namespace weft;

Lanes AttentionRows::getCount() {
  Lanes queries =
      roles.query ? kernel.getExtent(lanes, formula.getIndexAttr(*roles.query)) : lanes.constant(1);
  return lanes.mul(queries, lanes.constant(roles.groupSize));
}

SmallVector<Lanes> AttentionRows::getOuterExtents() {
  SmallVector<Lanes> extents;
  for (unsigned position : roles.outer) {
    Lanes extent = kernel.getExtent(lanes, formula.getIndexAttr(position));
    extents.push_back(roles.group == position ? lanes.floorDiv(extent, roles.groupSize) : extent);
  }
  return extents;
}

SmallVector<Lanes> AttentionRows::getOuterIndices(ArrayRef<Lanes> values) {
  SmallVector<Lanes> indices(formula.getNumIndices());
  for (auto [position, value] : llvm::zip_equal(roles.outer, values))
    indices[position] =
        roles.group == position ? lanes.mul(value, lanes.constant(roles.groupSize)) : value;
  return indices;
}

SmallVector<Lanes> AttentionRows::getIndices(ArrayRef<Lanes> outer, const Lanes &row) {
  SmallVector<Lanes> indices(outer);
  Lanes total = getCount(), last = lanes.sub(total, lanes.constant(1));
  Lanes number = lanes.min(row, last);
  number.interval = {0, total.interval.max - 1};
  if (roles.group) {
    Lanes &member = indices[*roles.group];
    member = lanes.add(member, lanes.mod(number, roles.groupSize));
    number = lanes.floorDiv(number, roles.groupSize);
  }
  if (roles.query)
    indices[*roles.query] = number;
  return indices;
}
