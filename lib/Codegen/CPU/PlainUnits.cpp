//===- PlainUnits.cpp - what units compute, as vector code ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PlainUnits.h"

#include "weft/Codegen/Common/Combine.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

/// Both products are exact in f32, so only the additions round.
Value weft::writePlainDot(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  for (bool isHigh : {false, true}) {
    sum = multiplyAdd(b, loc, sum, cpu::extendHalf(b, loc, lhs, isHigh),
                      cpu::extendHalf(b, loc, rhs, isHigh));
  }
  return sum;
}

/// Of lanes of 32 bits, `bits` of them from bit `first` on, with or without a sign.
static Value getPart(OpBuilder &b, Location loc, Value lanes, int64_t first, int64_t bits,
                     bool isSigned) {
  auto constant = [&](int64_t value) {
    return createScalarOrSplatConstant(b, loc, lanes.getType(), value);
  };
  Value upper = arith::ShLIOp::create(b, loc, lanes, constant(32 - bits - first));
  if (isSigned)
    return arith::ShRSIOp::create(b, loc, upper, constant(32 - bits));
  return arith::ShRUIOp::create(b, loc, upper, constant(32 - bits));
}

/// The product of both factors' bytes number `byte`, in each lane.
static Value multiplyBytes(OpBuilder &b, Location loc, Value lhs, Value rhs, int64_t byte,
                           bool isLeftSigned = false) {
  return arith::MulIOp::create(b, loc, getPart(b, loc, lhs, 8 * byte, 8, isLeftSigned),
                               getPart(b, loc, rhs, 8 * byte, 8, /*isSigned=*/true));
}

Value weft::writePlainDotCodes(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  for (int64_t byte = 0; byte != 4; ++byte)
    sum = arith::AddIOp::create(b, loc, sum, multiplyBytes(b, loc, lhs, rhs, byte));
  return sum;
}

Value weft::writePlainDotSigned(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  for (int64_t byte = 0; byte != 4; ++byte)
    sum = arith::AddIOp::create(b, loc, sum,
                                multiplyBytes(b, loc, lhs, rhs, byte, /*isLeftSigned=*/true));
  return sum;
}

/// Words are added as such: none carries into its neighbour.
Value weft::writePlainDotBytes(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  auto type = cast<VectorType>(sum.getType());
  auto words = VectorType::get(2 * type.getNumElements(), b.getI16Type());
  Value both[2];
  for (int64_t word = 0; word != 2; ++word)
    both[word] = arith::AddIOp::create(b, loc, multiplyBytes(b, loc, lhs, rhs, 2 * word),
                                       multiplyBytes(b, loc, lhs, rhs, 2 * word + 1));
  Value low = getPart(b, loc, both[0], 0, 16, /*isSigned=*/false);
  Value high =
      arith::ShLIOp::create(b, loc, both[1], createScalarOrSplatConstant(b, loc, type, 16));
  Value added = arith::AddIOp::create(
      b, loc, LLVM::BitcastOp::create(b, loc, words, sum),
      LLVM::BitcastOp::create(b, loc, words, arith::OrIOp::create(b, loc, low, high)));
  return LLVM::BitcastOp::create(b, loc, type, added);
}

Value weft::writePlainDotWords(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  for (int64_t word = 0; word != 2; ++word) {
    Value product =
        arith::MulIOp::create(b, loc, getPart(b, loc, lhs, 16 * word, 16, /*isSigned=*/true),
                              getPart(b, loc, rhs, 16 * word, 16, /*isSigned=*/true));
    sum = arith::AddIOp::create(b, loc, sum, product);
  }
  return sum;
}

Value weft::writePlainLookUpBytes(OpBuilder &b, Location loc, Value words, ArrayRef<int8_t> table) {
  int64_t lanes = cast<VectorType>(words.getType()).getNumElements();
  auto type = VectorType::get(4 * lanes, b.getI8Type());
  auto constant = [&](int64_t value) { return createScalarOrSplatConstant(b, loc, type, value); };
  Value bytes = LLVM::BitcastOp::create(b, loc, type, words);
  SmallVector<Value> left = llvm::map_to_vector(table, constant);
  for (int64_t bit = 1; left.size() > 1; bit *= 2) {
    Value own = arith::AndIOp::create(b, loc, bytes, constant(bit));
    Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own, constant(0));
    for (size_t i = 0; i != left.size() / 2; ++i)
      left[i] = arith::SelectOp::create(b, loc, isSet, left[2 * i + 1], left[2 * i]);
    left.truncate(left.size() / 2);
  }
  return LLVM::BitcastOp::create(b, loc, words.getType(), left.front());
}

