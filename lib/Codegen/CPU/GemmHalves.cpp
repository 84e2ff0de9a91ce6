//===- GemmHalves.cpp - one row beside the unit of tiles ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A tile of one row waits for memory, and for the unit, which other work on its core takes turns
// with. Both halves of a word of bf16 are made f32 instead, and multiplied and added in the order
// of the unit (`addTileStep`), so every sum has its bits: the row once for all panels of a task, a
// panel once for all parts of the row. Columns of f32 are split in registers: what one row reads of
// memory is what lies there.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Combine.h"

using namespace mlir;
using namespace weft;

/// Words of a step that are written out.
static constexpr int64_t kWrittenWords = 4;
/// Vectors of a panel's columns.
static constexpr int64_t kVectors = 2;
/// Pages whose lines are fetched in turns: hardware follows what is read of each, not beyond it.
static constexpr int64_t kPages = 4, kPage = 4096;
/// Bytes of a word, and words of a tile of rows of one part.
static constexpr int64_t kWord = sizeof(int32_t), kPartWords = kSplitTile * kTileStepWords;

int64_t weft::getHalfBytes(const PackedProduct &product) {
  int64_t steps = llvm::divideCeil(product.sizeK, 2 * kTileStepWords);
  return steps * kTileStepWords * 2 * product.parts * kWord;
}

Value GemmTask::getHalves(const Lanes &step, int64_t part, bool isHigh) {
  int64_t stepWords = 2 * plan.shape.parts * kTileStepWords;
  Value first = addElements(lanes, halves, lanes.mul(step, lanes.constant(stepWords)));
  return addElements(lanes, first, (2 * part + isHigh) * kTileStepWords);
}

void GemmTask::splitRow() {
  halves = kernel.allocateStack(lanes, getHalfBytes(plan.shape));
  Value row = getUnitRows(lanes.constant(0), lanes.constant(0));
  int64_t stepWords = plan.shape.isSplit() ? plan.shape.parts * kPartWords : kTileStepWords;
  auto split = [&](LaneBuilder some, const Lanes &step, const Lanes &word) {
    for (int64_t part = 0; part != plan.shape.parts; ++part) {
      Value source = addElements(lanes, row, lanes.mul(step, lanes.constant(stepWords)));
      source = addElements(lanes, addElements(lanes, source, part * kPartWords), word);
      Value words = LLVM::LoadOp::create(some.b, some.loc, some.vectorOf(some.b.getI32Type()),
                                         source, /*alignment=*/2);
      for (bool isHigh : {false, true})
        storeVector(some, addElements(lanes, getHalves(step, part, isHigh), word),
                    cpu::extendHalf(some.b, some.loc, words, isHigh));
    }
    return SmallVector<Value>();
  };
  Lanes words = lanes.floorDiv(sizeK, 2), rest = lanes.mod(words, kTileStepWords);
  Lanes whole = lanes.floorDiv(words, kTileStepWords);
  lanes.loop(whole, {},
             [&](const Lanes &step, ValueRange) { return split(lanes, step, lanes.constant(0)); });
  if (rest.getConstant() != 0) // a row may end with its last word
    lanes.loop(rest, {}, [&](const Lanes &word, ValueRange) {
      return split(lanes.withWidth(1), whole, word);
    });
}

/// A part of columns of bf16 is half of a word, f32 are split.
SmallVector<Value> GemmTask::getColumnHalves(Value word, int64_t vector, bool isHigh) {
  if (plan.shape.splitsPanels()) {
    Lanes before = lanes.constant(isHigh * plan.shape.nr + vector * lanes.width);
    return splitReals(lanes, plan.getSplitPanel(),
                      loadReals(lanes, word, before, plan.shape.columnType));
  }
  Value words = LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.vectorOf(lanes.b.getI32Type()),
                                     addElements(lanes, word, vector * lanes.width),
                                     /*alignment=*/4);
  return {cpu::extendHalf(lanes.b, lanes.loc, words, isHigh)};
}

void GemmTask::fetchLineAhead(const Lanes &before) {
  constexpr int64_t line = kLine / kWord, page = kPage / kWord;
  Lanes number = lanes.add(lanes.floorDiv(panelWords, line), before);
  Lanes block = lanes.floorDiv(number, kPages * page / line);
  Lanes within = lanes.floorDiv(lanes.mod(number, kPages * page / line), kPages);
  Lanes place = lanes.add(lanes.mul(block, lanes.constant(kPages * page)),
                          lanes.mul(lanes.mod(number, kPages), lanes.constant(page)));
  place = lanes.add(place, lanes.mul(within, lanes.constant(line)));
  Value columns = kernel.getBuffer(op.getInputs()[product.columns]).pointer;
  Value ahead = addElements(lanes, columns, kPanelAhead / kWord);
  emitPrefetches(lanes.b, lanes.loc, addElements(lanes, ahead, place), /*lines=*/1);
}

