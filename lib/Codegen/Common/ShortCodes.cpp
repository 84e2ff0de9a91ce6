//===- ShortCodes.cpp - neighbouring codes of a row -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/ShortCodes.h"

#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

bool weft::areNeighbours(const LaneBuilder &lanes, int64_t columns, int64_t row, int64_t group,
                         const Lanes &offset) {
  int64_t width = lanes.width;
  bool isPart = width == kWordCodes / 2 || width % kWordCodes == 0;
  return isPart && columns == 1 && !offset.isVector() && offset.stride == 1 &&
         offset.divisor % width == 0 && row % width == 0 && group % width == 0;
}

/// The bit of a word at which its code number `i` begins.
static int64_t getBit(int64_t i, int64_t depth) {
  int64_t byte = i / (2 * depth) * depth + i % depth;
  return 8 * byte + 4 * (i / depth % 2);
}

Value weft::loadShortCodes(LaneBuilder &lanes, Value pointer, const Lanes &place, const Lanes &k,
                           int64_t depth) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  int64_t count = std::max<int64_t>(1, lanes.width / kWordCodes);
  Type word = b.getI32Type(), loadedType = word;
  if (count > 1)
    loadedType = VectorType::get({count}, word);
  Value address = getElementPointer(lanes, pointer, b.getI8Type(), place.value);
  Value loaded = LLVM::LoadOp::create(b, loc, loadedType, address, /*alignment=*/1);
  if (lanes.width < kWordCodes) {
    Lanes half = lanes.mod(lanes.floorDiv(k, lanes.width), 2);
    Lanes bit = lanes.mul(half, lanes.constant(getBit(lanes.width, depth)));
    Value shift = arith::IndexCastOp::create(b, loc, word, bit.value);
    loaded = arith::ShRUIOp::create(b, loc, loaded, shift);
  }
  SmallVector<int64_t> source;
  SmallVector<int32_t> bits;
  for (int64_t lane = 0; lane != lanes.width; ++lane) {
    source.push_back(lane / kWordCodes);
    bits.push_back(int32_t(getBit(lane % kWordCodes, depth)));
  }
  Value words = count == 1
                    ? vector::BroadcastOp::create(b, loc, lanes.vectorOf(word), loaded).getResult()
                    : vector::ShuffleOp::create(b, loc, loaded, loaded, source).getResult();
  words = arith::ShRUIOp::create(b, loc, words,
                                 arith::ConstantOp::create(b, loc, b.getI32VectorAttr(bits)));
  return arith::AndIOp::create(b, loc, words, lanes.intVector(15));
}
