//===- NibbleProduct.cpp - codes times codes of 4 bits as they are --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Numbers are multiplied as they are, and a group's sums by its factors: whole numbers, so that the
// sums are those of codes. Where there are no dots of four codes, two products are added in a word,
// several steps one after the other, and the factors multiply what words add up to.
//
// For one or two rows the instructions count that make numbers of bytes. With the row's codes r,
// numbers u of first steps and U of second ones,
//   sum r (u - z) + sum r (U - z) = sum r u + (sum r 16 (U - 8)) / 16 + 8 sum r - z sum r,
// where the third sum is of second steps' codes and the last of all: these are made once for all
// columns. A byte is two instructions then, in place of five.
//
//===----------------------------------------------------------------------------------------===//

#include "NibbleProduct.h"

#include "NibbleGroups.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace weft;

/// Bytes of four codes of a row.
static constexpr int64_t kWord = 4;
/// Pairs of steps that a word has room for: 8 products of at most 255 * 15.
static constexpr int64_t kPairsOfWords = 2;

namespace {

class NibbleTile {
public:
  NibbleTile(LaneBuilder &lanes, const NibblePanel &panel, const NibbleFactors &factors)
      : lanes(lanes), b(lanes.b), loc(lanes.loc), panel(panel), factors(factors),
        groups(lanes, panel, factors.panel, factors.firstK, factors.sizeK),
        words(lanes.vectorOf(b.getI32Type())) {}

  SmallVector<Value> multiply(ValueRange sums) {
    return groups.loop(sums, [&](NibbleGroups::Group &group, ValueRange carried) {
      if (!factors.numbers)
        fetchLine(group.shared, /*vector=*/0);
      if (factors.inWords)
        return addWords(group, carried);
      return factors.sums.empty() ? addDots(group, carried) : addApart(group, carried);
    });
  }

private:
  using Group = NibbleGroups::Group;

  SmallVector<Value> addDots(Group &group, ValueRange sums);
  SmallVector<Value> addWords(Group &group, ValueRange sums);
  /// Zeros are left out: sums of first steps, then those of second ones.
  SmallVector<Value> addApart(Group &group, ValueRange sums);
  void addPairApart(Group &group, const Lanes &number, MutableArrayRef<Value> apart);
  /// Of a row's group, in all lanes, as words.
  Value loadSum(Value sums, const Lanes &place, Type type);
  void addPair(Group &group, const Lanes &number, MutableArrayRef<Value> sums);

  /// Numbers of both steps of a pair, a vector for each of the columns.
  std::array<SmallVector<Value>, 2> getColumns(Group &group, const Lanes &number);
  void fetchLine(Value place, size_t vector) { groups.fetchLine(place, vector, factors.ahead); }
  Value loadRow(Value row, const Lanes &pair, bool isUpper) {
    Lanes word = lanes.add(lanes.mul(pair, lanes.constant(2)), lanes.constant(isUpper ? 1 : 0));
    return loadRowCodes(lanes, addElements(lanes, row, word));
  }
  SmallVector<Value> zeros(size_t count) { return SmallVector<Value>(count, lanes.intVector(0)); }

  LaneBuilder &lanes;
  OpBuilder &b;
  Location loc;
  const NibblePanel &panel;
  const NibbleFactors &factors;
  NibbleGroups groups;
  Type words;
};

} // namespace

std::array<SmallVector<Value>, 2> NibbleTile::getColumns(Group &group, const Lanes &number) {
  std::array<SmallVector<Value>, 2> columns;
  int64_t perPair = factors.numbers ? 2 * panel.nr : panel.nr;
  Lanes pair = factors.numbers ? lanes.add(group.firstPair, number) : number;
  Value from = addElements(lanes, factors.numbers ? factors.numbers : group.numbers,
                           lanes.mul(pair, lanes.constant(perPair)));
  for (auto [v, vector] : llvm::enumerate(group.vectors)) {
    Value place = addElements(lanes, from, int64_t(v) * lanes.width);
    Value both = vector.loadNumbers(place);
    if (factors.numbers) {
      columns[0].push_back(both);
      columns[1].push_back(vector.loadNumbers(addElements(lanes, place, panel.nr)));
      continue;
    }
    fetchLine(place, v);
    for (bool isUpper : {false, true})
      columns[isUpper].push_back(
          LLVM::BitcastOp::create(b, loc, words, vector.getNumbers(both, isUpper)));
  }
  return columns;
}

