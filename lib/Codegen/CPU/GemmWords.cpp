//===- GemmWords.cpp - codes of 8 bits as words ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Without dots of four codes these are taken apart into words, five instructions beside the four
// that multiply and add. So the rows' part of a block of k is spread to words once for all panels
// of a task, and a panel once for all rows. Of four codes the even ones are a pair, and the odd
// ones.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include "weft/Codegen/CPU/Units.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

/// Codes of a word of memory, and those that are a pair.
static constexpr int64_t kCodes = 4, kPair = 2;

void GemmTask::emitWords(const Lanes &first, const Lanes &panels) {
  auto asTheyAre = [&] { emitPanels(first, panels); };
  int64_t pairs = llvm::divideCeil(plan.blockK, kPair);
  Value ofRows = kernel.allocateStack(lanes, plan.blockRows * pairs * int64_t(sizeof(int32_t)));
  Value ofPanel = kernel.allocateStack(lanes, plan.shape.nr * pairs * int64_t(sizeof(int32_t)));
  auto spread = [&] {
    rowWords = ofRows, expanded = ofPanel;
    emitBlocks(first, panels);
    rowWords = expanded = {};
  };
  if (numRows.interval.min > plan.getRowsOfFewTiles())
    return spread();
  if (numRows.interval.max <= plan.getRowsOfFewTiles())
    return asTheyAre();
  lanes.choose(hasFewTiles(), asTheyAre, spread);
}

/// Both pairs of each word's codes, as lanes of 32 bits: the even ones, and the odd ones.
static std::pair<Value, Value> getPairs(LaneBuilder &lanes, Value codes, bool areSigned) {
  auto [even, odd] = cpu::splitCodes(lanes.b, lanes.loc, codes, areSigned);
  auto cast = [&](Value words) -> Value {
    return LLVM::BitcastOp::create(lanes.b, lanes.loc, codes.getType(), words);
  };
  return {cast(even), cast(odd)};
}

void GemmTask::spreadRows(const Lanes &firstK, const Lanes &sizeK) {
  Lanes words = lanes.floorDiv(sizeK, kCodes), rest = lanes.mod(words, lanes.width);
  Lanes whole = lanes.sub(words, rest);
  Lanes pairs = lanes.constant(llvm::divideCeil(plan.blockK, kPair));
  lanes.loop(numRows, {}, [&](const Lanes &row, ValueRange) {
    Value from =
        plan.rows.getPointers(lanes, kernel, indices, lanes.add(firstRow, row), 1, rowInterval)[0];
    from = addRowElements(from, firstK);
    Value to = addElements(lanes, rowWords, lanes.mul(row, pairs));
    auto spread = [&](LaneBuilder some, Value first) {
      Lanes word = lanes.uniform(first);
      Type type = VectorType::get(some.width, lanes.b.getI32Type());
      Value codes = LLVM::LoadOp::create(lanes.b, lanes.loc, type, addElements(lanes, from, word),
                                         /*alignment=*/1);
      auto [even, odd] = getPairs(lanes, codes, /*areSigned=*/false);
      Value both = vector::InterleaveOp::create(lanes.b, lanes.loc, even, odd);
      storeVector(lanes, addElements(lanes, to, lanes.mul(word, lanes.constant(kPair))), both);
      return SmallVector<Value>();
    };
    lanes.loop(lanes.indexConstant(0), whole.value, lanes.width, {},
               [&](Value iv, ValueRange) { return spread(lanes, iv); });
    if (rest.getConstant() != 0)
      lanes.loop(whole.value, words.value, 1, {},
                 [&](Value iv, ValueRange) { return spread(lanes.withWidth(1), iv); });
    return SmallVector<Value>();
  });
}

void GemmTask::spreadPanel(const Lanes &firstK, const Lanes &sizeK) {
  Value from = addElements(lanes, panelPointer, getWords(lanes.floorDiv(firstK, kCodes)));
  int64_t nr = plan.shape.nr;
  Type type = VectorType::get(lanes.width, lanes.b.getI32Type());
  lanes.loop(lanes.floorDiv(sizeK, kCodes), {}, [&](const Lanes &step, ValueRange) {
    Value line = addElements(lanes, from, getWords(step));
    Value to = addElements(lanes, expanded, lanes.mul(step, lanes.constant(kPair * nr)));
    for (int64_t column = 0; column != nr; column += lanes.width) {
      Value codes = LLVM::LoadOp::create(lanes.b, lanes.loc, type, addElements(lanes, line, column),
                                         /*alignment=*/4);
      auto [even, odd] = getPairs(lanes, codes, /*areSigned=*/true);
      storeVector(lanes, addElements(lanes, to, column), even);
      storeVector(lanes, addElements(lanes, to, nr + column), odd);
    }
    return SmallVector<Value>();
  });
}

SmallVector<Value> GemmTask::getRowsOfWords(const Tile &tile) {
  SmallVector<Value> rows;
  Lanes pairs = lanes.constant(llvm::divideCeil(plan.blockK, kPair));
  for (int64_t i = 0; i != tile.count; ++i)
    rows.push_back(
        addElements(lanes, rowWords, lanes.mul(lanes.add(tile.row, lanes.constant(i)), pairs)));
  return rows;
}
