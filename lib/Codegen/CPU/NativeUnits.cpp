//===- NativeUnits.cpp - what units compute, by their instructions ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "NativeUnits.h"

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Exponential.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

/// The unit's instruction for sums of so many lanes; each has a few `element`s of the factors.
static Value writeUnit(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs, Type element,
                       StringRef intrinsic) {
  auto type = cast<VectorType>(sum.getType());
  int64_t bits = 32 * type.getNumElements();
  auto factors = VectorType::get(bits / element.getIntOrFloatBitWidth(), element);
  auto cast = [&](Value value) -> Value { return LLVM::BitcastOp::create(b, loc, factors, value); };
  return LLVM::CallIntrinsicOp::create(b, loc, type,
                                       b.getStringAttr("llvm.x86." + intrinsic + "." + Twine(bits)),
                                       ValueRange{sum, cast(lhs), cast(rhs)})
      .getResult(0);
}

Value weft::writeUnitDot(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  return writeUnit(b, loc, sum, lhs, rhs, b.getBF16Type(), "avx512bf16.dpbf16ps");
}

Value weft::writeUnitDotCodes(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  return writeUnit(b, loc, sum, lhs, rhs, b.getI8Type(), "avx512.vpdpbusd");
}

/// What an instruction makes of both factors, which are vectors of `element`s.
static Value multiplyNeighbours(OpBuilder &b, Location loc, Value lhs, Value rhs, Type element,
                                Type result, ArrayRef<StringRef> names) {
  int64_t bits =
      cast<VectorType>(result).getNumElements() * cast<VectorType>(result).getElementTypeBitWidth();
  auto factors = VectorType::get(bits / element.getIntOrFloatBitWidth(), element);
  auto cast = [&](Value value) {
    return value.getType() == factors ? value : LLVM::BitcastOp::create(b, loc, factors, value);
  };
  StringRef name = names[bits == 512 ? 2 : bits == 256 ? 1 : 0];
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr("llvm.x86." + name),
                                       ValueRange{cast(lhs), cast(rhs)})
      .getResult(0);
}

Value weft::writeUnitDotWords(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  Value products = multiplyNeighbours(b, loc, lhs, rhs, b.getI16Type(), sum.getType(),
                                      {"sse2.pmadd.wd", "avx2.pmadd.wd", "avx512.pmaddw.d.512"});
  return arith::AddIOp::create(b, loc, sum, products);
}

Value weft::writeUnitDotBytes(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  auto type = cast<VectorType>(sum.getType());
  auto words = VectorType::get(2 * type.getNumElements(), b.getI16Type());
  Value products =
      multiplyNeighbours(b, loc, lhs, rhs, b.getI8Type(), words,
                         {"ssse3.pmadd.ub.sw.128", "avx2.pmadd.ub.sw", "avx512.pmaddubs.w.512"});
  Value added =
      arith::AddIOp::create(b, loc, LLVM::BitcastOp::create(b, loc, words, sum), products);
  return LLVM::BitcastOp::create(b, loc, type, added);
}

/// Even and odd bytes become words; 255 * 128 twice is exact.
Value weft::writeDotOfWords(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  auto [leftEven, leftOdd] = cpu::splitCodes(b, loc, lhs, /*areSigned=*/false);
  auto [rightEven, rightOdd] = cpu::splitCodes(b, loc, rhs, /*areSigned=*/true);
  sum = writeUnitDotWords(b, loc, sum, leftEven, rightEven);
  return writeUnitDotWords(b, loc, sum, leftOdd, rightOdd);
}

/// What two products come to is a word, and two words times 1 are a lane.
Value weft::writeDotOfBytes(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  auto type = cast<VectorType>(sum.getType());
  LaneBuilder lanes(b, loc, type.getNumElements());
  Value words = writeUnitDotBytes(b, loc, lanes.intVector(0), lhs, rhs);
  return writeUnitDotWords(b, loc, sum, words, lanes.intVector(0x10001));
}