void NibbleTile::addPair(Group &group, const Lanes &number, MutableArrayRef<Value> sums) {
  std::array<SmallVector<Value>, 2> columns = getColumns(group, number);
  Lanes pair = lanes.add(group.firstPair, number);
  for (bool isUpper : {false, true})
    for (auto [i, row] : llvm::enumerate(factors.rows)) {
      Value left = loadRow(row, pair, isUpper);
      for (auto [v, column] : llvm::enumerate(columns[isUpper])) {
        Value &sum = sums[i * group.vectors.size() + v];
        if (factors.inWords)
          sum = cpu::DotBytesOp::create(b, loc, words, sum, left, column);
        else
          sum = cpu::DotCodesOp::create(b, loc, words, sum, left, column);
      }
    }
}

SmallVector<Value> NibbleTile::addDots(Group &group, ValueRange sums) {
  SmallVector<Value> ofGroup =
      lanes.loop(groups.numPairs, zeros(sums.size()), [&](const Lanes &iv, ValueRange carried) {
        SmallVector<Value> next(carried);
        addPair(group, iv, next);
        return next;
      });
  SmallVector<Value> next;
  for (auto [i, sum] : llvm::enumerate(ofGroup)) {
    Value factor = group.vectors[i % group.vectors.size()].getFactors();
    next.push_back(
        arith::AddIOp::create(b, loc, sums[i], arith::MulIOp::create(b, loc, sum, factor)));
  }
  return next;
}

void NibbleTile::addPairApart(Group &group, const Lanes &number, MutableArrayRef<Value> apart) {
  Value from = addElements(lanes, group.numbers, lanes.mul(number, lanes.constant(panel.nr)));
  Lanes pair = lanes.add(group.firstPair, number);
  size_t numVectors = group.vectors.size(), numSums = apart.size() / 2;
  for (auto [v, vector] : llvm::enumerate(group.vectors)) {
    Value place = addElements(lanes, from, int64_t(v) * lanes.width);
    Value both = vector.loadNumbers(place);
    for (bool isUpper : {false, true}) {
      Value column = isUpper ? vector.getUpperTimes16(both) : vector.getLower(both);
      if (isUpper)
        fetchLine(place, v);
      for (auto [i, row] : llvm::enumerate(factors.rows)) {
        Value &sum = apart[isUpper * numSums + i * numVectors + v];
        sum = cpu::DotCodesOp::create(b, loc, words, sum, loadRow(row, pair, isUpper), column);
      }
    }
  }
}

Value NibbleTile::loadSum(Value sums, const Lanes &place, Type type) {
  Value sum = LLVM::LoadOp::create(b, loc, type, getElementPointer(lanes, sums, type, place.value));
  return lanes.materialize(lanes.uniform(
      type == b.getI32Type() ? sum : arith::ExtSIOp::create(b, loc, b.getI32Type(), sum)));
}

SmallVector<Value> NibbleTile::addApart(Group &group, ValueRange sums) {
  size_t numVectors = group.vectors.size();
  SmallVector<Value> apart, next;
  for (Value row : factors.sums)
    apart.append(numVectors, loadSum(row, group.place, b.getI32Type()));
  llvm::append_range(apart, zeros(sums.size()));
  apart = lanes.loop(groups.numPairs, apart, [&](const Lanes &number, ValueRange carried) {
    SmallVector<Value> now(carried);
    addPairApart(group, number, now);
    return now;
  });
  for (auto [i, sum] : llvm::enumerate(sums)) {
    NibbleVector &vector = group.vectors[i % numVectors];
    Value behind = addElements(lanes, factors.sums[i / numVectors], panel.getGroups());
    Value ofZeros = arith::MulIOp::create(b, loc, vector.getZeros(),
                                          loadSum(behind, group.place, b.getI16Type()));
    Value upper = arith::ShRSIOp::create(b, loc, apart[sums.size() + i], lanes.intVector(4));
    Value numbers = arith::AddIOp::create(b, loc, apart[i], upper);
    numbers = arith::SubIOp::create(b, loc, numbers, ofZeros);
    numbers = arith::MulIOp::create(b, loc, numbers, vector.getFactors());
    next.push_back(arith::AddIOp::create(b, loc, sum, numbers));
  }
  return next;
}

