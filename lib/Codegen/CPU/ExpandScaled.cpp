//===- ExpandScaled.cpp - codes of a table as reals -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// For many rows a block of a panel is expanded once, for a few its reals go from registers into
// their products: the same numbers, added in the same order, so that the sums are the same.
//
//===----------------------------------------------------------------------------------------===//

#include "ExpandScaled.h"

#include "MicroKernel.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/TableCode.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

static Value lookUpInUnit(LaneBuilder &lanes, Value words, ArrayRef<float> values) {
  return cpu::LookUpOp::create(lanes.b, lanes.loc, lanes.vectorOf(lanes.b.getF32Type()), words,
                               values);
}

namespace {

/// The rows of a block of a panel, one after the other.
class ScaledRows {
public:
  ScaledRows(LaneBuilder &lanes, const ScaledPanel &panel, Value source, const Lanes &firstK,
             const Lanes &sizeK, int64_t ahead)
      : lanes(lanes), panel(panel), info(infoOf(panel.table)), source(source), firstK(firstK),
        sizeK(sizeK), ahead(ahead), numVectors(panel.nr / lanes.width) {}

  /// Calls `body` for each row with its number in the block and its vectors, and the values that
  /// are carried from one to the next.
  using Body = function_ref<SmallVector<Value>(const Lanes &row, ArrayRef<Value> vectors,
                                               ValueRange carried)>;
  SmallVector<Value> visit(ValueRange inits, Body body);

private:
  SmallVector<Value> visitGroup(const Lanes &group, ValueRange inits, Body body);
  Value getByte(const Lanes &place) {
    return getElementPointer(lanes, source, lanes.b.getI8Type(), place.value);
  }
  SmallVector<Value> loadVectors(const Lanes &place, Type memory);
  SmallVector<Value> loadReals(const Lanes &place, ElementType type);
  SmallVector<Value> loadShared(const Lanes &number, bool isShift);

  LaneBuilder &lanes;
  const ScaledPanel &panel;
  const CodeTableInfo &info;
  Value source;
  const Lanes &firstK, &sizeK;
  int64_t ahead, numVectors;
};

} // namespace

SmallVector<Value> ScaledRows::loadVectors(const Lanes &place, Type memory) {
  int64_t bytes = memory.getIntOrFloatBitWidth() / 8;
  SmallVector<Value> vectors;
  for (int64_t v = 0; v != numVectors; ++v) {
    Value pointer = getByte(lanes.add(place, lanes.constant(v * lanes.width * bytes)));
    vectors.push_back(LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.vectorOf(memory), pointer,
                                           /*alignment=*/unsigned(bytes)));
  }
  return vectors;
}

SmallVector<Value> ScaledRows::loadReals(const Lanes &place, ElementType type) {
  Type storage = getStorageType(lanes.b.getContext(), type);
  SmallVector<Value> reals = loadVectors(place, getMemoryType(storage));
  for (Value &real : reals) {
    real = extendElement(lanes, real, storage);
    if (type == ElementType::I8)
      real =
          arith::SIToFPOp::create(lanes.b, lanes.loc, lanes.vectorOf(lanes.b.getF32Type()), real);
  }
  return reals;
}

/// What group `number` shares of each column.
SmallVector<Value> ScaledRows::loadShared(const Lanes &number, bool isShift) {
  int64_t before = panel.getCodeBytes() + (isShift ? panel.getScaleBytes() : 0);
  SmallVector<Value> shared =
      loadReals(lanes.add(getGroupPlace(lanes, panel, number), lanes.constant(before)),
                isShift ? info.shiftType : info.scale);
  if (info.span == 0)
    return shared;
  SmallVector<Value> factors = loadReals(getOuterPlace(lanes, panel, number, isShift), info.outer);
  for (auto [value, factor] : llvm::zip_equal(shared, factors))
    value = arith::MulFOp::create(lanes.b, lanes.loc, value, factor);
  return shared;
}

