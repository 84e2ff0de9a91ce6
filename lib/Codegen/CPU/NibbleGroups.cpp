//===- NibbleGroups.cpp - the groups of a panel of codes of 4 bits --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "NibbleGroups.h"

#include "MicroKernel.h"

#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

void NibbleVector::loadGroup(Value pointer) {
  Type memory = lanes.vectorOf(b.getI8Type());
  Value shared = LLVM::LoadOp::create(b, loc, memory, pointer, /*alignment=*/1);
  shared = arith::ExtUIOp::create(b, loc, words(), shared);
  factors = getHalf(shared, /*isUpper=*/false);
  zeros = getHalf(shared, /*isUpper=*/true);
  zeroBytes = repeatBytes(zeros, /*bytes=*/1);
}

Value NibbleVector::loadNumbers(Value pointer) {
  return LLVM::LoadOp::create(b, loc, words(), pointer, /*alignment=*/4);
}

Value NibbleVector::getNumbers(Value both, bool isUpper) {
  return arith::SubIOp::create(b, loc, toBytes(getHalf(both, isUpper)), zeroBytes);
}

/// A number of 8 bits times another is a word.
Value NibbleVector::getZeroCodes() {
  Value products = arith::MulIOp::create(b, loc, toShorts(zeros), toShorts(factors));
  return repeatBytes(products, /*bytes=*/1);
}

Value NibbleVector::getWordFactors() {
  return LLVM::BitcastOp::create(b, loc, words(), repeatBytes(factors, /*bytes=*/2));
}

/// Numbers times factors are at most 15 * 15, so two bytes are multiplied in a word, where there is
/// an instruction for it.
Value NibbleVector::getCodes(Value both, bool isUpper, Value wordFactors, Value zeroCodes) {
  Value numbers = toShorts(getHalf(both, isUpper));
  Value products = arith::MulIOp::create(b, loc, numbers, toShorts(wordFactors));
  return arith::SubIOp::create(b, loc, toBytes(products), zeroCodes);
}

Value NibbleVector::getUpperTimes16(Value both) {
  Value upper = arith::AndIOp::create(b, loc, both, lanes.intVector(int32_t(0xf0f0f0f0)));
  return arith::XOrIOp::create(b, loc, upper, lanes.intVector(int32_t(0x80808080)));
}

Value NibbleVector::getHalf(Value words, bool isUpper) {
  if (isUpper)
    words = arith::ShRUIOp::create(b, loc, words, lanes.intVector(4));
  return arith::AndIOp::create(b, loc, words, lanes.intVector(0x0f0f0f0f));
}

/// A permutation within each 16 bytes.
Value NibbleVector::repeatBytes(Value words, int64_t bytes) {
  SmallVector<int64_t> places;
  for (int64_t i = 0; i != 4 * lanes.width; ++i)
    places.push_back(i / 4 * 4 + i % bytes);
  Value all = toBytes(words);
  return vector::ShuffleOp::create(b, loc, all, all, places);
}

Value NibbleVector::toShorts(Value words) {
  auto shorts = VectorType::get({2 * lanes.width}, b.getI16Type());
  return LLVM::BitcastOp::create(b, loc, shorts, words);
}

Value NibbleVector::toBytes(Value words) {
  auto bytes = VectorType::get({4 * lanes.width}, b.getI8Type());
  return LLVM::BitcastOp::create(b, loc, bytes, words);
}

NibbleGroups::NibbleGroups(LaneBuilder &lanes, const NibblePanel &panel, Value source,
                           const Lanes &firstK, const Lanes &sizeK)
    : lanes(lanes), panel(panel), source(source) {
  bool isOne = panel.getGroups() == 1;
  numGroups = isOne ? lanes.constant(1) : lanes.floorDiv(sizeK, panel.group);
  numPairs = isOne ? lanes.ceilDiv(sizeK, kNibblePair) : lanes.constant(panel.group / kNibblePair);
  firstGroup = isOne ? lanes.constant(0) : lanes.floorDiv(firstK, panel.group);
  firstRow = isOne ? lanes.floorDiv(firstK, kNibblePair) : lanes.constant(0);
}

void NibbleGroups::fetchLine(Value place, size_t vector, int64_t ahead) {
  if (ahead && int64_t(vector) * lanes.width * kPairBytes % kLine == 0)
    emitPrefetches(lanes.b, lanes.loc, addElements(lanes, place, ahead / kPairBytes), /*lines=*/1);
}

Value NibbleGroups::getByte(const Lanes &place) {
  return getElementPointer(lanes, source, lanes.b.getI8Type(), place.value);
}

void NibbleGroups::find(Group &group, const Lanes &number) {
  group.place = lanes.add(firstGroup, number);
  Lanes inRun = lanes.mod(group.place, panel.getRunGroups());
  Lanes run = times(lanes.floorDiv(group.place, panel.getRunGroups()), panel.getRunBytes());
  group.shared = getByte(lanes.add(run, times(inRun, panel.nr)));
  Lanes numbers =
      lanes.add(times(inRun, panel.getGroupBytes()), lanes.constant(panel.getSharedBytes()));
  numbers = lanes.add(numbers, times(firstRow, panel.getRowBytes()));
  group.numbers = getByte(lanes.add(run, numbers));
  group.firstPair = lanes.mul(number, numPairs);
}

SmallVector<Value> NibbleGroups::loop(ValueRange inits, Body body) {
  return lanes.loop(numGroups, inits, [&](const Lanes &number, ValueRange carried) {
    Group group;
    find(group, number);
    for (int64_t column = 0; column != panel.nr; column += lanes.width) {
      Value pointer =
          getElementPointer(lanes, group.shared, lanes.b.getI8Type(), lanes.constant(column).value);
      group.vectors.emplace_back(lanes).loadGroup(pointer);
    }
    return body(group, carried);
  });
}