/// Bytes of a line of sums or of a panel, of all rows of a tile, and of a vector.
static constexpr int64_t kLineBytes = 4 * kTileColumns, kTileBytes = kTileRows * kTileRowBytes,
                         kVector = 64;

namespace {

/// A tile product as loops over blocks of its rows, each row with two vectors of sums.
class PlainTile {
public:
  PlainTile(cpu::TileProductOp op, decltype(writePlainDot) *dot)
      : op(op), dot(dot), b(op), loc(op.getLoc()), zero(index(0)), one(index(1)) {}

  void write() {
    // As many sums as there are registers for, which hide each other's latency.
    constexpr int64_t block = 8;
    Value rest = arith::RemUIOp::create(b, loc, op.getCount(), index(block));
    Value end = arith::SubIOp::create(b, loc, op.getCount(), rest);
    writeRows(zero, end, block);
    writeRows(end, op.getCount(), 1);
  }

private:
  void writeRows(Value first, Value end, int64_t numRows) {
    OpBuilder::InsertionGuard guard(b);
    scf::ForOp rows = scf::ForOp::create(b, loc, first, end, index(numRows));
    b.setInsertionPointToStart(rows.getBody());
    SmallVector<Value> places, factors, start;
    for (int64_t i = 0; i != numRows; ++i) {
      Value row = arith::AddIOp::create(b, loc, rows.getInductionVar(), index(i));
      factors.push_back(address(op.getRows(), mul(row, op.getStride())));
      Value line = address(op.getSums(), mul(row, index(kLineBytes)));
      for (int64_t v = 0; v != 2; ++v)
        places.push_back(address(line, index(kVector * v)));
    }
    Type sum = VectorType::get(16, op.getCodes() ? Type(b.getI32Type()) : b.getF32Type());
    for (Value place : places)
      start.push_back(getStart(place, sum));
    Value groups = arith::DivUIOp::create(b, loc, op.getK(), index(op.getCodes() ? 4 : 2));
    bool inSteps = dot == writePlainDot;
    SmallVector<Value> sums = loop(zero, groups, inSteps ? kTileStepWords : 1, start,
                                   [&](Value group, ArrayRef<Value> carried) {
                                     return inSteps ? addStep(factors, group, groups, carried)
                                                    : addGroup(factors, group, carried);
                                   });
    for (auto [place, sum] : llvm::zip_equal(places, sums))
      LLVM::StoreOp::create(b, loc, sum, place, /*alignment=*/4);
  }

  Value getStart(Value place, Type sum) {
    Value fresh = op.getFresh();
    if (!fresh)
      return load(place, sum);
    Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(sum));
    if (matchPattern(fresh, m_One()))
      return none;
    return arith::SelectOp::create(b, loc, fresh, none, load(place, sum));
  }

  using Body = llvm::function_ref<SmallVector<Value>(Value iv, ArrayRef<Value> carried)>;
  SmallVector<Value> loop(Value first, Value end, int64_t step, ArrayRef<Value> start, Body body) {
    auto loop = scf::ForOp::create(b, loc, first, end, index(step), start,
                                   [&](OpBuilder &inner, Location, Value iv, ValueRange carried) {
                                     OpBuilder::InsertionGuard guard(b);
                                     b.restoreInsertionPoint(inner.saveInsertionPoint());
                                     SmallVector<Value> before(carried);
                                     scf::YieldOp::create(b, loc, body(iv, before));
                                   });
    return SmallVector<Value>(loop.getResults());
  }

