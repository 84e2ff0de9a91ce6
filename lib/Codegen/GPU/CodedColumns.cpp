//===- CodedColumns.cpp - a factor of a product that is stored as codes ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CodedColumns.h"

#include "Chunks.h"

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"

#include <numeric>

using namespace mlir;
using namespace weft;

std::optional<CodedColumns> CodedColumns::get(MemRefType type) {
  LayoutAttr layout = getLayout(type);
  if (!layout || (layout.getNibbles() == 0 && layout.getTable() == CodeTable::None))
    return std::nullopt;
  CodedColumns columns;
  columns.sizeK = 1;
  for (int64_t dim : layout.getK())
    columns.sizeK *= type.getDimSize(dim);
  columns.table = layout.getTable();
  columns.group = columns.isNumbers() ? layout.getNibbles() : layout.getGroup();
  if (columns.isNumbers())
    columns.numbers = layout.getNibblePanel(columns.sizeK);
  else
    columns.scaled = layout.getScaledPanel(columns.sizeK);
  return columns;
}

bool CodedColumns::canStep(int64_t depth, int64_t unit) const {
  if (group == sizeK)
    return true;
  return group % unit == 0 && (group % depth == 0 || depth % group == 0);
}

int64_t CodedColumns::getCopyBytes(int64_t depth) const {
  int64_t ofGroup = group * getBits() / 8;
  int64_t bytes = std::gcd(std::gcd(kChunkBytes, depth * getBits() / 8), getRowBytes());
  bytes = std::gcd(bytes, ofGroup);
  if (isNumbers())
    return std::gcd(bytes, std::gcd(numbers.getSharedBytes(), numbers.getGroupBytes()));
  return std::gcd(bytes, std::gcd(scaled.getGroupBytes(), scaled.getSpanBytes()));
}

Lanes CodedColumns::getGroup(LaneBuilder &lanes, const Lanes &k) const {
  return group == sizeK ? lanes.constant(0) : lanes.floorDiv(k, group);
}

/// Where the run of a group begins.
static Lanes getRunPlace(LaneBuilder &lanes, const NibblePanel &panel, const Lanes &number) {
  if (panel.getRunGroups() >= panel.getGroups())
    return lanes.constant(0);
  return lanes.mul(lanes.floorDiv(number, panel.getRunGroups()),
                   lanes.constant(panel.getRunBytes()));
}

Lanes CodedColumns::getCodePlace(LaneBuilder &lanes, const Lanes &k) const {
  Lanes number = getGroup(lanes, k);
  Lanes inGroup = group == sizeK ? k : lanes.mod(k, group);
  Lanes place = getBits() == 8 ? inGroup : lanes.floorDiv(inGroup, 2);
  if (!isNumbers())
    return lanes.add(place, getGroupPlace(lanes, scaled, number));
  Lanes start =
      lanes.add(getRunPlace(lanes, numbers, number), lanes.constant(numbers.getSharedBytes()));
  Lanes inRun = lanes.mod(number, numbers.getRunGroups());
  return lanes.add(place,
                   lanes.add(start, lanes.mul(inRun, lanes.constant(numbers.getGroupBytes()))));
}

int64_t CodedColumns::getNumWords() const {
  if (isNumbers())
    return 1;
  const CodeTableInfo &info = infoOf(table);
  int64_t ofSpan = info.span ? 2 : 1;
  return info.shift == CodeShift::None ? ofSpan : 2 * ofSpan;
}

Lanes CodedColumns::getWordPlace(LaneBuilder &lanes, const Lanes &number, int64_t word) const {
  if (isNumbers()) {
    Lanes inRun = lanes.mod(number, numbers.getRunGroups());
    Lanes place = lanes.mul(lanes.floorDiv(inRun, kWordGroups), lanes.constant(kWordGroups));
    return lanes.add(getRunPlace(lanes, numbers, number), place);
  }
  int64_t ofGroup = infoOf(table).shift == CodeShift::None ? 1 : 2;
  bool isShift = word % ofGroup == 1;
  if (word >= ofGroup)
    return getOuterPlace(lanes, scaled, number, isShift);
  int64_t before = scaled.getCodeBytes() + (isShift ? scaled.getScaleBytes() : 0);
  return lanes.add(getGroupPlace(lanes, scaled, number), lanes.constant(before));
}

Value CodedColumns::loadShared(LaneBuilder &lanes, bool isShift, LoadWord load) const {
  OpBuilder &b = lanes.b;
  const CodeTableInfo &info = infoOf(table);
  auto loadReal = [&](int64_t word, ElementType type) -> Value {
    Type storage = getStorageType(b.getContext(), type);
    Value loaded = load(word, getMemoryType(storage));
    if (storage.isInteger(8))
      return arith::SIToFPOp::create(b, lanes.loc, b.getF32Type(), loaded);
    return extendElement(lanes, loaded, storage);
  };
  Value value = loadReal(isShift ? 1 : 0, isShift ? info.shiftType : info.scale);
  if (info.span == 0)
    return value;
  int64_t ofGroup = info.shift == CodeShift::None ? 1 : 2;
  Value outer = loadReal(ofGroup + (isShift ? 1 : 0), info.outer);
  return arith::MulFOp::create(b, lanes.loc, value, outer);
}
