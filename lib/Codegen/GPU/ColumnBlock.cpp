//===- ColumnBlock.cpp - columns of a product that a block has ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ColumnBlock.h"

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

ColumnBlock::ColumnBlock(LaneBuilder &lanes, const Kernel &kernel, ContractOp op,
                         const Product &product, int64_t ofBlock)
    : lanes(lanes), kernel(kernel), op(op),
      sizeM(getCount(lanes, kernel, op.getIndices(), product.m)),
      sizeN(getCount(lanes, kernel, op.getIndices(), product.n)), indices(op.getIndices().size()),
      product(product), ofBlock(ofBlock) {}

Lanes ColumnBlock::getNumTasks() {
  Lanes matrices = getCount(lanes, kernel, op.getIndices(), product.batch);
  Lanes blocks = lanes.mul(matrices, lanes.ceilDiv(sizeN, ofBlock));
  return lanes.mul(blocks, lanes.min(sizeM, lanes.constant(1)));
}

void ColumnBlock::setBlock(const Lanes &task) {
  Lanes blocks = lanes.ceilDiv(sizeN, ofBlock);
  Lanes matrices = getCount(lanes, kernel, op.getIndices(), product.batch);
  SmallVector<Lanes> place = lanes.delinearize(task, {matrices, blocks});
  batch = place[0];
  setIndices(lanes, kernel, op.getIndices(), product.batch, batch, indices);
  blockColumn = lanes.mul(place[1], lanes.constant(ofBlock));
}
