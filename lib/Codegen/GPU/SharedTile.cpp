//===- SharedTile.cpp - a tile of a matrix in shared memory ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SharedTile.h"

#include "GroupWalk.h"

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Codegen/GPU/Fragment.h"

using namespace mlir;
using namespace weft;

Value weft::getSharedPlace(LaneBuilder &lanes, Value memory, const Lanes &bytes) {
  return getElementPointer(lanes, memory, lanes.b.getI8Type(), bytes.value);
}

SmallVector<Value> weft::loadMatrices(LaneBuilder &lanes, Value memory, const Lanes &place,
                                      bool transposed) {
  SmallVector<Type> types(4, lanes.b.getI32Type());
  auto load = nvx::LdMatrixOp::create(lanes.b, lanes.loc, types,
                                      getSharedPlace(lanes, memory, place), transposed);
  return SmallVector<Value>(load.getResults());
}

std::pair<SmallVector<Value>, SmallVector<Value>> weft::splitWide(LaneBuilder &lanes,
                                                                  ValueRange words) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  std::pair<SmallVector<Value>, SmallVector<Value>> parts;
  for (Value word : words) {
    Value number = LLVM::BitcastOp::create(b, loc, b.getF32Type(), word);
    Value rounded = nvx::RoundTF32Op::create(b, loc, number);
    Value known = LLVM::BitcastOp::create(b, loc, b.getF32Type(), rounded);
    Value rest = arith::SubFOp::create(b, loc, number, known);
    parts.first.push_back(rounded);
    parts.second.push_back(nvx::RoundTF32Op::create(b, loc, rest));
  }
  return parts;
}

SmallVector<Value> weft::loadWords(LaneBuilder &lanes, Value place, int64_t count, Value exists) {
  OpBuilder &b = lanes.b;
  Type type = count == 1 ? Type(b.getI32Type()) : VectorType::get({count}, b.getI32Type());
  Value loaded = LLVM::LoadOp::create(b, lanes.loc, type, place, /*alignment=*/unsigned(count * 4));
  SmallVector<Value> words;
  for (int64_t i = 0; i != count; ++i) {
    Value word = count == 1 ? loaded : vector::ExtractOp::create(b, lanes.loc, loaded, i);
    words.push_back(exists ? lanes.select(exists, word, makeWord(lanes, 0)) : word);
  }
  return words;
}

/// One instruction for vectors.
Value weft::takeHalves(LaneBuilder &lanes, Value low, Value high, bool upper) {
  OpBuilder &b = lanes.b;
  auto asHalves = [&](Value word) {
    return LLVM::BitcastOp::create(b, lanes.loc, VectorType::get({2}, b.getI16Type()), word);
  };
  int64_t half = upper ? 1 : 0;
  Value pair = vector::ShuffleOp::create(b, lanes.loc, asHalves(low), asHalves(high),
                                         ArrayRef<int64_t>{half, 2 + half});
  return LLVM::BitcastOp::create(b, lanes.loc, b.getI32Type(), pair);
}

SmallVector<Value> weft::asFactor(LaneBuilder &lanes, ValueRange sums, Type element) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  SmallVector<Value> words;
  auto addWord = [&](Value number) {
    words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), number));
  };
  if (element.isF32()) {
    for (size_t i = 0; i != sums.size(); i += kRegistersC)
      for (size_t j : {0, 2, 1, 3})
        addWord(sums[i + j]);
    return words;
  }
  for (size_t i = 0; i != sums.size(); i += 2) {
    Value pair = vector::FromElementsOp::create(b, loc, VectorType::get({2}, b.getF32Type()),
                                                sums.slice(i, 2));
    addWord(arith::TruncFOp::create(b, loc, VectorType::get({2}, element), pair));
  }
  return words;
}

void weft::addProduct(LaneBuilder &lanes, Type element, ValueRange a, ValueRange b,
                      MutableArrayRef<Value> sums) {
  auto product = nvx::MmaOp::create(lanes.b, lanes.loc, element, a, b, ValueRange(sums));
  llvm::copy(product.getResults(), sums.begin());
}

void weft::addWholeProduct(LaneBuilder &lanes, ValueRange a, ValueRange b,
                           MutableArrayRef<Value> sums) {
  auto product = nvx::MmaCodesOp::create(lanes.b, lanes.loc, a[0], a[1], a[2], a[3], b[0], b[1],
                                         sums[0], sums[1], sums[2], sums[3]);
  llvm::copy(product->getResults(), sums.begin());
}
