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

#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace weft;

NibblePanel weft::getNibblePanel(const Buffer &buffer) {
  int64_t k = 1;
  for (int64_t dim : buffer.layout.getK())
    k *= *buffer.sizes[dim].getConstant();
  return buffer.layout.getNibblePanel(k);
}

Lanes weft::loadNibbles(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, Value mask) {
  NibblePanel panel = getNibblePanel(buffer);
  int64_t row = panel.getRowBytes();
  int64_t elements = int64_t(llvm::divideCeil(panel.k, 4)) * row;
  Lanes inside = lanes.mod(offset, elements), step = lanes.floorDiv(inside, row);
  Lanes place = lanes.mod(inside, row);
  Lanes k = lanes.add(lanes.mul(step, lanes.constant(4)), lanes.mod(place, 4));
  Lanes start = lanes.mul(lanes.floorDiv(offset, elements), lanes.constant(panel.getBytes()));

  Buffer bytes = buffer;
  bytes.layout = {};
  bytes.elementType = lanes.b.getIntegerType(8, /*isSigned=*/false);
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

  OpBuilder &b = lanes.b;
  auto half = [&](Value byte, bool upper) -> Value {
    auto constant = [&](int32_t value) {
      return createScalarOrSplatConstant(b, lanes.loc, byte.getType(), int64_t(value));
    };
    if (upper)
      return arith::ShRUIOp::create(b, lanes.loc, byte, constant(4));
    return arith::AndIOp::create(b, lanes.loc, byte, constant(15));
  };
  Value isUpper = lanes.compare(arith::CmpIPredicate::ne, lanes.mod(step, 2), lanes.constant(0));
  // Lanes of one group read its byte once.
  Value byte = offset.isUniform() ? shared.value : lanes.materialize(shared);
  Value number = arith::SelectOp::create(b, lanes.loc, isUpper, half(both.value, true),
                                         half(both.value, false));
  number = arith::SubIOp::create(b, lanes.loc, number, half(byte, true));
  Value code = arith::MulIOp::create(b, lanes.loc, number, half(byte, false));
  return {code, 0, 1, Interval()};
}