/// The bytes with the signs of others; of a sign of zero they are 0, or, in registers of 64 bytes,
/// for which there is no instruction, what they are.
static Value withSigns(OpBuilder &b, Location loc, Value bytes, Value signs) {
  auto type = cast<VectorType>(bytes.getType());
  if (type.getNumElements() < 64)
    return multiplyNeighbours(b, loc, bytes, signs, b.getI8Type(), type,
                              {"ssse3.psign.b.128", "avx2.psign.b"});
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value isBelow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, signs, zero);
  return arith::SelectOp::create(b, loc, isBelow, arith::SubIOp::create(b, loc, zero, bytes),
                                 bytes);
}

/// The magnitude of -128 is a byte without a sign, too.
Value weft::writeDotSigned(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  auto words = cast<VectorType>(sum.getType());
  auto type = VectorType::get(4 * words.getNumElements(), b.getI8Type());
  Value left = LLVM::BitcastOp::create(b, loc, type, lhs);
  Value right = withSigns(b, loc, LLVM::BitcastOp::create(b, loc, type, rhs), left);
  Value magnitudes = LLVM::AbsOp::create(b, loc, type, left, /*is_int_min_poison=*/false);
  auto cast = [&](Value bytes) { return LLVM::BitcastOp::create(b, loc, words, bytes); };
  return writeDotOfBytes(b, loc, sum, cast(magnitudes), cast(right));
}

Value weft::writeUnitRound(OpBuilder &b, Location loc, Value numbers) {
  int64_t size = cast<VectorType>(numbers.getType()).getNumElements();
  auto half = [&](int64_t first) -> Value {
    return vector::ExtractStridedSliceOp::create(b, loc, numbers, first, size / 2, 1);
  };
  return LLVM::CallIntrinsicOp::create(b, loc, VectorType::get(size, b.getBF16Type()),
                                       b.getStringAttr("llvm.x86.avx512bf16.cvtne2ps2bf16.512"),
                                       ValueRange{half(size / 2), half(0)})
      .getResult(0);
}

/// An instruction of AVX-512 in these lanes, or in all; others are 0.
static Value writeMasked(LaneBuilder &lanes, StringRef name, ValueRange operands,
                         Value mask = nullptr) {
  constexpr int64_t asSet = 4; // the rounding mode
  OpBuilder &b = lanes.b;
  int64_t bits = 32 * lanes.width;
  SmallVector<Value> all(operands);
  auto maskType = b.getIntegerType(std::max<int64_t>(lanes.width, 8)); // 8 bits at least
  if (!mask)
    mask = LLVM::ConstantOp::create(b, lanes.loc, maskType, b.getIntegerAttr(maskType, -1));
  all.append({lanes.floatVector(0), mask});
  if (bits == 512)
    all.push_back(LLVM::ConstantOp::create(b, lanes.loc, b.getI32Type(), asSet));
  auto intrinsic = b.getStringAttr("llvm.x86.avx512.mask." + name + ".ps." + Twine(bits));
  return LLVM::CallIntrinsicOp::create(b, lanes.loc, lanes.vectorOf(b.getF32Type()), intrinsic, all)
      .getResult(0);
}

/// Lanes as the bits of a mask.
static Value getMaskBits(LaneBuilder &lanes, Value condition) {
  OpBuilder &b = lanes.b;
  Value bits = LLVM::BitcastOp::create(b, lanes.loc, b.getIntegerType(lanes.width), condition);
  return lanes.width >= 8 ? bits : arith::ExtUIOp::create(b, lanes.loc, b.getI8Type(), bits);
}

