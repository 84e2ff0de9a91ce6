//===- FactorStep.cpp - one step of a register tile -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A panel has 4 bytes for each column and step: an f32, a pair of bf16, four codes (f16: 2 bytes).
// Pairs and codes are multiplied with their like by a dot; with f32 both halves of a pair are
// extended, which for bf16 is a shift or a mask.
//
//===----------------------------------------------------------------------------------------===//

#include "FactorStep.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/ElementCode.h"

using namespace mlir;
using namespace weft;

Value FactorStep::addRowElements(Value pointer, const Lanes &elements) {
  return getElementPointer(lanes, pointer, getMemoryType(factors.rowType), elements.value);
}

Value FactorStep::addRowElements(Value pointer, int64_t elements) {
  if (factors.rowType.isF32())
    return addElements(lanes, pointer, elements);
  return addRowElements(pointer, lanes.constant(elements));
}

SmallVector<Value> FactorStep::getElements(const Lanes &position) {
  Lanes k = lanes.mul(position, lanes.constant(factors.getDepth()));
  SmallVector<Value> elements;
  for (Value pointer : factors.rows)
    elements.push_back(addRowElements(pointer, lanes.mul(k, factors.stride)));
  return elements;
}

Value FactorStep::getRow(const Lanes &position) {
  return addElements(lanes, factors.panel,
                     lanes.mul(position, lanes.constant(factors.panelStride)));
}

/// Vector number `v` of a row of the panel, as f32, or of pairs as they are.
Value FactorStep::loadColumns(Value row, int64_t step, int64_t v) {
  OpBuilder &b = lanes.b;
  if (factors.columnType.isF32())
    return loadVector(lanes, addElements(lanes, row, step * factors.panelStride + v * lanes.width));
  bool isGroup = factors.getDepth() > 1;
  int64_t perVector = isGroup ? lanes.width : lanes.width / 2;
  Value pointer = addElements(lanes, row, step * factors.panelStride + v * perVector);
  Type memory = isGroup ? Type(b.getI32Type()) : getMemoryType(factors.columnType);
  Value loaded =
      LLVM::LoadOp::create(b, lanes.loc, lanes.vectorOf(memory), pointer, /*alignment=*/2);
  return isGroup ? loaded : extendElement(lanes, loaded, factors.columnType);
}

/// An element of a row, as f32, in all lanes.
Value FactorStep::loadElement(Value pointer, int64_t position) {
  std::optional<int64_t> stride = factors.stride.getConstant();
  Value address =
      stride ? addRowElements(pointer, position * *stride)
             : addRowElements(pointer, lanes.mul(lanes.constant(position), factors.stride));
  Type memory = getMemoryType(factors.rowType);
  Value scalar =
      LLVM::LoadOp::create(lanes.b, lanes.loc, memory, address, memory.getIntOrFloatBitWidth() / 8);
  // An instruction that converts takes a vector anyway.
  if (factors.rowType.isF16())
    return extendElement(lanes, lanes.materialize(lanes.uniform(scalar)), factors.rowType);
  return lanes.materialize(lanes.uniform(extendElement(lanes, scalar, factors.rowType)));
}

/// A pair or four codes of a row in all lanes; of half a pair the second element is 0.
Value FactorStep::loadGroup(Value pointer, int64_t step, bool half) {
  OpBuilder &b = lanes.b;
  Value address = addRowElements(pointer, factors.getDepth() * step);
  Type type = half ? b.getI16Type() : b.getI32Type();
  Value pair = LLVM::LoadOp::create(b, lanes.loc, type, address, /*alignment=*/2);
  if (half)
    pair = arith::ExtUIOp::create(b, lanes.loc, b.getI32Type(), pair);
  return lanes.materialize(lanes.uniform(pair));
}

void FactorStep::emit(ArrayRef<Value> elements, Value row, int64_t step, bool half,
                      MutableArrayRef<Value> sums) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  SmallVector<Value> columns;
  for (int64_t v = 0; v != factors.numVectors; ++v)
    columns.push_back(loadColumns(row, step, v));
  if (isDot()) {
    // Behind the last row of a panel there may be anything.
    if (half)
      for (Value &pairs : columns)
        pairs = arith::AndIOp::create(b, loc, pairs, lanes.intVector(0xffff));
    for (auto [i, pointer] : llvm::enumerate(elements)) {
      Value left = loadGroup(pointer, step, half);
      for (int64_t v = 0; v != factors.numVectors; ++v) {
        Value &sum = sums[i * factors.numVectors + v];
        if (isCodes())
          sum = cpu::DotCodesOp::create(b, loc, sum.getType(), sum, left, columns[v],
                                        factors.areNarrow);
        else
          sum = cpu::DotOp::create(b, loc, sum.getType(), sum, left, columns[v]);
      }
    }
    return;
  }
  int64_t depth = factors.getDepth();
  for (int64_t part = 0; part != (half ? 1 : depth); ++part) {
    SmallVector<Value> extended(columns);
    if (depth == 2)
      for (Value &pairs : extended)
        pairs = cpu::extendHalf(b, loc, pairs, /*isHigh=*/part == 1);
    for (auto [i, pointer] : llvm::enumerate(elements)) {
      Value left = loadElement(pointer, step * depth + part);
      for (int64_t v = 0; v != factors.numVectors; ++v) {
        Value &sum = sums[i * factors.numVectors + v];
        sum = multiplyAdd(b, loc, sum, left, extended[v]);
      }
    }
  }
}
