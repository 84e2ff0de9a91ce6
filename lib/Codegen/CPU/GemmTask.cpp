//===- GemmTask.cpp - the code of one task of a product -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include "ExpandNibbles.h"
#include "ExpandScaled.h"
#include "weft/Codegen/CPU/Units.h"

using namespace mlir;
using namespace weft;

void GemmTask::emit(const Lanes &task) {
  setMatrixOf(task);
  forRows([&] { multiply(); });
}

void GemmTask::forRows(function_ref<void()> body) {
  if (product.chosen)
    return forChosen(body);
  setRows(block, getSize(product.m), getNumBlocks());
  body();
}

void GemmTask::takeRows(const GemmTask &other) {
  firstRow = other.firstRow;
  numRows = other.numRows;
  chosenRows = other.chosenRows;
}

void GemmTask::allocateStack() {
  allSums = kernel.allocateStack(lanes, plan.getStackBytes());
  if (const auto &nibbles = plan.shape.nibbles)
    expanded = kernel.allocateStack(lanes, getExpandedBytes(*nibbles, plan.blockK));
  if (const auto &scaled = plan.shape.scaled; scaled && !plan.shape.isWhole)
    expanded = kernel.allocateStack(lanes, getExpandedBytes(*scaled, plan.blockK));
  if (plan.shape.splitsPanels())
    expanded = kernel.allocateStack(lanes, getExpandedBytes(plan.getSplitPanel(), plan.blockK));
}

void GemmTask::setMatrixOf(const Lanes &task) {
  auto [number, ofRows] = getPlace(task);
  block = ofRows;
  rowInterval = {0, std::max<int64_t>(getSize(product.m).interval.max - 1, 0)};
  group = setMatrix(number);
}

void GemmTask::multiply() {
  allocateStack();
  if (plan.shape.isWhole)
    sumRows();
  if (sumsFewRows())
    sumFewRows();
  if (plan.schedule.halves)
    lanes.ifThen(hasFew(*plan.schedule.halves), {}, [&] {
      splitRow();
      return SmallVector<Value>();
    });
  Lanes most = lanes.constant(plan.panelsPerTask), first = lanes.mul(group, most);
  Lanes panels = lanes.min(most, lanes.sub(numPanels, first));
  panels.interval = {1, most.interval.max};
  if (plan.usesTiles())
    cpu::BeginTilesOp::create(lanes.b, lanes.loc);
  if (plan.spreadsRows())
    emitSpread(first, panels);
  else if (plan.sharesBlocks())
    emitBlocks(first, panels);
  else
    emitPanels(first, panels);
  if (plan.usesTiles())
    cpu::EndTilesOp::create(lanes.b, lanes.loc);
}

/// A thread's tasks follow each other. Where the second cache holds all blocks of rows, those of a
/// group of panels do, whose panels are read once; else those of a block of rows.
std::pair<Lanes, Lanes> GemmTask::getPlace(const Lanes &task) {
  Lanes blocks = getNumBlocks(), groups = getPanelGroups();
  if (!plan.schedule.near || plan.sharesBlocks() || product.chosen ||
      blocks.interval.max <= *plan.schedule.near) {
    SmallVector<Lanes> place = lanes.delinearize(task, {getNumGroups(), blocks});
    return {place[0], place[1]};
  }
  SmallVector<Lanes> place =
      lanes.delinearize(task, {getSize(product.batch), lanes.mul(groups, blocks)});
  Value hasMany =
      lanes.compare(arith::CmpIPredicate::sgt, blocks, lanes.constant(*plan.schedule.near));
  auto choose = [&](const Lanes &many, const Lanes &few, int64_t most) {
    Value chosen = arith::SelectOp::create(lanes.b, lanes.loc, hasMany, many.value, few.value);
    return lanes.uniform(chosen, {0, most - 1});
  };
  SmallVector<Lanes> byBlocks = lanes.delinearize(place[1], {blocks, groups}),
                     byGroups = lanes.delinearize(place[1], {groups, blocks});
  Lanes group = choose(byBlocks[1], byGroups[0], groups.interval.max),
        block = choose(byBlocks[0], byGroups[1], blocks.interval.max);
  return {lanes.add(lanes.mul(place[0], groups), group), block};
}

Lanes GemmTask::setMatrix(const Lanes &number) {
  matrix = lanes.constant(0);
  if (product.batch.empty())
    return number;
  SmallVector<Lanes> place = lanes.delinearize(number, {getSize(product.batch), getPanelGroups()});
  matrix = place[0];
  if (plan.asksRows())
    matrix = findMatrix(matrix);
  setIndices(lanes, kernel, op.getIndices(), product.batch, matrix, indices);
  return place[1];
}

