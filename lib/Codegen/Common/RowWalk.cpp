//===- RowWalk.cpp - who visits the elements of a row --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowWalk.h"

using namespace mlir;
using namespace weft;

SmallVector<Value> RowWalk::visit(LaneBuilder &lanes, const Lanes &lower, const Lanes &upper,
                                  ValueRange inits, Body body) const {
  return lanes.laneLoop(lower, upper, inits,
                        [&](const Lanes &index, Value mask, ValueRange carried) {
                          return body({index, mask, mask, Value()}, carried);
                        });
}

void RowWalk::combine(LaneBuilder &lanes, const Accumulator &accumulator,
                      MutableArrayRef<Value> carried) const {
  accumulator.combineLanes(lanes, carried);
}

void weft::writePart(LaneBuilder &lanes, const RowPart &part, llvm::function_ref<void()> write) {
  if (!part.writes)
    return write();
  lanes.ifThen(part.writes, {}, [&] {
    write();
    return SmallVector<Value>();
  });
}
