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
//===----------------------------------------------------------------------------------------===//

#include "NibbleProduct.h"

#include "NibbleGroups.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

/// Bytes that a column has in a pair of steps.
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
      if (factors.ahead && !factors.numbers)
        fetch(group.shared, /*lines=*/1);
      return factors.inWords ? addWords(group, carried) : addDots(group, carried);
    });
  }

private:
  using Group = NibbleGroups::Group;

  SmallVector<Value> addDots(Group &group, ValueRange sums);
  SmallVector<Value> addWords(Group &group, ValueRange sums);
  void addPair(Group &group, const Lanes &number, MutableArrayRef<Value> sums);

  /// Numbers of both steps of a pair, a vector for each of the columns.
  std::array<SmallVector<Value>, 2> getColumns(Group &group, const Lanes &number);
  void fetch(Value place, int64_t lines) {
    emitPrefetches(b, loc, addElements(lanes, place, factors.ahead / kWord), lines);
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
  if (factors.ahead && !factors.numbers)
    fetch(from, llvm::divideCeil(panel.nr * kWord, kLine));
  for (auto [v, vector] : llvm::enumerate(group.vectors)) {
    Value place = addElements(lanes, from, int64_t(v) * lanes.width);
    Value both = vector.loadNumbers(place);
    if (factors.numbers) {
      columns[0].push_back(both);
      columns[1].push_back(vector.loadNumbers(addElements(lanes, place, panel.nr)));
      continue;
    }
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
      Lanes word = lanes.add(lanes.mul(pair, lanes.constant(2)), lanes.constant(isUpper ? 1 : 0));
      Value left = loadRowCodes(lanes, addElements(lanes, row, word));
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

bool weft::canMultiplyNibbles(const NibblePanel &panel) { return panel.k % kNibblePair == 0; }

SmallVector<Value> weft::multiplyNibbles(LaneBuilder &lanes, const NibblePanel &panel,
                                         const NibbleFactors &factors, ValueRange sums) {
  return NibbleTile(lanes, panel, factors).multiply(sums);
}
