//===- WholeProduct.cpp - integers times codes of whole numbers -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Dots multiply bytes without a sign with those of the rows, which have one: whole numbers get a
// bias that makes them such, and D_g begins with what this adds, times A_g. Where products are
// added up in words, all but codes of 4 bits that are their numbers keep their sign.
//
//===----------------------------------------------------------------------------------------===//

#include "WholeProduct.h"

#include "ExpandScaled.h"
#include "MicroKernel.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/TableCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace weft;

/// Rows of a column in a word, which a dot takes.
static constexpr int64_t kDepth = 4;
/// Dots of a tile's rows that are written out, for which a word has room, if they are of codes of 4
/// bits: 16 products of at most 127 * 15. And integers that are summed up at once.
static constexpr int64_t kUnrolledSteps = 8, kSummed = 64;

/// Whether codes of 4 bits are their numbers, but for what all of these are more.
static bool isRun(CodeTable table) {
  const std::array<int8_t, 16> &values = findWholeNumbers(table)->values;
  return infoOf(table).bits == 4 && llvm::all_of(llvm::enumerate(values), [&](auto number) {
           return number.value() == values[0] + int(number.index());
         });
}

namespace {

/// Codes as bytes: those of the panel, or found by them.
class ByteCodes {
public:
  ByteCodes(LaneBuilder &lanes, CodeTable table, bool inWords)
      : lanes(lanes), numbers(*findWholeNumbers(table)), isShort(infoOf(table).bits == 4),
        isRun(::isRun(table)), inWords(inWords) {}

  float getUnit() const { return numbers.unit; }
  /// What a number is more than its byte.
  int64_t getBias() const { return isRun ? numbers.values[0] : areSigned() ? 0 : kSigned; }
  /// Step number `step` of the rows whose codes share the bytes of a word.
  Value get(Value words, int64_t step);
  /// Their dot with a row's integers, added to a sum.
  Value addDot(Value sum, Value bytes, Value left);
  /// Whether these sums are words, which have room for several dots.
  bool fillWords() const { return inWords && isRun; }

private:
  static constexpr int64_t kSigned = -128;
  bool areSigned() const { return inWords && !isRun; }

  LaneBuilder &lanes;
  WholeNumbers numbers;
  bool isShort, isRun, inWords;
};

/// The groups of a block, and what a tile makes of them.
class WholeTile {
public:
  WholeTile(LaneBuilder &lanes, const ScaledPanel &panel, const WholeFactors &factors)
      : lanes(lanes), b(lanes.b), loc(lanes.loc), panel(panel), info(infoOf(panel.table)),
        factors(factors), reader(lanes, panel, factors.panel),
        codes(lanes, panel.table, factors.inWords), numVectors(panel.nr / lanes.width) {}

  SmallVector<Value> multiply(ValueRange sums);

private:
  SmallVector<Value> addGroup(const Lanes &number, const Lanes &firstRow, ValueRange sums);
  SmallVector<Value> addLines(const Lanes &number, const Lanes &firstRow, ValueRange integers);
  void addLine(const Lanes &place, const Lanes &row, MutableArrayRef<Value> integers);
  Value toReals(Value integers) {
    return arith::SIToFPOp::create(b, loc, lanes.vectorOf(b.getF32Type()), integers);
  }

  LaneBuilder &lanes;
  OpBuilder &b;
  Location loc;
  const ScaledPanel &panel;
  const CodeTableInfo &info;
  const WholeFactors &factors;
  ScaledReader reader;
  ByteCodes codes;
  int64_t numVectors;
};

} // namespace

Value ByteCodes::get(Value words, int64_t step) {
  OpBuilder &b = lanes.b;
  if (!isShort && areSigned())
    return words;
  if (!isShort)
    return arith::XOrIOp::create(b, lanes.loc, words, lanes.intVector(int32_t(0x80808080)));
  if (step != 0)
    words = arith::ShRUIOp::create(b, lanes.loc, words, lanes.intVector(4));
  words = arith::AndIOp::create(b, lanes.loc, words, lanes.intVector(0x0f0f0f0f));
  if (isRun)
    return words;
  std::array<int8_t, 16> bytes = numbers.values;
  for (int8_t &byte : bytes)
    byte = int8_t(areSigned() ? byte : byte ^ kSigned);
  return cpu::LookUpBytesOp::create(b, lanes.loc, words.getType(), words, ArrayRef<int8_t>(bytes));
}

