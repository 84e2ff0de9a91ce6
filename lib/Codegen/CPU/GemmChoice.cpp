//===- GemmChoice.cpp - the rows that choose a matrix ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A task of a chosen matrix finds its rows itself: it looks at the choices of many, lists those of
// its matrix and multiplies them like neighbours. To look takes a comparison a row, where a row is
// multiplied with whole panels. Of few rows, as a token has them, most of many matrices have none:
// there each row has tasks, for the matrix that it chooses, which are empty if another does before.
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include "weft/Codegen/Common/RegionEmitter.h"

using namespace mlir;
using namespace weft;

Lanes GemmTask::getChoice(const Lanes &row) {
  return weft::getChoice(lanes, kernel, op, product, indices, row);
}

Lanes GemmTask::findMatrix(const Lanes &number) {
  Lanes matrices = getSize(product.batch), row = number;
  asksRows = lanes.compare(arith::CmpIPredicate::slt, getSize(product.m), matrices);
  askingRow = number.value;
  row.interval = rowInterval; // there are no more tasks than rows
  Value found =
      arith::SelectOp::create(lanes.b, lanes.loc, asksRows, getChoice(row).value, number.value);
  return lanes.uniform(found, {0, matrices.interval.max - 1});
}

Lanes GemmTask::listChosen(const Lanes &segment) {
  Lanes total = getSize(product.m), before = lanes.mul(segment, lanes.constant(kChoiceRows));
  Lanes count = lanes.min(lanes.constant(kChoiceRows), lanes.sub(total, before));
  int64_t most = std::min(kChoiceRows, total.interval.max);
  Kernel own = kernel;
  own.stack = nullptr; // for all products of the task
  chosenRows = own.allocateStack(lanes, most * int64_t(sizeof(int32_t)));
  Value found = lanes.loop(
      count, lanes.indexConstant(0),
      [&](const Lanes &iv, ValueRange carried) -> SmallVector<Value> {
        Lanes row = lanes.add(before, iv);
        row.interval = rowInterval;
        // The last one is overwritten by the next that is found.
        Value number =
            arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(), row.value);
        LLVM::StoreOp::create(lanes.b, lanes.loc, number,
                              addElements(lanes, chosenRows, lanes.uniform(carried[0])));
        Value isOwn =
            lanes.compare(arith::CmpIPredicate::eq, getChoice(row), indices[*product.chosen]);
        Value one = arith::IndexCastUIOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), isOwn);
        return {arith::AddIOp::create(lanes.b, lanes.loc, carried[0], one)};
      })[0];
  return lanes.uniform(found, {0, most});
}

/// Where rows ask for matrices, the first that chooses one has all that do; others have none.
Lanes GemmTask::dropAsked(const Lanes &found) {
  if (!plan.asksRows())
    return found;
  firstRow = lanes.constant(0);
  Value isOther =
      lanes.compare(arith::CmpIPredicate::ne, getRow(lanes.constant(0)), lanes.uniform(askingRow));
  Value isAsked = arith::AndIOp::create(lanes.b, lanes.loc, asksRows, isOther);
  Value left =
      arith::SelectOp::create(lanes.b, lanes.loc, isAsked, lanes.indexConstant(0), found.value);
  return lanes.uniform(left, found.interval);
}

void GemmTask::forChosen(function_ref<void()> body) {
  Lanes found = dropAsked(listChosen(block)), blocks = lanes.ceilDiv(found, plan.blockRows);
  lanes.loop(blocks, {}, [&](const Lanes &iv, ValueRange) {
    Lanes total = found;
    total.interval.min = 1;
    setRows(iv, total, blocks);
    body();
    return SmallVector<Value>();
  });
}