SmallVector<Value> GemmTask::addWord(const Lanes &step, Value panel, const Lanes &word,
                                     ValueRange carried) {
  SmallVector<Value> sums(carried);
  Value line = addElements(lanes, panel, lanes.mul(word, lanes.constant(getPairWords())));
  Lanes number = lanes.add(lanes.mul(step, lanes.constant(kTileStepWords)), word);
  int64_t lines = getPairWords() * kWord / kLine;
  Lanes before = lanes.mul(number, lanes.constant(lines));
  for (int64_t half = 0; half != 2 * kVectors; ++half) {
    int64_t vector = half / 2;
    bool isHigh = half % 2;
    addColumns(step, word, getColumnHalves(line, vector, isHigh), vector, isHigh, sums);
    int64_t first = lines * half / (2 * kVectors), end = lines * (half + 1) / (2 * kVectors);
    for (int64_t i = first; i != end && plan.schedule.fetchesOwn(1); ++i)
      fetchLineAhead(lanes.add(before, lanes.constant(i)));
  }
  return sums;
}

void GemmTask::addColumns(const Lanes &step, const Lanes &word, ArrayRef<Value> columns,
                          int64_t vector, bool isHigh, MutableArrayRef<Value> sums) {
  for (auto [pair, parts] : llvm::enumerate(getPartPairs())) {
    Value left =
        loadScalar(lanes, getHalves(step, parts.first, isHigh), word, lanes.b.getF32Type());
    Value &sum = sums[(int64_t(pair) * kVectors + vector) * 2 + isHigh];
    sum = multiplyAdd(lanes.b, lanes.loc, sum, lanes.materialize(lanes.uniform(left)),
                      columns[parts.second]);
  }
}

SmallVector<Value> GemmTask::addHalfStep(const Lanes &step, Value panel, const Lanes &words,
                                         ValueRange sums) {
  SmallVector<Value> ofHalves(2 * kVectors * getPartPairs().size(), lanes.floatVector(0));
  int64_t count = words.getConstant() == kTileStepWords ? kWrittenWords : 1;
  ofHalves = lanes.loop(lanes.indexConstant(0), words.value, count, ofHalves,
                        [&](Value iv, ValueRange carried) {
                          Lanes first = lanes.uniform(iv, {0, kTileStepWords - count}, count);
                          SmallVector<Value> next(carried);
                          for (int64_t i = 0; i != count; ++i)
                            next = addWord(step, panel, lanes.add(first, lanes.constant(i)), next);
                          return next;
                        });
  SmallVector<Value> next(sums);
  for (size_t pair = 0; pair != getPartPairs().size(); ++pair)
    for (int64_t v = 0; v != kVectors; ++v) {
      int64_t first = (int64_t(pair) * kVectors + v) * 2;
      next[v] = cpu::addTileStep(lanes.b, lanes.loc, next[v], ofHalves[first], ofHalves[first + 1]);
    }
  return next;
}

void GemmTask::emitHalves(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
  Value panel = getPanelSteps(firstK);
  SmallVector<Value> sums(kVectors, lanes.floatVector(0));
  for (int64_t v = 0; v != kVectors && accumulate; ++v)
    sums[v] = loadSums(addElements(lanes, scratch, v * lanes.width));
  Lanes before = lanes.floorDiv(firstK, 2 * kTileStepWords);
  auto addStep = [&](const Lanes &step, const Lanes &words, ValueRange carried) {
    Lanes line = lanes.mul(step, lanes.constant(kTileStepWords * getPairWords()));
    return addHalfStep(lanes.add(before, step), addElements(lanes, panel, line), words, carried);
  };
  Lanes words = lanes.floorDiv(sizeK, 2), rest = lanes.mod(words, kTileStepWords);
  Lanes whole = lanes.floorDiv(words, kTileStepWords);
  sums = lanes.loop(whole, sums, [&](const Lanes &step, ValueRange carried) {
    return addStep(step, lanes.constant(kTileStepWords), carried);
  });
  if (rest.getConstant() != 0)
    sums = addStep(whole, rest, sums); // of no words none is added
  for (int64_t v = 0; v != kVectors; ++v)
    storeVector(lanes, addElements(lanes, scratch, v * lanes.width), sums[v]);
}