SmallVector<Value> ScaledRows::visitGroup(const Lanes &group, ValueRange inits, Body body) {
  OpBuilder &b = lanes.b;
  bool isOne = panel.getGroups() == 1;
  int64_t perByte = panel.getRowsOfByte();
  Lanes before = isOne ? lanes.constant(0) : lanes.add(lanes.floorDiv(firstK, panel.group), group);
  Lanes codes = getGroupPlace(lanes, panel, before);
  SmallVector<Value> scales = loadShared(before, /*isShift=*/false), shifts(scales.size());
  for (Value &scale : scales)
    scale = scaleDecoded(lanes, scale, panel.table);
  if (info.shift != CodeShift::None)
    shifts = loadShared(before, /*isShift=*/true);
  if (isOne)
    codes = lanes.mul(lanes.floorDiv(firstK, perByte), lanes.constant(panel.nr));
  Lanes first = isOne ? lanes.constant(0) : lanes.mul(group, lanes.constant(panel.group));
  Lanes numLines = isOne ? lanes.floorDiv(sizeK, perByte) : lanes.constant(panel.group / perByte);
  return lanes.loop(numLines, inits, [&](const Lanes &line, ValueRange carried) {
    SmallVector<Value> next(carried);
    Lanes place = lanes.add(codes, lanes.mul(line, lanes.constant(panel.nr)));
    if (ahead)
      emitPrefetches(b, lanes.loc, getByte(lanes.add(place, lanes.constant(ahead))),
                     llvm::divideCeil(panel.nr, kLine));
    SmallVector<Value> bytes = loadVectors(place, b.getI8Type());
    for (int64_t part = 0; part != perByte; ++part) {
      SmallVector<Value> reals;
      for (auto [codes, scale, shift] : llvm::zip_equal(bytes, scales, shifts)) {
        Value real = decodeBytes(lanes, codes, part, panel.table, lookUpInUnit);
        reals.push_back(applyShared(lanes, real, scale, shift, panel.table));
      }
      Lanes row = lanes.add(lanes.mul(line, lanes.constant(perByte)), lanes.constant(part));
      next = body(lanes.add(first, row), reals, next);
    }
    return next;
  });
}

SmallVector<Value> ScaledRows::visit(ValueRange inits, Body body) {
  if (panel.getGroups() == 1)
    return visitGroup(lanes.constant(0), inits, body);
  return lanes.loop(
      lanes.floorDiv(sizeK, panel.group), inits,
      [&](const Lanes &group, ValueRange carried) { return visitGroup(group, carried, body); });
}

int64_t weft::getExpandedBytes(const ScaledPanel &panel, int64_t rows) {
  return rows * panel.nr * int64_t(sizeof(float));
}

void weft::expandScaled(LaneBuilder &lanes, const ScaledPanel &panel, Value source, Value target,
                        const Lanes &firstK, const Lanes &sizeK) {
  ScaledRows rows(lanes, panel, source, firstK, sizeK, /*ahead=*/0);
  rows.visit({}, [&](const Lanes &row, ArrayRef<Value> vectors, ValueRange) {
    Lanes place = lanes.mul(row, lanes.constant(panel.nr));
    for (auto [v, vector] : llvm::enumerate(vectors)) {
      Lanes first = lanes.add(place, lanes.constant(int64_t(v) * lanes.width));
      storeVector(lanes, addElements(lanes, target, first), vector);
    }
    return SmallVector<Value>();
  });
}

SmallVector<Value> weft::multiplyScaled(LaneBuilder &lanes, const ScaledPanel &panel, Value source,
                                        ArrayRef<Value> rows, const Lanes &stride,
                                        const Lanes &firstK, const Lanes &sizeK, int64_t ahead,
                                        ValueRange sums) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  constexpr auto contract = arith::FastMathFlags::contract;
  ScaledRows panelRows(lanes, panel, source, firstK, sizeK, ahead);
  return panelRows.visit(sums, [&](const Lanes &row, ArrayRef<Value> vectors, ValueRange carried) {
    SmallVector<Value> next(carried);
    Lanes place = lanes.mul(row, stride);
    for (auto [i, pointer] : llvm::enumerate(rows)) {
      Value scalar = LLVM::LoadOp::create(b, loc, b.getF32Type(),
                                          addElements(lanes, pointer, place), /*alignment=*/4);
      Value left = lanes.materialize(lanes.uniform(scalar));
      for (auto [v, vector] : llvm::enumerate(vectors)) {
        Value &sum = next[i * vectors.size() + v];
        Value product = arith::MulFOp::create(b, loc, left, vector, contract);
        sum = arith::AddFOp::create(b, loc, sum, product, contract);
      }
    }
    return next;
  });
}
