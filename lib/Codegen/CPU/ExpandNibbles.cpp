//===- ExpandNibbles.cpp - codes of 4 bits as bytes -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// For many rows a block of a panel is expanded once. For a few its numbers are multiplied as they
// are, and a group's sums by its factors: whole numbers, so that the sums are the same.
//
//===----------------------------------------------------------------------------------------===//

#include "ExpandNibbles.h"

#include "MicroKernel.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

/// Rows of the two steps whose codes share bytes.
static constexpr int64_t kNibblePair = 8;
/// Bytes that a column has in such a pair.
static constexpr int64_t kWord = 4;

namespace {

/// Writes the code of one vector of columns of a group: four bytes in each lane.
class NibbleVector {
public:
  NibbleVector(LaneBuilder &lanes) : lanes(lanes), b(lanes.b), loc(lanes.loc) {}

  /// Factors and zeros of the columns whose bytes are at `pointer`.
  void loadGroup(Value pointer) {
    Type memory = lanes.vectorOf(b.getI8Type());
    Value shared = LLVM::LoadOp::create(b, loc, memory, pointer, /*alignment=*/1);
    shared = arith::ExtUIOp::create(b, loc, words(), shared);
    factors = getHalf(shared, /*isUpper=*/false);
    zeros = toBytes(repeat(getHalf(shared, /*isUpper=*/true)));
  }

  /// The factors, a number in each lane.
  Value getFactors() { return factors; }
  /// The same in each byte.
  Value getByteFactors() { return toBytes(repeat(factors)); }

