//===- AttentionBounds.cpp - which keys rows reach ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionTask.h"

using namespace mlir;
using namespace weft;

bool AttentionTask::hasBounds() { return op.getKeyLower() || op.getKeyUpper(); }

void AttentionTask::emitBounds() {
  state.lower = lanes.constant(0);
  state.upper = state.numKeys;
  if (!hasBounds())
    return;
  SmallVector<Lanes> symbols;
  if (op.getBoundSymbols())
    for (StringRef name : op.getBoundSymbols()->getAsValueRange<StringAttr>())
      symbols.push_back(kernel.getSymbol(name));
  Type i64 = lanes.b.getI64Type();
  SmallVector<Value> inits{state.numKeys.value, lanes.indexConstant(0)};
  SmallVector<Value> ends =
      lanes.loop(getPaddedRows(), inits, [&](const Lanes &row, ValueRange carried) {
        SmallVector<Lanes> indices = getRowIndices(row);
        Lanes lower = lanes.constant(0), upper = state.numKeys;
        if (op.getKeyLower())
          for (AffineExpr expr : op.getKeyLower()->getResults())
            lower = lanes.max(lower, lanes.apply(expr, indices, symbols));
        if (op.getKeyUpper())
          for (AffineExpr expr : op.getKeyUpper()->getResults())
            upper = lanes.min(upper, lanes.apply(expr, indices, symbols));
        auto store = [&](Value array, Value value) {
          storeScalar(lanes, array, row,
                      lanes.b.createOrFold<arith::IndexCastOp>(lanes.loc, i64, value));
        };
        state.bounds = state.bounds.unionWith(lower.interval).unionWith(upper.interval);
        store(state.lowers, lower.value);
        store(state.uppers, upper.value);
        Value first = arith::MinSIOp::create(lanes.b, lanes.loc, carried[0], lower.value);
        Value last = arith::MaxSIOp::create(lanes.b, lanes.loc, carried[1], upper.value);
        return SmallVector<Value>{first, last};
      });
  state.lower = lanes.uniform(ends[0], {0, keyIndex().getSize()});
  state.upper = lanes.uniform(ends[1], {0, keyIndex().getSize()});
}

std::pair<Value, Value> AttentionTask::loadBounds(const Lanes &row) {
  auto load = [&](Value array) {
    Value value = loadScalar(lanes, array, row, lanes.b.getI64Type());
    return arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), value);
  };
  return {load(state.lowers), load(state.uppers)};
}

AttentionTask::Reach AttentionTask::getReach(const Lanes &row, const Lanes &count) {
  if (!hasBounds())
    return {state.lower, state.upper, state.lower, state.upper};
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  auto [lower, upper] = loadBounds(row);
  SmallVector<Value> inits{lower, upper, lower, upper};
  SmallVector<Value> ends = lanes.loop(count, inits, [&](const Lanes &i, ValueRange carried) {
    auto [rowLower, rowUpper] = loadBounds(lanes.add(row, i));
    return SmallVector<Value>{arith::MinSIOp::create(b, loc, carried[0], rowLower),
                              arith::MaxSIOp::create(b, loc, carried[1], rowUpper),
                              arith::MaxSIOp::create(b, loc, carried[2], rowLower),
                              arith::MinSIOp::create(b, loc, carried[3], rowUpper)};
  });
  return {lanes.uniform(ends[0]), lanes.uniform(ends[1]), lanes.uniform(ends[2]),
          lanes.uniform(ends[3])};
}