SmallVector<Value> NibbleTile::addWords(Group &group, ValueRange sums) {
  SmallVector<Value> factorWords = llvm::map_to_vector(
      group.vectors, [](NibbleVector &vector) { return vector.getWordFactors(); });
  int64_t atOnce = groups.numPairs.divisor % kPairsOfWords == 0 ? kPairsOfWords : 1;
  return lanes.loop(
      lanes.floorDiv(groups.numPairs, atOnce), sums, [&](const Lanes &part, ValueRange carried) {
        SmallVector<Value> ofWords = zeros(sums.size()), next(carried);
        for (int64_t i = 0; i != atOnce; ++i)
          addPair(group, lanes.add(lanes.mul(part, lanes.constant(atOnce)), lanes.constant(i)),
                  ofWords);
        for (auto [i, sum] : llvm::enumerate(next))
          sum = cpu::DotWordsOp::create(b, loc, words, sum, ofWords[i],
                                        factorWords[i % factorWords.size()]);
        return next;
      });
}

bool weft::canSumNibbles(const NibblePanel &panel) {
  constexpr int64_t most = std::numeric_limits<int16_t>::max() / 255;
  return panel.getGroups() > 1 && panel.group <= most && panel.group % (2 * kNibblePair) == 0;
}

int64_t weft::getNibbleSumBytes(const NibblePanel &panel) {
  return llvm::alignTo(panel.getGroups() * int64_t(sizeof(int32_t) + sizeof(int16_t)), kWord);
}

/// Dots with ones add up words, pair after pair: four lanes are two pairs' first and second steps.
void weft::sumNibbleRow(LaneBuilder &lanes, const NibblePanel &panel, Value row, Value target) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  auto words = VectorType::get(4, b.getI32Type());
  auto constant = [&](VectorType type, int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
  };
  Value ones = constant(words, 0x01010101), zero = constant(words, 0);
  Value three = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(3));
  Value behind = addElements(lanes, target, panel.getGroups());
  lanes.loop(lanes.constant(panel.getGroups()), {}, [&](const Lanes &group, ValueRange) {
    Value first = addElements(lanes, row, lanes.mul(group, lanes.constant(panel.group / kWord)));
    Value sums = zero;
    for (int64_t word = 0; word != panel.group / kWord; word += words.getNumElements()) {
      Value codes =
          LLVM::LoadOp::create(b, loc, words, addElements(lanes, first, word), /*alignment=*/1);
      sums = cpu::DotCodesOp::create(b, loc, words, sums, codes, ones);
    }
    Value others = vector::ShuffleOp::create(b, loc, sums, sums, ArrayRef<int64_t>{2, 3, 0, 1});
    sums = arith::AddIOp::create(b, loc, sums, others);
    Value ofFirst = vector::ExtractOp::create(b, loc, sums, 0),
          ofSecond = vector::ExtractOp::create(b, loc, sums, 1);
    Value all = arith::AddIOp::create(b, loc, ofFirst, ofSecond);
    LLVM::StoreOp::create(b, loc, arith::ShLIOp::create(b, loc, ofSecond, three),
                          addElements(lanes, target, group));
    LLVM::StoreOp::create(b, loc, arith::TruncIOp::create(b, loc, b.getI16Type(), all),
                          getElementPointer(lanes, behind, b.getI16Type(), group.value));
    return SmallVector<Value>();
  });
}

bool weft::canMultiplyNibbles(const NibblePanel &panel) { return panel.k % kNibblePair == 0; }

SmallVector<Value> weft::multiplyNibbles(LaneBuilder &lanes, const NibblePanel &panel,
                                         const NibbleFactors &factors, ValueRange sums) {
  return NibbleTile(lanes, panel, factors).multiply(sums);
}
