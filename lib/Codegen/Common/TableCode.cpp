//===- TableCode.cpp - code for weights that are codes of a table ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/TableCode.h"

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace weft;

static Value constantLike(LaneBuilder &lanes, Value like, int64_t value) {
  return createScalarOrSplatConstant(lanes.b, lanes.loc, like.getType(), value);
}

static Type likeOf(Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(vector.clone(element)) : element;
}

static Value realConstant(LaneBuilder &lanes, Value like, float value) {
  return createScalarOrSplatConstant(lanes.b, lanes.loc, likeOf(like, lanes.b.getF32Type()),
                                     APFloat(value));
}

Value weft::lookUpBySelects(LaneBuilder &lanes, Value words, ArrayRef<float> values) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  SmallVector<Value> left =
      llvm::map_to_vector(values, [&](float value) { return realConstant(lanes, words, value); });
  for (int64_t bit = 1; left.size() > 1; bit *= 2) {
    Value own = arith::AndIOp::create(b, loc, words, constantLike(lanes, words, bit));
    Value isSet =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own, constantLike(lanes, words, 0));
    for (size_t i = 0; i != left.size() / 2; ++i)
      left[i] = arith::SelectOp::create(b, loc, isSet, left[2 * i + 1], left[2 * i]);
    left.truncate(left.size() / 2);
  }
  return left.front();
}

/// The bits of E4M3 are those of an f16 whose exponent has another bias, and so stand for 2^-8 of
/// it, subnormal numbers too. The sign goes up and is taken out of the exponent's first bit.
static Value decodeE4M3(LaneBuilder &lanes, Value bytes) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value bits = arith::ExtSIOp::create(b, loc, likeOf(bytes, b.getI16Type()), bytes);
  bits = arith::ShLIOp::create(b, loc, bits, constantLike(lanes, bits, 7));
  bits = arith::AndIOp::create(b, loc, bits, constantLike(lanes, bits, 0xbf80));
  Value half = arith::BitcastOp::create(b, loc, likeOf(bytes, b.getF16Type()), bits);
  return arith::ExtFOp::create(b, loc, likeOf(bytes, b.getF32Type()), half);
}

Value weft::decodeBytes(LaneBuilder &lanes, Value bytes, int64_t part, CodeTable table,
                        TableLookUp lookUp) {
  OpBuilder &b = lanes.b;
  Type words = likeOf(bytes, b.getI32Type());
  if (table == CodeTable::Fp8)
    return decodeE4M3(lanes, bytes);
  if (table == CodeTable::Int8)
    return arith::SIToFPOp::create(b, lanes.loc, likeOf(bytes, b.getF32Type()),
                                   arith::ExtSIOp::create(b, lanes.loc, words, bytes));
  Value codes = arith::ExtUIOp::create(b, lanes.loc, words, bytes);
  if (part != 0)
    codes = arith::ShRUIOp::create(b, lanes.loc, codes, constantLike(lanes, codes, 4));
  return lookUp(lanes, codes, ArrayRef(infoOf(table).values, 16));
}

Value weft::scaleDecoded(LaneBuilder &lanes, Value scale, CodeTable table) {
  if (table != CodeTable::Fp8)
    return scale;
  return arith::MulFOp::create(lanes.b, lanes.loc, scale, realConstant(lanes, scale, 256));
}

ScaledPanel weft::getScaledPanel(const Buffer &buffer) {
  int64_t k = 1;
  for (int64_t dim : buffer.layout.getK())
    k *= *buffer.sizes[dim].getConstant();
  return buffer.layout.getScaledPanel(k);
}

/// Elements of another type that lie in the same memory.
static Buffer viewAs(const Buffer &buffer, Type element) {
  Buffer view = buffer;
  view.layout = {};
  view.elementType = element;
  view.alignment = 1;
  return view;
}

Lanes weft::loadScaled(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, Value mask) {
  OpBuilder &b = lanes.b;
  ScaledPanel panel = getScaledPanel(buffer);
  Lanes inside = lanes.mod(offset, panel.k * panel.nr), k = lanes.floorDiv(inside, panel.nr);
  Lanes column = lanes.mod(inside, panel.nr), row = lanes.mod(k, panel.group);
  Lanes start = lanes.add(
      lanes.mul(lanes.floorDiv(offset, panel.k * panel.nr), lanes.constant(panel.getBytes())),
      lanes.mul(lanes.floorDiv(k, panel.group), lanes.constant(panel.getGroupBytes())));
  Lanes line = lanes.mul(lanes.floorDiv(row, panel.getRowsOfByte()), lanes.constant(panel.nr));
  Lanes code = loadElements(lanes, viewAs(buffer, b.getIntegerType(8, /*isSigned=*/false)),
                            lanes.add(start, lanes.add(line, column)), mask);
  const CodeTableInfo &info = infoOf(panel.table);
  Lanes scales = lanes.floorDiv(lanes.add(start, lanes.constant(panel.getCodeBytes())),
                                infoOf(info.scale).bytes());
  Lanes scale = loadElements(lanes, viewAs(buffer, getStorageType(b.getContext(), info.scale)),
                             lanes.add(scales, column), mask);
  // Lanes of one group read its scale once.
  bool isUniform = offset.isUniform();
  Value words = isUniform ? code.value : lanes.materialize(code);
  Value factor = isUniform ? scale.value : lanes.materialize(scale);
  if (info.bits == 4) {
    Value isOdd = lanes.compare(arith::CmpIPredicate::ne, lanes.mod(row, 2), lanes.constant(0));
    Value upper = arith::ShRUIOp::create(b, lanes.loc, words, constantLike(lanes, words, 4));
    words = arith::SelectOp::create(b, lanes.loc, isOdd, upper, words);
  }
  Value byte = arith::TruncIOp::create(b, lanes.loc, likeOf(words, b.getI8Type()), words);
  Value real = decodeBytes(lanes, byte, /*part=*/0, panel.table);
  factor = scaleDecoded(lanes, factor, panel.table);
  return {arith::MulFOp::create(b, lanes.loc, real, factor), 0, 1, Interval()};
}