void GemmTask::setRows(const Lanes &block, const Lanes &total, const Lanes &blocks) {
  if (blocks.interval.max <= 1) {
    firstRow = lanes.constant(0);
    numRows = total;
    return;
  }
  Lanes tiles = lanes.ceilDiv(total, plan.tileRows);
  std::optional<int64_t> size = total.getConstant(), number = blocks.getConstant();
  if (size && *size % (*number * plan.tileRows) == 0) {
    numRows = lanes.constant(*size / *number);
    firstRow = lanes.mul(block, numRows);
    return;
  }
  auto getFirst = [&](const Lanes &number) {
    Lanes tile = lanes.binary(arith::DivUIOp::getOperationName(), lanes.mul(number, tiles), blocks,
                              tiles.interval);
    return lanes.mul(tile, lanes.constant(plan.tileRows));
  };
  firstRow = getFirst(block);
  Lanes end = lanes.min(getFirst(lanes.add(block, lanes.constant(1))), total);
  numRows = lanes.sub(end, firstRow);
  numRows.interval = {1, std::min(plan.blockRows, total.interval.max)};
}

Lanes GemmTask::getRow(const Lanes &number) {
  Lanes row = lanes.add(firstRow, number);
  if (chosenRows) {
    Value listed = LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                                        addElements(lanes, chosenRows, row));
    row = lanes.uniform(
        arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), listed));
  }
  row.interval = rowInterval;
  return row;
}

SmallVector<Value> GemmTask::getRowPointers(const Lanes &first, int64_t count) {
  if (!chosenRows)
    return plan.rows.getPointers(lanes, kernel, indices, lanes.add(firstRow, first), count,
                                 rowInterval);
  SmallVector<Value> pointers;
  for (int64_t i = 0; i != count; ++i)
    llvm::append_range(pointers, plan.rows.getPointers(lanes, kernel, indices,
                                                       getRow(lanes.add(first, lanes.constant(i))),
                                                       1, rowInterval));
  return pointers;
}

Lanes GemmTask::getPanelWords() {
  // Whoever is in short codes is a weight, of constant sizes.
  return plan.shape.isEncoded() ? lanes.constant(plan.shape.getPanelBytes() / 4)
                                : getWords(lanes.ceilDiv(sizeK, plan.shape.depth));
}

Value GemmTask::getPanels(int64_t nextGroup) {
  Lanes number = lanes.add(group, lanes.constant(nextGroup));
  Lanes before = lanes.add(lanes.mul(matrix, numPanels),
                           lanes.mul(number, lanes.constant(plan.panelsPerTask)));
  return addElements(lanes, kernel.getBuffer(op.getInputs()[product.columns]).pointer,
                     lanes.mul(before, getPanelWords()));
}

void GemmTask::setPanel(const Lanes &panel, const Lanes &number) {
  const Buffer &packed = kernel.getBuffer(op.getInputs()[product.columns]);
  Lanes before = lanes.add(lanes.mul(matrix, numPanels), panel);
  panelWords = lanes.mul(before, getPanelWords());
  panelPointer = addElements(lanes, packed.pointer, panelWords);
  nextSteps = addElements(lanes, panelPointer, getPanelWords());
  scratch = addElements(lanes, allSums, lanes.mul(number, lanes.constant(plan.getPanelSums())));
}

void GemmTask::emitPanels(const Lanes &first, const Lanes &panels) {
  lanes.loop(panels, {}, [&](const Lanes &number, ValueRange) {
    Lanes panel = lanes.add(first, number);
    panel.interval = {0, plan.shape.numPanels - 1};
    Value isLast;
    if (after)
      isLast =
          lanes.compare(arith::CmpIPredicate::eq, number, lanes.sub(panels, lanes.constant(1)));
    emitPanel(panel, isLast);
    return SmallVector<Value>();
  });
}

void GemmTask::emitPanel(const Lanes &panel, Value isLast) {
  if (plan.schedule.prefetch)
    fetchFactors(panel);
  if (plan.hasBlocksK())
    return emitBlocks(panel, lanes.constant(1));
  setPanel(panel, lanes.constant(0));
  if (isLast)
    nextSteps = arith::SelectOp::create(lanes.b, lanes.loc, isLast, after, nextSteps);
  if (plan.finishesTiles())
    return emitUnitPanel(panel);
  emitBlock(lanes.constant(0), sizeK, /*accumulate=*/false);
  emitEpilogue(panel, lanes.constant(0), numRows);
}

void GemmTask::clearSums(const Lanes &panels) {
  // The sums of a panel's last rows may not be in use.
  lanes.loop(panels, {}, [&](const Lanes &panel, ValueRange) {
    Value first =
        addElements(lanes, allSums, lanes.mul(panel, lanes.constant(plan.getPanelSums())));
    Value size = lanes.mul(numRows, lanes.constant(plan.shape.nr)).value;
    lanes.loop(lanes.indexConstant(0), size, lanes.width, {}, [&](Value iv, ValueRange) {
      storeVector(lanes, addElements(lanes, first, lanes.uniform(iv)), lanes.floatVector(0));
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}
