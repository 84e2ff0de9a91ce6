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
#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/TableCode.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

Value ScaledReader::getByte(const Lanes &place) {
  return getElementPointer(lanes, source, lanes.b.getI8Type(), place.value);
}

SmallVector<Value> ScaledReader::loadVectors(const Lanes &place, Type memory) {
  int64_t bytes = memory.getIntOrFloatBitWidth() / 8;
  SmallVector<Value> vectors;
  for (int64_t column = 0; column != panel.nr; column += lanes.width) {
    Value pointer = getByte(lanes.add(place, lanes.constant(column * bytes)));
    vectors.push_back(LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.vectorOf(memory), pointer,
                                           /*alignment=*/unsigned(bytes)));
  }
  return vectors;
}

SmallVector<Value> ScaledReader::loadReals(const Lanes &place, ElementType type) {
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

SmallVector<Value> ScaledReader::loadShared(const Lanes &number, bool isShift) {
  const CodeTableInfo &info = infoOf(panel.table);
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

namespace {

/// The rows of a block of a panel, one after the other.
class ScaledRows {
public:
  ScaledRows(LaneBuilder &lanes, const ScaledPanel &panel, Value source, const Lanes &firstK,
             const Lanes &sizeK, int64_t ahead)
      : lanes(lanes), panel(panel), info(infoOf(panel.table)), reader(lanes, panel, source),
        firstK(firstK), sizeK(sizeK), ahead(ahead) {}

  /// Calls `body` for each row with its number in the block and its vectors, and the values that
  /// are carried from one to the next.
  using Body = function_ref<SmallVector<Value>(const Lanes &row, ArrayRef<Value> vectors,
                                               ValueRange carried)>;
  SmallVector<Value> visit(ValueRange inits, Body body);

private:
  SmallVector<Value> visitGroup(const Lanes &group, ValueRange inits, Body body);

  LaneBuilder &lanes;
  const ScaledPanel &panel;
  const CodeTableInfo &info;
  ScaledReader reader;
  const Lanes &firstK, &sizeK;
  int64_t ahead;
};

} // namespace

SmallVector<Value> ScaledRows::visitGroup(const Lanes &group, ValueRange inits, Body body) {
  OpBuilder &b = lanes.b;
  bool isOne = panel.getGroups() == 1;
  int64_t lineRows = panel.getLineRows();
  Lanes before = isOne ? lanes.constant(0) : lanes.add(lanes.floorDiv(firstK, panel.group), group);
  Lanes codes = getGroupPlace(lanes, panel, before);
  SmallVector<Value> scales = reader.loadShared(before, /*isShift=*/false), shifts(scales.size());
  for (Value &scale : scales)
    scale = scaleDecoded(lanes, scale, panel.table);
  if (info.shift != CodeShift::None)
    shifts = reader.loadShared(before, /*isShift=*/true);
  if (isOne)
    codes = lanes.mul(lanes.floorDiv(firstK, lineRows), lanes.constant(panel.getLineBytes()));
  Lanes first = isOne ? lanes.constant(0) : lanes.mul(group, lanes.constant(panel.group));
  Lanes numLines = isOne ? lanes.floorDiv(sizeK, lineRows) : lanes.constant(panel.group / lineRows);
  return lanes.loop(numLines, inits, [&](const Lanes &line, ValueRange carried) {
    SmallVector<Value> next(carried);
    Lanes place = lanes.add(codes, lanes.mul(line, lanes.constant(panel.getLineBytes())));
    Value later = reader.getByte(lanes.add(place, lanes.constant(ahead)));
    int64_t lines = ahead ? int64_t(llvm::divideCeil(panel.getLineBytes(), kLine)) : 0;
    bool hasWords = panel.getDepth() > 1;
    SmallVector<Value> loaded =
        reader.loadVectors(place, hasWords ? b.getI32Type() : b.getI8Type());
    for (int64_t part = 0; part != lineRows; ++part) {
      SmallVector<Value> reals;
      for (auto [codes, scale, shift] : llvm::zip_equal(loaded, scales, shifts)) {
        Value real = hasWords ? decodeWords(lanes, codes, part, panel, lanes.lookUp)
                              : decodeBytes(lanes, codes, panel.table);
        reals.push_back(applyShared(lanes, real, scale, shift, panel.table));
      }
      Lanes row = lanes.add(lanes.mul(line, lanes.constant(lineRows)), lanes.constant(part));
      next = body(lanes.add(first, row), reals, next);
      emitShare(b, lanes.loc, later, lines, part, lineRows);
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
                        const Lanes &firstK, const Lanes &sizeK, int64_t ahead) {
  ScaledRows rows(lanes, panel, source, firstK, sizeK, ahead);
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
        sum = multiplyAdd(b, loc, sum, left, vector);
      }
    }
    return next;
  });
}