  /// Adds the products of a step of the unit in its order.
  SmallVector<Value> addStep(ArrayRef<Value> factors, Value first, Value groups,
                             ArrayRef<Value> before) {
    Value end = arith::MinUIOp::create(b, loc, groups,
                                       arith::AddIOp::create(b, loc, first, index(kTileStepWords)));
    SmallVector<Value> sums(before);
    for (auto pair : cpu::getPartPairs(op.getParts(), op.getColumnParts())) {
      Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(before[0].getType()));
      SmallVector<Value> zeros(2 * sums.size(), none);
      auto addHalves = [&](Value group, ArrayRef<Value> carried) {
        SmallVector<Value> halves(carried);
        eachPair(factors, group, pair, [&](int64_t sum, Value left, Value right) {
          for (bool isHigh : {false, true})
            halves[2 * sum + isHigh] =
                multiplyAdd(b, loc, halves[2 * sum + isHigh], cpu::extendHalf(b, loc, left, isHigh),
                            cpu::extendHalf(b, loc, right, isHigh));
        });
        return halves;
      };
      SmallVector<Value> halves = loop(first, end, 1, zeros, addHalves);
      for (auto [i, sum] : llvm::enumerate(sums))
        sum = cpu::addTileStep(b, loc, sum, halves[2 * i], halves[2 * i + 1]);
    }
    return sums;
  }

  /// Adds the products of four bytes of the rows, of each of their parts, with a line of the panel.
  SmallVector<Value> addGroup(ArrayRef<Value> factors, Value group, ArrayRef<Value> before) {
    SmallVector<Value> sums(before);
    for (auto pair : cpu::getPartPairs(op.getParts(), op.getColumnParts()))
      eachPair(factors, group, pair, [&](int64_t sum, Value left, Value right) {
        sums[sum] = dot(b, loc, sums[sum], left, right);
      });
    return sums;
  }

  /// Visits the words of a part of the rows and of a part of a line of the panel that are
  /// multiplied for each sum.
  void eachPair(ArrayRef<Value> factors, Value group, std::pair<int64_t, int64_t> pair,
                llvm::function_ref<void(int64_t sum, Value left, Value right)> body) {
    int64_t parts = op.getParts();
    auto [partA, partB] = pair;
    auto vector = VectorType::get(16, b.getI32Type());
    Value bytes = mul(group, index(4));
    if (parts > 1) {
      Value tile = arith::DivUIOp::create(b, loc, bytes, index(kTileRowBytes));
      Value left = arith::RemUIOp::create(b, loc, bytes, index(kTileRowBytes));
      bytes = arith::AddIOp::create(b, loc, mul(tile, index(parts * kTileBytes)), left);
    }
    Value columns = address(op.getPanel(), mul(group, index(kLineBytes * op.getColumnParts())));
    Value right[2];
    for (int64_t v = 0; v != 2; ++v)
      right[v] = load(address(columns, index(kLineBytes * partB + kVector * v)), vector);
    for (auto [i, row] : llvm::enumerate(factors)) {
      Value place = address(address(row, bytes), index(partA * kTileBytes));
      Value left = LLVM::LoadOp::create(b, loc, b.getI32Type(), place, /*alignment=*/2);
      left = vector::BroadcastOp::create(b, loc, vector, left);
      for (int64_t v = 0; v != 2; ++v)
        body(2 * int64_t(i) + v, left, right[v]);
    }
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value address(Value pointer, Value bytes) {
    Value offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), bytes);
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, offset);
  }
  Value load(Value pointer, Type type) {
    return LLVM::LoadOp::create(b, loc, type, pointer, /*alignment=*/4);
  }

  cpu::TileProductOp op;
  decltype(writePlainDot) *dot;
  OpBuilder b;
  Location loc;
  Value zero, one;
};

} // namespace

void weft::writePlainTile(cpu::TileProductOp op, decltype(writePlainDot) *dot) {
  PlainTile(op, dot).write();
}

void weft::writePlainLoadSums(cpu::LoadSumsOp op) {
  if (!op.getFresh())
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto toI64 = [&](Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  };
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  Value line = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(VectorType::get(kLineBytes / 4, b.getF32Type())));
  auto rows = scf::ForOp::create(b, loc, index(0), op.getCount(), index(1));
  b.setInsertionPointToStart(rows.getBody());
  Value before = arith::MulIOp::create(b, loc, rows.getInductionVar(), index(kLineBytes));
  Value place = LLVM::GEPOp::create(b, loc, op.getSums().getType(), b.getI8Type(), op.getSums(),
                                    ValueRange{toI64(before)});
  LLVM::StoreOp::create(b, loc, line, place, /*alignment=*/4);
}
