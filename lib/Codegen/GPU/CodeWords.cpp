//===- CodeWords.cpp - what the codes of a word stand for -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CodeWords.h"

#include "GroupWalk.h"

#include "weft/Codegen/Common/TableCode.h"

#include <cmath>

using namespace mlir;
using namespace weft;

static constexpr int64_t kEntries = 16, kHalf = 16;
/// An f32 whose last bits count.
static constexpr float kBase = 1 << 23;
/// Counting starts so near to 0 that its multiples are whole numbers below kBase.
static constexpr float kFarthest = 1024;

static std::optional<int64_t> findFirst(const CodeTableInfo &info) {
  if (info.numbers == CodeTable::Int8)
    return -128;
  if (info.bits != 4 || std::fabs(info.values[0]) > kFarthest ||
      info.values[0] != std::trunc(info.values[0]))
    return std::nullopt;
  for (int64_t i = 0; i != kEntries; ++i)
    if (info.values[i] != info.values[0] + float(i))
      return std::nullopt;
  return int64_t(info.values[0]);
}

CodeWords::CodeWords(LaneBuilder &lanes, CodeTable table)
    : lanes(lanes), info(infoOf(table)), first(findFirst(info)) {
  if (first || info.bits != 4)
    return;
  Value own = arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(),
                                         lanes.mod(getThread(lanes), kEntries).value);
  entry = lookUpBySelects(lanes, own, ArrayRef(info.values, size_t(kEntries)));
}

int64_t CodeWords::getNumCodes() const { return 32 / info.bits; }

int64_t CodeWords::getExponent(int64_t i) const {
  return first ? i % (kHalf / info.bits) * info.bits : 0;
}

SmallVector<Value> CodeWords::decode(Value word, int64_t count) {
  if (first)
    return decodeCounted(word, count);
  return info.bits == 4 ? lookUp(word, count) : decodeE4M3(word);
}

SmallVector<Value> CodeWords::decodeCounted(Value codes, int64_t count) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  // Numbers with a sign count from the lowest on, too, when it is turned.
  if (info.bits == 8)
    codes = arith::XOrIOp::create(b, loc, codes, makeWord(lanes, 0x80808080));
  SmallVector<Value> numbers;
  for (int64_t i = 0; i != count; ++i) {
    if (i * info.bits == kHalf)
      codes = arith::ShRUIOp::create(b, loc, codes, makeWord(lanes, kHalf));
    int64_t shift = getExponent(i);
    uint32_t mask = ((1u << info.bits) - 1) << shift;
    Value bits = arith::AndIOp::create(b, loc, codes, makeWord(lanes, mask));
    bits = arith::OrIOp::create(b, loc, bits, makeWord(lanes, llvm::bit_cast<uint32_t>(kBase)));
    float before = kBase - std::ldexp(float(*first), int(shift));
    numbers.push_back(arith::SubFOp::create(b, loc,
                                            LLVM::BitcastOp::create(b, loc, b.getF32Type(), bits),
                                            lanes.floatConstant(before)));
  }
  return numbers;
}

/// An f16 has the sign above one more bit of the exponent. Its subnormal numbers are converted as
/// any other.
SmallVector<Value> CodeWords::decodeE4M3(Value codes) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  SmallVector<Value> numbers(4);
  for (size_t odd : {0u, 1u}) {
    Value upper = codes;
    if (!odd)
      upper = arith::ShLIOp::create(b, loc, codes, makeWord(lanes, 8));
    Value signs = arith::AndIOp::create(b, loc, upper, makeWord(lanes, 0x80008000));
    Value others = arith::ShRUIOp::create(b, loc, upper, makeWord(lanes, 1));
    others = arith::AndIOp::create(b, loc, others, makeWord(lanes, 0x3f803f80));
    Value halves = arith::OrIOp::create(b, loc, signs, others);
    halves = LLVM::BitcastOp::create(b, loc, VectorType::get({2}, b.getF16Type()), halves);
    for (size_t i : {0u, 1u}) {
      Value half = vector::ExtractOp::create(b, loc, halves, int64_t(i));
      numbers[2 * i + odd] = arith::ExtFOp::create(b, loc, b.getF32Type(), half);
    }
  }
  return numbers;
}

SmallVector<Value> CodeWords::lookUp(Value codes, int64_t count) {
  SmallVector<Value> numbers;
  for (int64_t i = 0; i != count; ++i) {
    Value code =
        arith::ShRUIOp::create(lanes.b, lanes.loc, codes, makeWord(lanes, uint32_t(i * info.bits)));
    numbers.push_back(nvx::LookUpOp::create(lanes.b, lanes.loc, entry, code));
  }
  return numbers;
}
