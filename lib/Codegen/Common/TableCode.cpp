//===- TableCode.cpp - code for weights that are codes of a table ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/TableCode.h"

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/ShortCodes.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace weft;

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

static Value lookUp(LaneBuilder &lanes, Value words, CodeTable table) {
  auto *write = lanes.lookUp && isa<VectorType>(words.getType()) ? lanes.lookUp : lookUpBySelects;
  return write(lanes, words, ArrayRef(infoOf(table).values, 16));
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

Value weft::decodeBytes(LaneBuilder &lanes, Value bytes, CodeTable table) {
  OpBuilder &b = lanes.b;
  Type words = likeOf(bytes, b.getI32Type());
  if (infoOf(table).numbers == CodeTable::Fp8)
    return decodeE4M3(lanes, bytes);
  if (infoOf(table).numbers == CodeTable::Int8)
    return arith::SIToFPOp::create(b, lanes.loc, likeOf(bytes, b.getF32Type()),
                                   arith::ExtSIOp::create(b, lanes.loc, words, bytes));
  Value codes = arith::ExtUIOp::create(b, lanes.loc, words, bytes);
  return lookUp(lanes, codes, table);
}

Value weft::decodeWords(LaneBuilder &lanes, Value words, int64_t row, const ScaledPanel &panel,
                        TableLookUp lookUp) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  int64_t bit = row % panel.getDepth() * 8 + panel.getCodeBit(row);
  if (infoOf(panel.table).numbers == CodeTable::Int8) {
    words = arith::ShLIOp::create(b, loc, words, constantLike(lanes, words, 24 - bit));
    words = arith::ShRSIOp::create(b, loc, words, constantLike(lanes, words, 24));
    return arith::SIToFPOp::create(b, loc, likeOf(words, b.getF32Type()), words);
  }
  words = arith::ShRUIOp::create(b, loc, words, constantLike(lanes, words, bit));
  return lookUp(lanes, words, ArrayRef(infoOf(panel.table).values, 16));
}

Value weft::scaleDecoded(LaneBuilder &lanes, Value scale, CodeTable table) {
  if (infoOf(table).numbers != CodeTable::Fp8)
    return scale;
  return arith::MulFOp::create(lanes.b, lanes.loc, scale, realConstant(lanes, scale, 256));
}

Value weft::applyShared(LaneBuilder &lanes, Value real, Value scale, Value shift, CodeTable table) {
  OpBuilder &b = lanes.b;
  CodeShift kind = infoOf(table).shift;
  if (kind == CodeShift::Zero)
    real = arith::AddFOp::create(b, lanes.loc, real, shift);
  real = lanes.multiplyValue(real, scale);
  return kind == CodeShift::Offset ? arith::AddFOp::create(b, lanes.loc, real, shift).getResult()
                                   : real;
}

ScaledPanel weft::getScaledPanel(const Buffer &buffer) {
  int64_t k = 1;
  for (int64_t dim : buffer.layout.getK())
    k *= *buffer.sizes[dim].getConstant();
  return buffer.layout.getScaledPanel(k);
}

Lanes weft::getGroupPlace(LaneBuilder &lanes, const ScaledPanel &panel, const Lanes &number) {
  if (panel.getSpan() >= panel.getGroups())
    return lanes.mul(number, lanes.constant(panel.getGroupBytes()));
  Lanes span =
      lanes.mul(lanes.floorDiv(number, panel.getSpan()), lanes.constant(panel.getSpanBytes()));
  Lanes inside =
      lanes.mul(lanes.mod(number, panel.getSpan()), lanes.constant(panel.getGroupBytes()));
  return lanes.add(span, inside);
}

Lanes weft::getOuterPlace(LaneBuilder &lanes, const ScaledPanel &panel, const Lanes &number,
                          bool isShift) {
  Lanes span =
      lanes.mul(lanes.floorDiv(number, panel.getSpan()), lanes.constant(panel.getSpanBytes()));
  int64_t groups = panel.getSpan() * panel.getGroupBytes();
  return lanes.add(span, lanes.constant(groups + (isShift ? panel.getOuterBytes() : 0)));
}

namespace {

/// Reads an element of a panel by its place.
class ElementLoader {
public:
  ElementLoader(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, Value mask)
      : lanes(lanes), buffer(buffer), offset(offset), mask(mask), panel(getScaledPanel(buffer)),
        info(infoOf(panel.table)) {}

  Lanes load();

private:
  Value loadBytes(const Lanes &first, const Lanes &column, ElementType type);
  Value loadShared(const Lanes &group, const Lanes &column, bool isShift);
  Value loadCode(const Lanes &group, const Lanes &row, const Lanes &column);
  Value loadWords(const Lanes &group, Lanes row);

