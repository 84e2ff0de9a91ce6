//===- ReductionPlan.cpp - which loop of a reduction goes where -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/ReductionPlan.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"
#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

bool weft::isReadAgain(FormulaOpInterface op, unsigned position, unsigned row) {
  return llvm::any_of(getReadIndices(op, getNumFactors(op)), [&](const ReadIndices &access) {
    return access.direct[position] && !access.direct[row];
  });
}

ReductionPlan::ReductionPlan(FormulaOpInterface op, const ReductionSchedule &schedule)
    : rows(getStoredOrder(op)), width(schedule.width), tile(schedule.tile),
      across(schedule.across.value_or(1)) {
  if (across > 1)
    acrossIndex = rows[rows.size() - 2];
  for (unsigned i = op.getNumOutputIndices(); i != op.getNumIndices(); ++i)
    if (op.isReduced(i))
      reduced.push_back(i);
  work = getBoundProduct(op.getIndices(), reduced) * across;
  if (schedule.lane) {
    lane = *schedule.lane;
    alongReduced = lane >= op.getNumOutputIndices();
    alongOutput = !alongReduced;
  }
  if (alongReduced)
    reduced.erase(llvm::find(reduced, lane));
  if (tile == 1 && alongOutput) {
    work *= op.getIndexAttr(rows.pop_back_val()).getSize();
  } else if (tile > 1) {
    work *= getTileSize();
    unsigned last = rows.pop_back_val();
    SmallVector<unsigned> inside;
    if (schedule.tilesOutside)
      llvm::erase_if(rows, [&](unsigned row) {
        bool isInside = isReadAgain(op, last, row);
        if (isInside)
          inside.push_back(row);
        return isInside;
      });
    rows.push_back(last);
    llvm::append_range(rows, inside);
  }
}
