//===- NarrowGather.cpp - elements of less than 32 bits from many places --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "NarrowGather.h"

#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

namespace {

/// Arithmetic on lanes of one type of integers.
class Integers {
public:
  Integers(LaneBuilder &lanes, Type type) : lanes(lanes), type(type) {}

  Value splat(int64_t value) {
    auto number = lanes.b.getIntegerAttr(getElementTypeOrSelf(type), value);
    return arith::ConstantOp::create(lanes.b, lanes.loc,
                                     DenseElementsAttr::get(getShaped(), number));
  }
  template <typename Op> Value with(Value x, int64_t y) {
    return Op::create(lanes.b, lanes.loc, x, splat(y));
  }

private:
  ShapedType getShaped() { return cast<ShapedType>(type); }

  LaneBuilder &lanes;
  Type type;
};

} // namespace

Value weft::gatherNarrow(LaneBuilder &lanes, Value pointer, Type element, const Lanes &offset,
                         Value mask) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  int64_t bits = element.getIntOrFloatBitWidth(), bytes = bits / 8;
  // How far the pointer is behind a word.
  auto i64 = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); };
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
  Value behind = arith::AndIOp::create(b, loc, address, i64(3));
  Value back = arith::SubIOp::create(b, loc, i64(0), behind);
  Value words = LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, back);

  Interval interval = offset.interval;
  bool isShort = interval.fitsInt32() && interval.max < (int64_t(1) << 30) / bytes;
  Value place = lanes.materialize(offset, /*wide=*/!isShort);
  Type index = getElementTypeOrSelf(place);
  Integers integers(lanes, place.getType());
  place = integers.with<arith::MulIOp>(place, bytes);
  if (index.isInteger(32))
    behind = arith::TruncIOp::create(b, loc, index, behind);
  place = arith::AddIOp::create(b, loc, place,
                                b.createOrFold<vector::BroadcastOp>(loc, place.getType(), behind));
  Value number = integers.with<arith::ShRUIOp>(place, 2);
  Value within = integers.with<arith::ShLIOp>(integers.with<arith::AndIOp>(place, 3), 3);

  Type word = lanes.vectorOf(b.getI32Type());
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(word));
  Value places = getElementPointer(lanes, words, b.getI32Type(), number);
  Value found = LLVM::masked_gather::create(b, loc, word, places, mask, ValueRange(none),
                                            b.getI32IntegerAttr(4));
  if (!index.isInteger(32))
    within = arith::TruncIOp::create(b, loc, word, within);
  found = arith::ShRUIOp::create(b, loc, found, within);
  found = arith::TruncIOp::create(b, loc, lanes.vectorOf(b.getIntegerType(bits)), found);
  return LLVM::BitcastOp::create(b, loc, lanes.vectorOf(element), found);
}
