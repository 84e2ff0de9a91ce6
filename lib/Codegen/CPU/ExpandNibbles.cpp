//===- ExpandNibbles.cpp - codes of 4 bits as bytes -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ExpandNibbles.h"

#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

/// Rows of the two steps whose codes share bytes.
static constexpr int64_t kPair = 8;

namespace {

/// Writes the code that expands one vector of columns: four bytes in each lane.
class NibbleVector {
public:
  NibbleVector(LaneBuilder &lanes) : lanes(lanes), b(lanes.b), loc(lanes.loc) {}

  /// Factors and zeros of the columns whose bytes are at `pointer`.
  void loadGroup(Value pointer) {
    Type memory = lanes.vectorOf(b.getI8Type());
    Value shared = LLVM::LoadOp::create(b, loc, memory, pointer, /*alignment=*/1);
    shared = arith::ExtUIOp::create(b, loc, words(), shared);
    factors = repeat(getHalf(shared, /*isUpper=*/false));
    zeros = repeat(getHalf(shared, /*isUpper=*/true));
  }

  /// The codes of one half of the numbers at `pointer`.
  Value expand(Value numbers, bool isUpper) {
    Value code = toBytes(getHalf(numbers, isUpper));
    code = arith::SubIOp::create(b, loc, code, zeros);
    return arith::MulIOp::create(b, loc, code, factors);
  }

  Value loadNumbers(Value pointer) {
    return LLVM::LoadOp::create(b, loc, words(), pointer, /*alignment=*/4);
  }

private:
  Type words() { return lanes.vectorOf(b.getI32Type()); }
  Value getHalf(Value words, bool isUpper) {
    if (isUpper)
      words = arith::ShRUIOp::create(b, loc, words, lanes.intVector(4));
    return arith::AndIOp::create(b, loc, words, lanes.intVector(0x0f0f0f0f));
  }
  Value repeat(Value words) {
    return toBytes(arith::MulIOp::create(b, loc, words, lanes.intVector(0x01010101)));
  }
  Value toBytes(Value words) {
    auto bytes = VectorType::get({4 * lanes.width}, b.getI8Type());
    return LLVM::BitcastOp::create(b, loc, bytes, words);
  }

  LaneBuilder &lanes;
  OpBuilder &b;
  Location loc;
  Value factors, zeros;
};

} // namespace

int64_t weft::getExpandedBytes(const NibblePanel &panel, int64_t rows) {
  return int64_t(llvm::divideCeil(rows, kPair)) * 2 * panel.getRowBytes();
}

void weft::expandNibbles(LaneBuilder &lanes, const NibblePanel &panel, Value source, Value target,
                         const Lanes &firstK, const Lanes &sizeK) {
  int64_t numVectors = panel.nr / lanes.width, pairs = llvm::divideCeil(panel.group, kPair);
  bool isOneGroup = panel.getGroups() == 1;
  Lanes firstGroup = lanes.floorDiv(firstK, panel.group);
  Lanes numGroups = isOneGroup ? lanes.constant(1) : lanes.floorDiv(sizeK, panel.group);
  Lanes numPairs = isOneGroup ? lanes.ceilDiv(sizeK, kPair) : lanes.constant(pairs);
  Value numbers = addElements(lanes, source,
                              lanes.mul(lanes.floorDiv(firstK, kPair), lanes.constant(panel.nr)));
  Value bytes = addElements(lanes, source, panel.getCodeBytes() / 4);
  Type byte = lanes.b.getI8Type();
  lanes.loop(numGroups, {}, [&](const Lanes &group, ValueRange) {
    Lanes place = lanes.mul(lanes.add(firstGroup, group), lanes.constant(panel.nr));
    Value shared = getElementPointer(lanes, bytes, byte, place.value);
    SmallVector<NibbleVector> vectors;
    for (int64_t v = 0; v != numVectors; ++v)
      vectors.emplace_back(lanes).loadGroup(
          getElementPointer(lanes, shared, byte, lanes.indexConstant(v * lanes.width)));
    lanes.loop(numPairs, {}, [&](const Lanes &iv, ValueRange) {
      Lanes pair = lanes.add(lanes.mul(group, lanes.constant(pairs)), iv);
      Lanes words = lanes.mul(pair, lanes.constant(panel.nr));
      Value from = addElements(lanes, numbers, words);
      Value to = addElements(lanes, target, lanes.mul(words, lanes.constant(2)));
      for (auto [v, vector] : llvm::enumerate(vectors)) {
        int64_t column = int64_t(v) * lanes.width;
        Value both = vector.loadNumbers(addElements(lanes, from, column));
        storeVector(lanes, addElements(lanes, to, column), vector.expand(both, false));
        storeVector(lanes, addElements(lanes, to, panel.nr + column), vector.expand(both, true));
      }
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}