Value ByteCodes::addDot(Value sum, Value bytes, Value left) {
  OpBuilder &b = lanes.b;
  if (areSigned())
    return cpu::DotSignedOp::create(b, lanes.loc, sum.getType(), sum, bytes, left);
  if (fillWords())
    return cpu::DotBytesOp::create(b, lanes.loc, sum.getType(), sum, bytes, left);
  return cpu::DotCodesOp::create(b, lanes.loc, sum.getType(), sum, bytes, left);
}

/// The dots of one line of the panel, whose first row is `row` of the block.
void WholeTile::addLine(const Lanes &place, const Lanes &row, MutableArrayRef<Value> integers) {
  SmallVector<Value> words = reader.loadVectors(place, b.getI32Type());
  Value later = reader.getByte(lanes.add(place, lanes.constant(factors.ahead)));
  int64_t lines = factors.ahead ? int64_t(llvm::divideCeil(panel.getLineBytes(), kLine)) : 0;
  for (int64_t step = 0; step != panel.getRowsOfByte(); ++step) {
    SmallVector<Value> bytes =
        llvm::map_to_vector(words, [&](Value word) { return codes.get(word, step); });
    Lanes first = lanes.add(row, lanes.constant(step * kDepth));
    for (auto [i, pointer] : llvm::enumerate(factors.rows)) {
      Value address = getElementPointer(lanes, pointer, b.getI8Type(), first.value);
      Value left = loadRowCodes(lanes, address);
      for (auto [v, byte] : llvm::enumerate(bytes)) {
        Value &sum = integers[i * size_t(numVectors) + v];
        sum = codes.addDot(sum, byte, left);
      }
    }
    emitShare(b, loc, later, lines, step, panel.getRowsOfByte());
  }
}

SmallVector<Value> WholeTile::addLines(const Lanes &number, const Lanes &firstRow,
                                       ValueRange integers) {
  int64_t numLines = panel.group / panel.getLineRows();
  int64_t atOnce = std::gcd(numLines, kUnrolledSteps / panel.getRowsOfByte());
  Lanes group = getGroupPlace(lanes, panel, number);
  return lanes.loop(
      lanes.constant(numLines / atOnce), integers, [&](const Lanes &part, ValueRange carried) {
        SmallVector<Value> next(carried);
        if (codes.fillWords())
          next.assign(carried.size(), lanes.intVector(0));
        for (int64_t i = 0; i != atOnce; ++i) {
          Lanes line = lanes.add(lanes.mul(part, lanes.constant(atOnce)), lanes.constant(i));
          Lanes place = lanes.add(group, lanes.mul(line, lanes.constant(panel.getLineBytes())));
          Lanes row = lanes.mul(line, lanes.constant(panel.getLineRows()));
          addLine(place, lanes.add(firstRow, row), next);
        }
        if (codes.fillWords())
          for (auto [sum, words] : llvm::zip_equal(carried, next))
            words = cpu::DotWordsOp::create(b, loc, words.getType(), sum, words,
                                            lanes.intVector(0x00010001));
        return next;
      });
}