  /// Numbers of two steps.
  Value loadNumbers(Value pointer) {
    return LLVM::LoadOp::create(b, loc, words(), pointer, /*alignment=*/4);
  }
  /// Those of one of them without the zero, in bytes.
  Value getNumbers(Value both, bool isUpper) {
    return arith::SubIOp::create(b, loc, toBytes(getHalf(both, isUpper)), zeros);
  }

private:
  Type words() { return lanes.vectorOf(b.getI32Type()); }
  Value getHalf(Value words, bool isUpper) {
    if (isUpper)
      words = arith::ShRUIOp::create(b, loc, words, lanes.intVector(4));
    return arith::AndIOp::create(b, loc, words, lanes.intVector(0x0f0f0f0f));
  }
  Value repeat(Value words) {
    return arith::MulIOp::create(b, loc, words, lanes.intVector(0x01010101));
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

/// Where the groups of a block of rows are, and how many pairs of steps one has.
struct NibbleGroups {
  NibbleGroups(LaneBuilder &lanes, const NibblePanel &panel, Value source, const Lanes &firstK,
               const Lanes &sizeK);

  /// Calls `body` for each group with its number in the block and its vectors, and the values that
  /// are carried from one to the next.
  SmallVector<Value>
  loop(ValueRange inits, function_ref<SmallVector<Value>(const Lanes &group,
                                                         MutableArrayRef<NibbleVector>, ValueRange)>
                             body);
  /// The pair number `iv` of a group, counted from the block's first.
  Lanes getPair(const Lanes &group, const Lanes &iv);

  LaneBuilder &lanes;
  const NibblePanel &panel;
  Value numbers; ///< of the block's first pair
  Lanes numGroups, numPairs;

private:
  Value shared;
};

} // namespace

NibbleGroups::NibbleGroups(LaneBuilder &lanes, const NibblePanel &panel, Value source,
                           const Lanes &firstK, const Lanes &sizeK)
    : lanes(lanes), panel(panel) {
  bool isOne = panel.getGroups() == 1;
  numGroups = isOne ? lanes.constant(1) : lanes.floorDiv(sizeK, panel.group);
  numPairs = isOne ? lanes.ceilDiv(sizeK, kNibblePair) : lanes.constant(panel.group / kNibblePair);
  Lanes firstPair = lanes.floorDiv(firstK, kNibblePair), nr = lanes.constant(panel.nr);
  numbers = addElements(lanes, source, lanes.mul(firstPair, nr));
  Value bytes = addElements(lanes, source, panel.getCodeBytes() / 4);
  Lanes place = lanes.mul(lanes.floorDiv(firstK, panel.group), nr);
  shared = getElementPointer(lanes, bytes, lanes.b.getI8Type(), place.value);
}

SmallVector<Value> NibbleGroups::loop(
    ValueRange inits,
    function_ref<SmallVector<Value>(const Lanes &, MutableArrayRef<NibbleVector>, ValueRange)>
        body) {
  Type byte = lanes.b.getI8Type();
  return lanes.loop(numGroups, inits, [&](const Lanes &group, ValueRange carried) {
    SmallVector<NibbleVector> vectors;
    for (int64_t column = 0; column != panel.nr; column += lanes.width) {
      Lanes place = lanes.add(lanes.mul(group, lanes.constant(panel.nr)), lanes.constant(column));
      vectors.emplace_back(lanes).loadGroup(getElementPointer(lanes, shared, byte, place.value));
    }
    return body(group, vectors, carried);
  });
}

Lanes NibbleGroups::getPair(const Lanes &group, const Lanes &iv) {
  return lanes.add(lanes.mul(group, numPairs), iv);
}

bool weft::canMultiplyNibbles(const NibblePanel &panel) { return panel.k % kNibblePair == 0; }

int64_t weft::getExpandedBytes(const NibblePanel &panel, int64_t rows) {
  return int64_t(llvm::divideCeil(rows, kNibblePair)) * 2 * panel.getRowBytes();
}

void weft::expandNibbles(LaneBuilder &lanes, const NibblePanel &panel, Value source, Value target,
                         const Lanes &firstK, const Lanes &sizeK) {
  NibbleGroups groups(lanes, panel, source, firstK, sizeK);
  groups.loop({}, [&](const Lanes &group, MutableArrayRef<NibbleVector> vectors, ValueRange) {
    SmallVector<Value> factors =
        llvm::map_to_vector(vectors, [](NibbleVector &v) { return v.getByteFactors(); });
    lanes.loop(groups.numPairs, {}, [&](const Lanes &iv, ValueRange) {
      Lanes words = lanes.mul(groups.getPair(group, iv), lanes.constant(panel.nr));
      Value from = addElements(lanes, groups.numbers, words);
      Value to = addElements(lanes, target, lanes.mul(words, lanes.constant(2)));
      for (auto [v, vector] : llvm::enumerate(vectors)) {
        int64_t column = int64_t(v) * lanes.width;
        Value both = vector.loadNumbers(addElements(lanes, from, column));
        for (bool isUpper : {false, true}) {
          Value codes = arith::MulIOp::create(lanes.b, lanes.loc, vector.getNumbers(both, isUpper),
                                              factors[v]);
          storeVector(lanes, addElements(lanes, to, column + (isUpper ? panel.nr : 0)), codes);
        }
      }
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

/// The codes of a row for one step, in all lanes.
static Value loadRowCodes(LaneBuilder &lanes, Value row, const Lanes &pair, bool isUpper) {
  Lanes words = lanes.add(lanes.mul(pair, lanes.constant(2)), lanes.constant(isUpper ? 1 : 0));
  Value codes = LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                                     addElements(lanes, row, words), /*alignment=*/1);
  return lanes.materialize(lanes.uniform(codes));
}

SmallVector<Value> weft::multiplyNibbles(LaneBuilder &lanes, const NibblePanel &panel, Value source,
                                         ArrayRef<Value> rows, const Lanes &firstK,
                                         const Lanes &sizeK, int64_t ahead, ValueRange sums) {
  OpBuilder &b = lanes.b;
  Type words = lanes.vectorOf(b.getI32Type());
  NibbleGroups groups(lanes, panel, source, firstK, sizeK);
  return groups.loop(sums, [&](const Lanes &group, MutableArrayRef<NibbleVector> vectors,
                               ValueRange carried) {
    SmallVector<Value> none(sums.size(), lanes.intVector(0));
    SmallVector<Value> ofGroup =
        lanes.loop(groups.numPairs, none, [&](const Lanes &iv, ValueRange inner) {
          SmallVector<Value> next(inner);
          Lanes pair = groups.getPair(group, iv);
          Value from =
              addElements(lanes, groups.numbers, lanes.mul(pair, lanes.constant(panel.nr)));
          if (ahead)
            emitPrefetches(b, lanes.loc, addElements(lanes, from, ahead / kWord),
                           llvm::divideCeil(panel.nr * kWord, kLine));
          SmallVector<Value> both;
          for (auto [v, vector] : llvm::enumerate(vectors))
            both.push_back(vector.loadNumbers(addElements(lanes, from, int64_t(v) * lanes.width)));
          for (bool isUpper : {false, true}) {
            SmallVector<Value> columns;
            for (auto [v, vector] : llvm::enumerate(vectors))
              columns.push_back(LLVM::BitcastOp::create(b, lanes.loc, words,
                                                        vector.getNumbers(both[v], isUpper)));
            for (auto [i, row] : llvm::enumerate(rows)) {
              Value left = loadRowCodes(lanes, row, pair, isUpper);
              for (auto [v, column] : llvm::enumerate(columns)) {
                Value &sum = next[i * columns.size() + v];
                sum = cpu::DotCodesOp::create(b, lanes.loc, words, sum, left, column);
              }
            }
          }
          return next;
        });
    SmallVector<Value> next;
    for (auto [i, sum] : llvm::enumerate(ofGroup)) {
      Value scaled =
          arith::MulIOp::create(b, lanes.loc, sum, vectors[i % vectors.size()].getFactors());
      next.push_back(arith::AddIOp::create(b, lanes.loc, carried[i], scaled));
    }
    return next;
  });
}
