//===- DecodeRows.cpp - the rows of few queries, and what is written of them ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DecodeTask.h"

#include "SharedMemory.h"

#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

SmallVector<Lanes> DecodeRows::getExtents() {
  SmallVector<Lanes> extents;
  for (unsigned position : plan.roles.outer) {
    Lanes extent = kernel.getExtent(lanes, formula.getIndexAttr(position));
    bool isGroup = plan.roles.group == position;
    extents.push_back(isGroup ? lanes.floorDiv(extent, plan.schedule.heads) : extent);
  }
  if (plan.roles.query)
    extents.push_back(kernel.getExtent(lanes, formula.getIndexAttr(*plan.roles.query)));
  return extents;
}

Lanes DecodeRows::getNumGroups() {
  Lanes total = lanes.constant(1);
  for (const Lanes &extent : getExtents())
    total = lanes.mul(total, extent);
  return total;
}

void DecodeRows::setGroup(const Lanes &number) {
  group.resize(formula.getNumIndices());
  SmallVector<Lanes> place = lanes.delinearize(number, getExtents());
  for (auto [position, coordinate] : llvm::zip(plan.roles.outer, place)) {
    bool isGroup = plan.roles.group == position;
    group[position] =
        isGroup ? lanes.mul(coordinate, lanes.constant(plan.schedule.heads)) : coordinate;
  }
  if (plan.roles.query)
    group[*plan.roles.query] = place.back();
}

SmallVector<Lanes> DecodeRows::getRowIndices(const Lanes &head) {
  SmallVector<Lanes> indices = group;
  if (plan.roles.group && head.getConstant() != 0)
    indices[*plan.roles.group] = lanes.add(indices[*plan.roles.group], head);
  return indices;
}

Value DecodeRows::getPartials(const Lanes &row) {
  const DecodeSchedule &schedule = plan.schedule;
  int64_t ofRow = plan.getPartial() * schedule.splits;
  int64_t rows = getBoundProduct(op.getIndices(), plan.roles.outer);
  if (plan.roles.query)
    rows *= std::min(formula.getIndexAttr(*plan.roles.query).getSize(), kFewQueries);
  Value memory = makePassedOn(lanes, rows * ofRow * 4);
  return getElementPointer(lanes, memory, lanes.b.getF32Type(),
                           lanes.mul(row, lanes.constant(ofRow)).value);
}

void DecodeRows::storeResults(int64_t head, const Lanes &column, Value sum, Value largest,
                              Value total) {
  Value result = arith::MulFOp::create(lanes.b, lanes.loc, sum, emitReciprocal(lanes, total));
  Lanes size = lanes.constant(plan.value.size);
  lanes.ifThen(lanes.compare(arith::CmpIPredicate::slt, column, size), {}, [&] {
    SmallVector<Lanes> indices = getRowIndices(head);
    Lanes inRange = column;
    inRange.interval = {0, plan.value.size - 1};
    setIndices(lanes, kernel, op.getIndices(), plan.roles.columns, inRange, indices);
    RegionEmitter(lanes, kernel, indices, /*mask=*/Value())
        .storeOutput(formula, lanes.uniform(result));
    return Values();
  });
  if (formula.getNumOutputs() == 1 || column.interval.min > 0)
    return;
  lanes.ifThen(lanes.compare(arith::CmpIPredicate::eq, column, lanes.constant(0)), {}, [&] {
    storeRowSum(head, largest, total);
    return Values();
  });
}

void DecodeRows::storeRowSum(int64_t head, Value largest, Value total) {
  storeRowResults(lanes, RegionEmitter(lanes, kernel, getRowIndices(head), /*mask=*/Value()), op,
                  largest, total);
}
