//===- GemmChoice.cpp - the rows that choose a matrix ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A task of a chosen matrix finds its rows itself: it looks at the choices of many, lists those of
// its matrix and multiplies them like neighbours. To look takes a comparison a row, where a row is
// multiplied with whole panels.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include "weft/Codegen/Common/RegionEmitter.h"

using namespace mlir;
using namespace weft;

Lanes GemmTask::listChosen(const Lanes &segment) {
  Lanes total = getSize(product.m), before = lanes.mul(segment, lanes.constant(kChoiceRows));
  Lanes count = lanes.min(lanes.constant(kChoiceRows), lanes.sub(total, before));
  int64_t most = std::min(kChoiceRows, total.interval.max);
  chosenRows = kernel.allocateStack(lanes, most * int64_t(sizeof(int32_t)));
  Value found = lanes.loop(
      count, lanes.indexConstant(0),
      [&](const Lanes &iv, ValueRange carried) -> SmallVector<Value> {
        Lanes row = lanes.add(before, iv);
        row.interval = rowInterval;
        SmallVector<Lanes> values(indices);
        setIndices(lanes, kernel, op.getIndices(), product.m, row, values);
        RegionEmitter region(lanes, kernel, values, /*mask=*/Value());
        region.setChosen(op);
        // The last one is overwritten by the next that is found.
        Value number =
            arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(), row.value);
        LLVM::StoreOp::create(lanes.b, lanes.loc, number,
                              addElements(lanes, chosenRows, lanes.uniform(carried[0])));
        Value isOwn = lanes.compare(arith::CmpIPredicate::eq, region.getIndex(*product.chosen),
                                    indices[*product.chosen]);
        Value one = arith::IndexCastUIOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), isOwn);
        return {arith::AddIOp::create(lanes.b, lanes.loc, carried[0], one)};
      })[0];
  return lanes.uniform(found, {0, most});
}

void GemmTask::emitChosen(const Lanes &segment, const Lanes &group) {
  Lanes found = listChosen(segment), blocks = lanes.ceilDiv(found, plan.blockRows);
  lanes.loop(blocks, {}, [&](const Lanes &block, ValueRange) {
    Lanes total = found;
    total.interval.min = 1;
    setRows(block, total, blocks);
    emitRowsOf(group);
    return SmallVector<Value>();
  });
}
