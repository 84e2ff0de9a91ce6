//===- NibbleElements.cpp - reading codes of 4 bits one by one ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// For whoever is no product of panels: an offset counts elements as if each were a byte of a panel,
// and the places of the number and of its group follow from it.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/Kernel.h"
#include "weft/Codegen/Common/ShortCodes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

NibblePanel weft::getNibblePanel(const Buffer &buffer) {
  int64_t k = 1;
  for (int64_t dim : buffer.layout.getK())
    k *= *buffer.sizes[dim].getConstant();
  return buffer.layout.getNibblePanel(k);
}

static Value getUpper(LaneBuilder &lanes, Value byte) {
  return arith::ShRUIOp::create(lanes.b, lanes.loc, byte, constantLike(lanes, byte, 4));
}

static Value getLower(LaneBuilder &lanes, Value byte) {
  return arith::AndIOp::create(lanes.b, lanes.loc, byte, constantLike(lanes, byte, 15));
}

/// (number - z) * m, with the byte that a group shares.
static Lanes getCodes(LaneBuilder &lanes, Value number, Value byte) {
  OpBuilder &b = lanes.b;
  Value zero = getUpper(lanes, byte), factor = getLower(lanes, byte);
  if (number.getType() != byte.getType()) {
    zero = vector::BroadcastOp::create(b, lanes.loc, number.getType(), zero);
    factor = vector::BroadcastOp::create(b, lanes.loc, number.getType(), factor);
  }
  number = arith::SubIOp::create(b, lanes.loc, number, zero);
  return {arith::MulIOp::create(b, lanes.loc, number, factor), 0, 1, Interval()};
}

//===----------------------------------------------------------------------------------------===//
// Neighbours of a row
//===----------------------------------------------------------------------------------------===//

static Lanes loadNeighbours(LaneBuilder &lanes, const Buffer &bytes, const NibblePanel &panel,
                            Lanes offset) {
  offset.stride = 0;
  Lanes k = lanes.mod(offset, panel.k), group = lanes.floorDiv(k, panel.group);
  Lanes start = lanes.mul(lanes.floorDiv(offset, panel.k), lanes.constant(panel.getBytes()));
  start = lanes.add(start, lanes.mul(lanes.floorDiv(group, panel.getRunGroups()),
                                     lanes.constant(panel.getRunBytes())));
  Lanes inRun = lanes.mod(group, panel.getRunGroups());
  Value byte = loadElements(lanes, bytes, lanes.add(start, inRun), Value()).value;
  Lanes numbers = lanes.add(lanes.mul(inRun, lanes.constant(panel.getGroupBytes())),
                            lanes.constant(panel.getSharedBytes()));
  Lanes word = lanes.floorDiv(lanes.mod(k, panel.group), kWordCodes);
  numbers = lanes.add(numbers, lanes.mul(word, lanes.constant(panel.getRowBytes())));
  Value codes =
      loadShortCodes(lanes, bytes.pointer, lanes.add(start, numbers), k, /*depth=*/kWordCodes / 2);
  return getCodes(lanes, codes, byte);
}

//===----------------------------------------------------------------------------------------===//
// Any elements
//===----------------------------------------------------------------------------------------===//

Lanes weft::loadNibbles(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, Value mask) {
  NibblePanel panel = getNibblePanel(buffer);
  Buffer bytes = viewAs(buffer, lanes.b.getIntegerType(8, /*isSigned=*/false));
  if (!mask && areNeighbours(lanes, panel.nr, panel.k, panel.group, offset))
    return loadNeighbours(lanes, bytes, panel, offset);
  int64_t row = panel.getRowBytes();
  int64_t elements = int64_t(llvm::divideCeil(panel.k, 4)) * row;
  Lanes inside = lanes.mod(offset, elements), step = lanes.floorDiv(inside, row);
  Lanes place = lanes.mod(inside, row);
  Lanes k = lanes.add(lanes.mul(step, lanes.constant(4)), lanes.mod(place, 4));
  Lanes start = lanes.mul(lanes.floorDiv(offset, elements), lanes.constant(panel.getBytes()));

  Lanes group = lanes.floorDiv(k, panel.group), inRun = lanes.mod(group, panel.getRunGroups());
  start = lanes.add(start, lanes.mul(lanes.floorDiv(group, panel.getRunGroups()),
                                     lanes.constant(panel.getRunBytes())));
  Lanes of = lanes.add(lanes.mul(inRun, lanes.constant(panel.nr)), lanes.floorDiv(place, 4));
  Lanes shared = loadElements(lanes, bytes, lanes.add(start, of), mask);
  Lanes pair = lanes.mul(lanes.floorDiv(lanes.mod(k, panel.group), 8), lanes.constant(row));
  Lanes numbers = lanes.add(lanes.mul(inRun, lanes.constant(panel.getGroupBytes())),
                            lanes.constant(panel.getSharedBytes()));
  numbers = lanes.add(numbers, lanes.add(pair, place));
  Lanes both = loadElements(lanes, bytes, lanes.add(start, numbers), mask);

  Value isUpper = lanes.compare(arith::CmpIPredicate::ne, lanes.mod(step, 2), lanes.constant(0));
  // Lanes of one group read its byte once.
  Value byte = offset.isUniform() ? shared.value : lanes.materialize(shared);
  Value number = arith::SelectOp::create(lanes.b, lanes.loc, isUpper, getUpper(lanes, both.value),
                                         getLower(lanes, both.value));
  return getCodes(lanes, number, byte);
}