/// What is left of x beside a whole number, which the power is scaled by, is exact. Where the other
/// arithmetic has 0, or a weight is to be, nothing is scaled: a result that is no normal number
/// takes a hundred times as long.
Value weft::writeUnitPowerOfTwo(LaneBuilder &lanes, Value x, Power kind) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value toNearest = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 0);
  Value whole = writeMasked(lanes, "rndscale", {x, toNearest});
  Value fraction = writeMasked(lanes, "reduce", {x, toNearest});
  Value power = emitExp2OfFraction(lanes, fraction, kind == Power::Rounded);
  bool isWeight = kind == Power::Weight;
  // Not less, or no number.
  Value isNormal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, isWeight ? x : whole,
                                         lanes.floatVector(isWeight ? kLeastWeight : -126));
  return writeMasked(lanes, "scalef", {power, whole}, getMaskBits(lanes, isNormal));
}

/// A permutation of a register of 16 numbers; of 8, bit 3 chooses between those of both halves.
Value weft::writeUnitLookUp(OpBuilder &b, Location loc, Value words, ArrayRef<float> values) {
  auto type = cast<VectorType>(words.getType());
  int64_t lanes = type.getNumElements();
  auto permute = [&](StringRef name, ArrayRef<float> table) -> Value {
    auto reals = VectorType::get(lanes, b.getF32Type());
    Value numbers = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(reals, table));
    return LLVM::CallIntrinsicOp::create(b, loc, reals, b.getStringAttr("llvm.x86." + name),
                                         ValueRange{numbers, words})
        .getResult(0);
  };
  if (lanes == 16)
    return permute("avx512.permvar.sf.512", values);
  LaneBuilder builder(b, loc, lanes);
  Value bit = arith::AndIOp::create(b, loc, words, builder.intVector(8));
  Value isUpper =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, builder.intVector(0));
  return arith::SelectOp::create(b, loc, isUpper, permute("avx2.permps", values.take_back(8)),
                                 permute("avx2.permps", values.take_front(8)));
}

/// A permutation of bytes within each 16 of them, all of which have the table.
Value weft::writeUnitLookUpBytes(OpBuilder &b, Location loc, Value words, ArrayRef<int8_t> table) {
  int64_t lanes = cast<VectorType>(words.getType()).getNumElements();
  auto bytes = VectorType::get(4 * lanes, b.getI8Type());
  SmallVector<int8_t> repeated;
  for (int64_t i = 0; i != lanes / 4; ++i)
    llvm::append_range(repeated, table);
  Value numbers =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(bytes, ArrayRef<int8_t>(repeated)));
  Value places = LLVM::BitcastOp::create(b, loc, bytes, words);
  StringRef name = lanes == 16 ? "llvm.x86.avx512.pshuf.b.512" : "llvm.x86.avx2.pshuf.b";
  Value found = LLVM::CallIntrinsicOp::create(b, loc, bytes, b.getStringAttr(name),
                                              ValueRange{numbers, places})
                    .getResult(0);
  return LLVM::BitcastOp::create(b, loc, words.getType(), found);
}

/// A word of memory for the state, by which its instructions go.
static Value allocateState(OpBuilder &b, Location loc) {
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::AllocaOp::create(b, loc, pointer, b.getI32Type(), one, /*alignment=*/4);
}

static void callOnState(OpBuilder &b, Location loc, StringRef name, Value state) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.sse." + name), state);
}

Value weft::writeUnitBeginFlush(OpBuilder &b, Location loc) {
  constexpr int32_t flushesResults = 1 << 15, takesForZero = 1 << 6;
  Value state = allocateState(b, loc);
  callOnState(b, loc, "stmxcsr", state);
  Value before = LLVM::LoadOp::create(b, loc, b.getI32Type(), state, /*alignment=*/4);
  Value flags = LLVM::ConstantOp::create(b, loc, b.getI32Type(), flushesResults | takesForZero);
  LLVM::StoreOp::create(b, loc, LLVM::OrOp::create(b, loc, before, flags), state, /*alignment=*/4);
  callOnState(b, loc, "ldmxcsr", state);
  return before;
}

void weft::writeUnitEndFlush(OpBuilder &b, Location loc, Value before) {
  Value state = allocateState(b, loc);
  LLVM::StoreOp::create(b, loc, before, state, /*alignment=*/4);
  callOnState(b, loc, "ldmxcsr", state);
}
