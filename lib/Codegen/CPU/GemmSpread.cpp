//===- GemmSpread.cpp - rows that are made what is multiplied -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An element of a row is read for each panel, and where no unit multiplies pairs of 16 bits it is
// converted each time, for two multiply-adds. So the rows' part of a block of k is
// converted once for all panels of a task. Nothing is rounded: sums are the same either way. Rows
// that a unit of tiles cannot walk through are put side by side in the same way.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include "weft/Codegen/Common/ElementCode.h"

using namespace mlir;
using namespace weft;

bool GemmPlan::spreadsFew() const {
  return usesReals() && getRowsOfFewTiles() * shape.sizeK * kElement <= kTaskStack / 2;
}

int64_t GemmPlan::getSpread() const {
  int64_t all = blockRows * getSpreadWords();
  return spreadsFew() ? std::max(all, getRowsOfFewTiles() * shape.sizeK) : all;
}

void GemmTask::emitSpread(const Lanes &first, const Lanes &panels) {
  Value ofRows = kernel.allocateStack(lanes, plan.getSpread() * kElement);
  auto emit = [&](int64_t k, int64_t words) {
    spread = Spread{ofRows, k, words, {}};
    emitBlocks(first, panels);
    spread.reset();
  };
  if (plan.copiesRows()) // one, too: a unit reads it like many
    return emit(plan.blockK, plan.getSpreadWords());
  auto few = [&] {
    plan.spreadsFew() ? emit(plan.shape.sizeK, plan.shape.sizeK) : emitPanels(first, panels);
  };
  auto many = [&] { emit(plan.blockK, plan.getSpreadWords()); };
  chooseByRows(plan.getRowsOfFewTiles(), few, many);
}

void GemmTask::spreadReals(LaneBuilder &some, Value from, Value to) {
  Type memory = getMemoryType(getRowType());
  Type type = some.width == 1 ? memory : VectorType::get(some.width, memory);
  Value halves = LLVM::LoadOp::create(some.b, some.loc, type, from, /*alignment=*/2);
  storeVector(some, to, extendElement(some, halves, getRowType()));
}

/// Pairs, or four codes, of a row.
void GemmTask::copyWords(LaneBuilder &some, Value from, Value to) {
  Type word = lanes.b.getI32Type();
  Type type = some.width == 1 ? word : VectorType::get(some.width, word);
  storeVector(some, to, LLVM::LoadOp::create(some.b, some.loc, type, from, /*alignment=*/1));
}

void GemmTask::spreadRows(const Lanes &firstK, const Lanes &sizeK) {
  bool areCopies = plan.copiesRows();
  spread->first = firstK;
  int64_t read = areCopies ? plan.shape.depth : 1;
  Lanes count = lanes.floorDiv(sizeK, read), rest = lanes.mod(count, lanes.width);
  Lanes whole = lanes.sub(count, rest);
  lanes.loop(numRows, {}, [&](const Lanes &row, ValueRange) {
    Value from = addRowElements(getRowPointers(row)[0], firstK);
    Value to = addElements(lanes, spread->rows, lanes.mul(row, lanes.constant(spread->words)));
    auto convert = [&](LaneBuilder some, Value first) {
      Lanes place = lanes.uniform(first);
      Value source = addRowElements(from, lanes.mul(place, lanes.constant(read)));
      Value target = addElements(lanes, to, place);
      areCopies ? copyWords(some, source, target) : spreadReals(some, source, target);
      return SmallVector<Value>();
    };
    lanes.loop(lanes.indexConstant(0), whole.value, lanes.width, {},
               [&](Value iv, ValueRange) { return convert(lanes, iv); });
    if (rest.getConstant() != 0)
      lanes.loop(whole.value, count.value, 1, {},
                 [&](Value iv, ValueRange) { return convert(lanes.withWidth(1), iv); });
    return SmallVector<Value>();
  });
}

SmallVector<Value> GemmTask::getSpreadRows(const Tile &tile, const Lanes &firstK) {
  SmallVector<Value> rows;
  Lanes before = lanes.sub(firstK, spread->first);
  for (int64_t i = 0; i != tile.count; ++i) {
    Lanes row = lanes.mul(lanes.add(tile.row, lanes.constant(i)), lanes.constant(spread->words));
    rows.push_back(addElements(lanes, spread->rows, lanes.add(row, before)));
  }
  return rows;
}
