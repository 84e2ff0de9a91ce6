//===- ScaledPanel.cpp - panels of codes of a table -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/CodeTable.h"

using namespace weft;

static int64_t toWords(int64_t bytes) { return int64_t(llvm::alignTo(bytes, 4)); }

/// One number of a type for each column.
static int64_t getSharedBytes(const ScaledPanel &panel, ElementType type) {
  return toWords(panel.nr * int64_t(infoOf(type).bytes()));
}

int64_t ScaledPanel::getRowsOfByte() const { return 8 / infoOf(table).bits; }

int64_t ScaledPanel::getCodeBytes() const {
  return toWords(int64_t(llvm::divideCeil(group, getRowsOfByte())) * nr);
}

int64_t ScaledPanel::getScaleBytes() const { return getSharedBytes(*this, infoOf(table).scale); }

int64_t ScaledPanel::getShiftBytes() const {
  const CodeTableInfo &info = infoOf(table);
  return info.shift == CodeShift::None ? 0 : getSharedBytes(*this, info.shiftType);
}

int64_t ScaledPanel::getSpan() const {
  int64_t span = infoOf(table).span;
  return span ? span : getGroups();
}

int64_t ScaledPanel::getOuterBytes() const {
  const CodeTableInfo &info = infoOf(table);
  return info.span ? getSharedBytes(*this, info.outer) : 0;
}

int64_t ScaledPanel::getSpanBytes() const {
  int64_t factors = infoOf(table).shift == CodeShift::None ? 1 : 2;
  return getSpan() * getGroupBytes() + factors * getOuterBytes();
}

int64_t ScaledPanel::getBytes() const {
  return int64_t(llvm::divideCeil(getGroups(), getSpan())) * getSpanBytes();
}
