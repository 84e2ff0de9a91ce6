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

/// Both pairs of each word's codes, as lanes of 32 bits: the even ones, and the odd ones.
static std::pair<Value, Value> getPairs(LaneBuilder &lanes, Value codes, bool areSigned) {
  auto [even, odd] = cpu::splitCodes(lanes.b, lanes.loc, codes, areSigned);
  auto cast = [&](Value words) -> Value {
    return LLVM::BitcastOp::create(lanes.b, lanes.loc, codes.getType(), words);
  };
  return {cast(even), cast(odd)};
}

void GemmTask::spreadWords(LaneBuilder &some, Value from, Value to) {
  Type type = VectorType::get(some.width, lanes.b.getI32Type());
  Value codes = LLVM::LoadOp::create(lanes.b, lanes.loc, type, from, /*alignment=*/1);
  auto [even, odd] = getPairs(some, codes, /*areSigned=*/false);
  storeVector(lanes, to, vector::InterleaveOp::create(lanes.b, lanes.loc, even, odd));
}

void GemmTask::spreadPanel(const Lanes &firstK, const Lanes &sizeK) {
  Value from = getPanelSteps(firstK);
  int64_t nr = plan.shape.nr;
  Type type = VectorType::get(lanes.width, lanes.b.getI32Type());
  lanes.loop(lanes.floorDiv(sizeK, kCodesOfWord), {}, [&](const Lanes &step, ValueRange) {
    Value line = addElements(lanes, from, getWords(step));
    Value to = addElements(lanes, expanded, lanes.mul(step, lanes.constant(kWordsOfCodes * nr)));
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
