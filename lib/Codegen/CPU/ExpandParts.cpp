//===- ExpandParts.cpp - f32 as sums of numbers of bf16 -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Weights that are split stay f32 in memory, two thirds of what three parts take, or f16, half of
// two: a block of a panel is taken apart once for all rows of a task, in the second cache. A number
// of bf16 is the upper half of an f32, so rounding is an addition and a mask, and what is left is
// exact.
//
//===----------------------------------------------------------------------------------------===//

#include "ExpandParts.h"

#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/Kernel.h"
#include "weft/Dialect/Weft/IR/Product.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;

static constexpr int32_t kUpperHalf = int32_t(0xffff0000), kHalfUnit = 0x8000;
namespace {

/// Writes the arithmetic on the bits of vectors.
class PartCode {
public:
  explicit PartCode(LaneBuilder &lanes) : lanes(lanes), b(lanes.b), loc(lanes.loc) {}

  /// Takes the next part of a number away from it; returns its bits.
  Value takePart(Value &number);
  /// The bits of all that is left, rounded if need be: the upper half is the part.
  Value takeLast(Value number, bool isExact);
  /// A part as f32.
  Value extend(Value bits) {
    return toReal(arith::AndIOp::create(b, loc, bits, lanes.intVector(kUpperHalf)));
  }
  /// The upper halves of `first` and, above them, of `second`.
  Value join(Value first, Value second) {
    Value low = arith::ShRUIOp::create(b, loc, first, lanes.intVector(16));
    Value high = arith::AndIOp::create(b, loc, second, lanes.intVector(kUpperHalf));
    return arith::OrIOp::create(b, loc, low, high);
  }

private:
  Value addHalf(Value bits) {
    return arith::AddIOp::create(b, loc, bits, lanes.intVector(kHalfUnit));
  }
  Value toBits(Value real) {
    return arith::BitcastOp::create(b, loc, lanes.vectorOf(b.getI32Type()), real);
  }
  Value toReal(Value bits) {
    return arith::BitcastOp::create(b, loc, lanes.vectorOf(b.getF32Type()), bits);
  }

  LaneBuilder &lanes;
  OpBuilder &b;
  Location loc;
};

} // namespace

Value PartCode::takePart(Value &number) {
  Value above = addHalf(toBits(number));
  Value rounded = arith::AndIOp::create(b, loc, above, lanes.intVector(kUpperHalf));
  number = arith::SubFOp::create(b, loc, number, toReal(rounded));
  return rounded;
}

Value PartCode::takeLast(Value number, bool isExact) {
  Value bits = toBits(number);
  if (isExact)
    return bits;
  // A NaN of many ones would become a zero.
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, number, number);
  return arith::SelectOp::create(b, loc, isNaN, bits, addHalf(bits));
}

Value weft::loadReals(LaneBuilder &lanes, Value source, const Lanes &position, Type element) {
  Type memory = getMemoryType(element);
  Value pointer = getElementPointer(lanes, source, memory, position.value);
  Value loaded = LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.vectorOf(memory), pointer,
                                      /*alignment=*/memory.getIntOrFloatBitWidth() / 8);
  return extendElement(lanes, loaded, element);
}

/// Of the last part nothing is rounded away then.
static bool isExact(const SplitPanel &panel) { return panel.parts == getExactParts(panel.element); }

SmallVector<Value> weft::splitReals(LaneBuilder &lanes, const SplitPanel &panel, Value reals) {
  PartCode code(lanes);
  SmallVector<Value> parts;
  for (int64_t part = 0; part != panel.parts - 1; ++part)
    parts.push_back(code.extend(code.takePart(reals)));
  parts.push_back(isExact(panel) ? reals : code.extend(code.takeLast(reals, /*isExact=*/false)));
  return parts;
}

int64_t weft::getExpandedBytes(const SplitPanel &panel, int64_t rows) {
  return rows * panel.nr * panel.parts * int64_t(sizeof(uint16_t));
}

void weft::expandParts(LaneBuilder &lanes, const SplitPanel &panel, Value source, Value target,
                       const Lanes &sizeK, function_ref<void(const Lanes &pair)> fetch) {
  PartCode code(lanes);
  lanes.loop(lanes.floorDiv(sizeK, 2), {}, [&](const Lanes &pair, ValueRange) {
    if (fetch)
      fetch(pair);
    Lanes from = lanes.mul(pair, lanes.constant(2 * panel.nr));
    Value to = addElements(lanes, target, lanes.mul(pair, lanes.constant(panel.parts * panel.nr)));
    for (int64_t column = 0; column != panel.nr; column += lanes.width) {
      auto load = [&](int64_t before) {
        return loadReals(lanes, source, lanes.add(from, lanes.constant(before)), panel.element);
      };
      Value first = load(column), second = load(panel.nr + column);
      auto store = [&](int64_t part, Value low, Value high) {
        storeVector(lanes, addElements(lanes, to, part * panel.nr + column), code.join(low, high));
      };
      int64_t last = panel.parts - 1;
      for (int64_t part = 0; part != last; ++part) {
        Value low = code.takePart(first);
        store(part, low, code.takePart(second));
      }
      store(last, code.takeLast(first, isExact(panel)), code.takeLast(second, isExact(panel)));
    }
    return SmallVector<Value>();
  });
}