  LaneBuilder &lanes;
  const Buffer &buffer;
  const Lanes &offset;
  Value mask;
  ScaledPanel panel;
  const CodeTableInfo &info;
  Lanes start; ///< of the panel
};

} // namespace

/// Lanes of one place read it once.
Value ElementLoader::loadBytes(const Lanes &first, const Lanes &column, ElementType type) {
  Type element = type == ElementType::U8 ? lanes.b.getIntegerType(8, /*isSigned=*/false)
                                         : getStorageType(lanes.b.getContext(), type);
  Lanes place = lanes.floorDiv(lanes.add(start, first), int64_t(infoOf(type).bytes()));
  Lanes loaded = loadElements(lanes, viewAs(buffer, element), lanes.add(place, column), mask);
  return offset.isUniform() ? loaded.value : lanes.materialize(loaded);
}

Value ElementLoader::loadShared(const Lanes &group, const Lanes &column, bool isShift) {
  int64_t before = panel.getCodeBytes() + (isShift ? panel.getScaleBytes() : 0);
  Lanes own = lanes.add(getGroupPlace(lanes, panel, group), lanes.constant(before));
  ElementType type = isShift ? info.shiftType : info.scale;
  Value value = loadBytes(own, column, type);
  if (type == ElementType::I8)
    value = arith::SIToFPOp::create(lanes.b, lanes.loc, likeOf(value, lanes.b.getF32Type()), value);
  if (info.span == 0)
    return value;
  Value outer = loadBytes(getOuterPlace(lanes, panel, group, isShift), column, info.outer);
  return arith::MulFOp::create(lanes.b, lanes.loc, value, outer);
}

Value ElementLoader::loadCode(const Lanes &group, const Lanes &row, const Lanes &column) {
  OpBuilder &b = lanes.b;
  int64_t depth = panel.getDepth();
  Lanes line =
      lanes.mul(lanes.floorDiv(row, panel.getLineRows()), lanes.constant(panel.getLineBytes()));
  Lanes place = lanes.add(lanes.mul(column, lanes.constant(depth)), lanes.mod(row, depth));
  Value words =
      loadBytes(lanes.add(getGroupPlace(lanes, panel, group), line), place, ElementType::U8);
  if (info.bits == 4) {
    Lanes part = lanes.mod(lanes.floorDiv(row, depth), panel.getRowsOfByte());
    Value isUpper = lanes.compare(arith::CmpIPredicate::ne, part, lanes.constant(0));
    Value upper = arith::ShRUIOp::create(b, lanes.loc, words, constantLike(lanes, words, 4));
    words = arith::SelectOp::create(b, lanes.loc, isUpper, upper, words);
  }
  return arith::TruncIOp::create(b, lanes.loc, likeOf(words, b.getI8Type()), words);
}

/// The codes of 4 bits of neighbours, the first of which is at `row`.
Value ElementLoader::loadWords(const Lanes &group, Lanes row) {
  row.stride = 0;
  Lanes word = lanes.mul(lanes.floorDiv(row, kWordCodes), lanes.constant(kWordCodes / 2));
  Lanes place = lanes.add(lanes.add(start, getGroupPlace(lanes, panel, group)), word);
  return loadShortCodes(lanes, buffer.pointer, place, row, panel.getDepth());
}

Lanes ElementLoader::load() {
  int64_t size = panel.k * panel.nr;
  Lanes inside = lanes.mod(offset, size), k = lanes.floorDiv(inside, panel.nr);
  Lanes column = lanes.mod(inside, panel.nr), row = lanes.mod(k, panel.group);
  Lanes group = lanes.floorDiv(k, panel.group);
  start = lanes.mul(lanes.floorDiv(offset, size), lanes.constant(panel.getBytes()));
  bool isTogether =
      !mask && info.bits == 4 && areNeighbours(lanes, panel.nr, panel.k, panel.group, offset);
  Value real = isTogether ? lookUp(lanes, loadWords(group, row), panel.table)
                          : decodeBytes(lanes, loadCode(group, row, column), panel.table);
  Value scale = scaleDecoded(lanes, loadShared(group, column, false), panel.table);
  Value shift = info.shift == CodeShift::None ? Value() : loadShared(group, column, true);
  return {applyShared(lanes, real, scale, shift, panel.table), 0, 1, Interval()};
}

Lanes weft::loadScaled(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, Value mask) {
  return ElementLoader(lanes, buffer, offset, mask).load();
}
