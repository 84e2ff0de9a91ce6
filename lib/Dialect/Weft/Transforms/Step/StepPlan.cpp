//===- StepPlan.cpp - what a step computes --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StepPlan.h"

using namespace mlir;
using namespace weft;

void Demand::add(Form form) {
  (form == Form::Whole  ? whole
   : form == Form::Rows ? rows
   : form == Form::Last ? last
                        : full) = true;
}

void Demand::join(const Demand &other) {
  if (other.hasRows())
    rowDim = other.rowDim;
  rows |= other.rows;
  last |= other.last;
  full |= other.full;
  whole |= other.whole;
  start |= other.start;
  reach = std::max(reach, other.reach);
}

bool Demand::operator<(const Demand &other) const {
  auto key = [](const Demand &demand) {
    return std::make_tuple(demand.rows, demand.last, demand.full, demand.whole, demand.start,
                           demand.rowDim, demand.reach);
  };
  return key(*this) < key(other);
}

void Demand::forEachForm(function_ref<void(Form)> visit) const {
  if (whole)
    visit(Form::Whole);
  if (rows)
    visit(Form::Rows);
  if (last)
    visit(Form::Last);
  if (full)
    visit(Form::Full);
}

void ReadRange::add(int64_t from, int64_t to) {
  first = std::min(first, from);
  last = std::max(last, to);
}

bool StepPlan::ownsCache(Value value) const {
  return isFresh(value) && getDemand(value).full && (isEntry() || !isa<BlockArgument>(value));
}

std::optional<Refusal> StepPlan::need(Operation *op, Value value, const Demand &demand) {
  Demand &known = demands[value];
  if (known.hasRows() && demand.hasRows() && known.rowDim != demand.rowDim)
    return Refusal{op->getLoc(),
                   nameOfFormula(op) + " needs new positions along two dimensions of one tensor"};
  known.join(demand);
  return std::nullopt;
}

void StepPlan::addExtents(Value cached, AffineMap coordinates) {
  auto type = cast<RankedTensorType>(cached.getType());
  SmallVector<ReadRange> &dims = extents[cached];
  dims.resize(type.getRank());
  for (auto [i, extent] : llvm::enumerate(dims)) {
    auto constant =
        coordinates ? dyn_cast<AffineConstantExpr>(coordinates.getResult(i)) : AffineConstantExpr();
    if (constant)
      extent.add(constant.getValue(), constant.getValue());
    else
      extent.add(0, getBound(type, i) - 1);
  }
}
