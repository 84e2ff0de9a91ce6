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

/// The groups of a block of rows, and how many pairs of steps one has.
struct NibbleGroups {
  NibbleGroups(LaneBuilder &lanes, const NibblePanel &panel, Value source, const Lanes &firstK,
               const Lanes &sizeK);

  /// What a group is: its first pair, counted from the block's, its numbers and their vectors.
  struct Group {
    Lanes firstPair;
    Value numbers, shared;
    SmallVector<NibbleVector> vectors;
  };
  using Body = function_ref<SmallVector<Value>(Group &, ValueRange carried)>;
  /// Calls `body` for each group with the values that are carried from one to the next.
  SmallVector<Value> loop(ValueRange inits, Body body);

  LaneBuilder &lanes;
  const NibblePanel &panel;
  Lanes numGroups, numPairs;

private:
  Value getByte(const Lanes &place) {
    return getElementPointer(lanes, source, lanes.b.getI8Type(), place.value);
  }
  Lanes times(const Lanes &number, int64_t bytes) {
    return lanes.mul(number, lanes.constant(bytes));
  }
  void find(Group &group, const Lanes &number);

  Value source;
  Lanes firstGroup, firstRow; ///< of the panel; the row's pair, of the only group
};

} // namespace

NibbleGroups::NibbleGroups(LaneBuilder &lanes, const NibblePanel &panel, Value source,
                           const Lanes &firstK, const Lanes &sizeK)
    : lanes(lanes), panel(panel), source(source) {
  bool isOne = panel.getGroups() == 1;
  numGroups = isOne ? lanes.constant(1) : lanes.floorDiv(sizeK, panel.group);
  numPairs = isOne ? lanes.ceilDiv(sizeK, kNibblePair) : lanes.constant(panel.group / kNibblePair);
  firstGroup = isOne ? lanes.constant(0) : lanes.floorDiv(firstK, panel.group);
  firstRow = isOne ? lanes.floorDiv(firstK, kNibblePair) : lanes.constant(0);
}

void NibbleGroups::find(Group &group, const Lanes &number) {
  Lanes place = lanes.add(firstGroup, number), inRun = lanes.mod(place, panel.getRunGroups());
  Lanes run = times(lanes.floorDiv(place, panel.getRunGroups()), panel.getRunBytes());
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

bool weft::canMultiplyNibbles(const NibblePanel &panel) { return panel.k % kNibblePair == 0; }

int64_t weft::getExpandedBytes(const NibblePanel &panel, int64_t rows) {
  return int64_t(llvm::divideCeil(rows, kNibblePair)) * 2 * panel.getRowBytes();
}

void weft::expandNibbles(LaneBuilder &lanes, const NibblePanel &panel, Value source, Value target,
                         const Lanes &firstK, const Lanes &sizeK) {
  NibbleGroups groups(lanes, panel, source, firstK, sizeK);
  groups.loop({}, [&](NibbleGroups::Group &group, ValueRange) {
    SmallVector<Value> factors =
        llvm::map_to_vector(group.vectors, [](NibbleVector &v) { return v.getByteFactors(); });
    lanes.loop(groups.numPairs, {}, [&](const Lanes &iv, ValueRange) {
      Value from = addElements(lanes, group.numbers, lanes.mul(iv, lanes.constant(panel.nr)));
      Lanes pair = lanes.add(group.firstPair, iv);
      Value to = addElements(lanes, target, lanes.mul(pair, lanes.constant(2 * panel.nr)));
      for (auto [v, vector] : llvm::enumerate(group.vectors)) {
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
  return groups.loop(sums, [&](NibbleGroups::Group &group, ValueRange carried) {
    SmallVector<NibbleVector> &vectors = group.vectors;
    if (ahead)
      emitPrefetches(b, lanes.loc, addElements(lanes, group.shared, ahead / kWord), /*lines=*/1);
    SmallVector<Value> none(sums.size(), lanes.intVector(0));
    SmallVector<Value> ofGroup =
        lanes.loop(groups.numPairs, none, [&](const Lanes &iv, ValueRange inner) {
          SmallVector<Value> next(inner);
          Lanes pair = lanes.add(group.firstPair, iv);
          Value from = addElements(lanes, group.numbers, lanes.mul(iv, lanes.constant(panel.nr)));
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