SmallVector<Value> WholeTile::addGroup(const Lanes &number, const Lanes &firstRow,
                                       ValueRange sums) {
  SmallVector<Value> scales = reader.loadShared(number, /*isShift=*/false), shifts, starts, ofRow;
  if (info.shift != CodeShift::None)
    shifts = reader.loadShared(number, /*isShift=*/true);
  if (codes.getUnit() != 1)
    for (Value &scale : scales)
      scale = arith::MulFOp::create(b, loc, scale, lanes.floatVector(codes.getUnit()));
  auto load = [&](Value pointer, const Lanes &place, Type type) {
    Value own = LLVM::LoadOp::create(b, loc, type, addElements(lanes, pointer, place),
                                     /*alignment=*/4);
    return lanes.materialize(lanes.uniform(own));
  };
  for (Value pointer : factors.sums) {
    starts.append(size_t(numVectors), load(pointer, number, b.getI32Type()));
    if (!shifts.empty())
      ofRow.push_back(
          load(pointer, lanes.add(number, lanes.constant(panel.getGroups())), b.getF32Type()));
  }
  SmallVector<Value> next(sums);
  for (auto [i, integers] : llvm::enumerate(addLines(number, firstRow, starts))) {
    size_t v = i % size_t(numVectors), row = i / size_t(numVectors);
    Value real = toReals(integers);
    if (info.shift == CodeShift::Zero)
      real = multiplyAdd(b, loc, real, shifts[v], ofRow[row]);
    next[i] = multiplyAdd(b, loc, next[i], real, scales[v]);
    if (info.shift == CodeShift::Offset)
      next[i] = multiplyAdd(b, loc, next[i], shifts[v], ofRow[row]);
  }
  return next;
}

SmallVector<Value> WholeTile::multiply(ValueRange sums) {
  Lanes first = lanes.floorDiv(factors.firstK, panel.group);
  return lanes.loop(lanes.floorDiv(factors.sizeK, panel.group), sums,
                    [&](const Lanes &group, ValueRange carried) {
                      return addGroup(lanes.add(first, group),
                                      lanes.mul(group, lanes.constant(panel.group)), carried);
                    });
}

SmallVector<Value> weft::multiplyWhole(LaneBuilder &lanes, const ScaledPanel &panel,
                                       const WholeFactors &factors, ValueRange sums) {
  return WholeTile(lanes, panel, factors).multiply(sums);
}

static bool hasShifts(const ScaledPanel &panel) {
  return infoOf(panel.table).shift != CodeShift::None;
}

int64_t weft::getGroupSumBytes(const ScaledPanel &panel) {
  return (hasShifts(panel) ? 2 : 1) * panel.getGroups() * int64_t(sizeof(int32_t));
}

void weft::sumGroups(LaneBuilder &lanes, const ScaledPanel &panel, bool inWords, Value row,
                     Value target) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  int64_t atOnce = std::gcd(panel.group, kSummed);
  int64_t perInteger = ByteCodes(lanes, panel.table, inWords).getBias();
  Value bias = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(perInteger)));
  auto bytes = VectorType::get(atOnce, b.getI8Type()), words = bytes.clone(b.getI32Type());
  lanes.loop(lanes.constant(panel.getGroups()), {}, [&](const Lanes &group, ValueRange) {
    Lanes first = lanes.mul(group, lanes.constant(panel.group));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(words));
    Value sums = lanes.loop(
        lanes.constant(panel.group / atOnce), zero, [&](const Lanes &part, ValueRange carried) {
          Lanes place = lanes.add(first, lanes.mul(part, lanes.constant(atOnce)));
          Value address = getElementPointer(lanes, row, b.getI8Type(), place.value);
          Value codes = LLVM::LoadOp::create(b, loc, bytes, address, /*alignment=*/1);
          Value wide = arith::ExtSIOp::create(b, loc, words, codes);
          return SmallVector<Value>{arith::AddIOp::create(b, loc, carried[0], wide)};
        })[0];
    Value sum = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sums);
    Value start = arith::MulIOp::create(b, loc, sum, bias);
    LLVM::StoreOp::create(b, loc, start, addElements(lanes, target, group), /*alignment=*/4);
    if (hasShifts(panel)) {
      Value real = arith::SIToFPOp::create(b, loc, b.getF32Type(), sum);
      Lanes place = lanes.add(group, lanes.constant(panel.getGroups()));
      LLVM::StoreOp::create(b, loc, real, addElements(lanes, target, place), /*alignment=*/4);
    }
    return SmallVector<Value>();
  });
}
