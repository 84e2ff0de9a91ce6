//===- Integers.cpp - arithmetic of integers ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// add, sub, mul, div, min, max, neg and abs are of reals too: the type says which.
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Translate/RealForms.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Instruction;
using llvm::Value;
using llvm::Intrinsic::ID;

// The type is the last modifier.
static bool isReal(const Emitter &e) {
  llvm::ArrayRef<std::string> modifiers = e.modifiers.rest();
  std::optional<ptx::Type> type =
      modifiers.empty() ? std::nullopt : ptx::findType(modifiers.back());
  return type && type->isReal();
}

static ptx::Type takeIntegerType(Emitter &e, bool mayBePairs = false) {
  ptx::Type type = e.takeType();
  if (mayBePairs && type.packed && !type.isReal())
    return type;
  if (type.isInteger() && type.bits >= 16 && type.bits <= 64)
    return type;
  e.fail("a type of integers of 16 to 64 bits is expected");
  return {};
}

static ptx::Type twice(ptx::Type type) { return {type.kind, uint8_t(2 * type.bits)}; }

static Value *extend(Emitter &e, Value *value, ptx::Type from, ptx::Type to) {
  return from.isSigned() ? e.builder.CreateSExt(value, e.bitsOf(to))
                         : e.builder.CreateZExt(value, e.bitsOf(to));
}

static void emitSum(Emitter &e, bool isSubtraction) {
  if (isReal(e))
    return emitRealBinary(e, isSubtraction ? Instruction::FSub : Instruction::FAdd);
  bool saturates = e.modifiers.take("sat"), setsCarry = e.modifiers.take("cc");
  ptx::Type type = takeIntegerType(e, /*mayBePairs=*/!isSubtraction && !saturates && !setsCarry);
  if (!e.expect(3))
    return;
  if (type.packed)
    return e.mapBits(type, [&](auto in) { return e.builder.CreateAdd(in[0], in[1]); });
  Value *a = e.read(1, type), *b = e.read(2, type);
  if (setsCarry) {
    Value *borrow = e.builder.CreateICmpULT(a, b);
    Value *sum = e.builder.CreateAdd(a, b);
    e.builder.CreateStore(isSubtraction ? borrow : e.builder.CreateICmpULT(sum, a),
                          e.function.carry);
  }
  if (saturates) {
    if (type != ptx::Type{ptx::TypeKind::Signed, 32})
      return e.fail("only .s32 saturates");
    ID id = isSubtraction ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::sadd_sat;
    return e.write(0, e.builder.CreateBinaryIntrinsic(id, a, b), type);
  }
  e.write(0, isSubtraction ? e.builder.CreateSub(a, b) : e.builder.CreateAdd(a, b), type);
}

static void emitAdd(Emitter &e) { emitSum(e, false); }
static void emitSubtract(Emitter &e) { emitSum(e, true); }

// With the carry or borrow of the instruction before: in twice the bits.
static void emitCarrySum(Emitter &e, bool isSubtraction) {
  bool setsCarry = e.modifiers.take("cc");
  ptx::Type type = takeIntegerType(e);
  if (!e.expect(3))
    return;
  ptx::Type wide{ptx::TypeKind::Unsigned, uint8_t(2 * type.bits)};
  Value *a = e.builder.CreateZExt(e.read(1, type), e.bitsOf(wide));
  Value *b = e.builder.CreateZExt(e.read(2, type), e.bitsOf(wide));
  Value *carry = e.builder.CreateZExt(e.builder.CreateLoad(e.builder.getInt1Ty(), e.function.carry),
                                      e.bitsOf(wide));
  b = e.builder.CreateAdd(b, carry);
  Value *sum = isSubtraction ? e.builder.CreateSub(a, b) : e.builder.CreateAdd(a, b);
  if (setsCarry)
    e.builder.CreateStore(
        e.builder.CreateTrunc(e.builder.CreateLShr(sum, type.bits), e.builder.getInt1Ty()),
        e.function.carry);
  e.write(0, e.builder.CreateTrunc(sum, e.bitsOf(type)), type);
}

static void emitAddCarry(Emitter &e) { emitCarrySum(e, false); }
static void emitSubtractBorrow(Emitter &e) { emitCarrySum(e, true); }

namespace {

enum class Part { Low, High, Wide };

} // namespace

static Part takePart(Emitter &e) {
  std::optional<Part> part =
      e.modifiers.choose<Part>({{"lo", Part::Low}, {"hi", Part::High}, {"wide", Part::Wide}});
  if (!part)
    e.fail(".lo, .hi or .wide is missing");
  return part.value_or(Part::Low);
}

// The product's type is `result`.
static Value *multiply(Emitter &e, ptx::Type type, Part part, ptx::Type &result) {
  Value *a = e.read(1, type), *b = e.read(2, type);
  result = type;
  if (part == Part::Low)
    return e.builder.CreateMul(a, b);
  ptx::Type wide = twice(type);
  Value *product = e.builder.CreateMul(extend(e, a, type, wide), extend(e, b, type, wide));
  if (part == Part::Wide) {
    result = wide;
    if (type.bits == 64)
      e.fail("a product of 128 bits");
    return product;
  }
  return e.builder.CreateTrunc(e.builder.CreateLShr(product, type.bits), e.bitsOf(type));
}

static void emitMultiply(Emitter &e) {
  if (isReal(e))
    return emitRealBinary(e, Instruction::FMul);
  Part part = takePart(e);
  ptx::Type type = takeIntegerType(e), result;
  if (!e.expect(3))
    return;
  Value *product = multiply(e, type, part, result);
  e.write(0, product, result);
}

static void emitMultiplyAdd(Emitter &e) {
  if (isReal(e))
    return emitRealFma(e);
  Part part = takePart(e);
  ptx::Type type = takeIntegerType(e), result;
  if (!e.expect(4))
    return;
  Value *product = multiply(e, type, part, result);
  e.write(0, e.builder.CreateAdd(product, e.read(3, result)), result);
}

// What a GPU gives for division by 0 is all ones, and nothing traps as a processor would.
static void emitDivision(Emitter &e, bool isRemainder) {
  ptx::Type type = takeIntegerType(e);
  if (!e.expect(3))
    return;
  Value *a = e.read(1, type), *b = e.read(2, type);
  Value *zero = llvm::Constant::getNullValue(a->getType());
  Value *ones = llvm::Constant::getAllOnesValue(a->getType());
  Value *byZero = e.builder.CreateICmpEQ(b, zero);
  Value *unsafe = byZero;
  if (type.isSigned())
    unsafe = e.builder.CreateOr(unsafe, e.builder.CreateICmpEQ(b, ones));
  Value *divisor = e.builder.CreateSelect(unsafe, llvm::ConstantInt::get(a->getType(), 1), b);
  Value *quotient =
      type.isSigned() ? e.builder.CreateSDiv(a, divisor) : e.builder.CreateUDiv(a, divisor);
  if (type.isSigned()) // a / -1, also of the least integer
    quotient =
        e.builder.CreateSelect(e.builder.CreateICmpEQ(b, ones), e.builder.CreateNeg(a), quotient);
  Value *rest = e.builder.CreateSub(a, e.builder.CreateMul(quotient, b));
  e.write(0,
          isRemainder ? e.builder.CreateSelect(byZero, a, rest)
                      : e.builder.CreateSelect(byZero, ones, quotient),
          type);
}

static void emitDivide(Emitter &e) {
  if (isReal(e))
    return emitRealDivision(e);
  emitDivision(e, false);
}

static void emitRemainder(Emitter &e) { emitDivision(e, true); }

static void emitExtremum(Emitter &e, ID ofSigned, ID ofUnsigned, bool isMaximum) {
  if (isReal(e))
    return emitRealExtremum(e, isMaximum);
  bool isPositive = e.modifiers.take("relu"); // negative results become 0
  ptx::Type type = takeIntegerType(e, /*mayBePairs=*/true);
  if (isPositive && type != ptx::Type{ptx::TypeKind::Signed, 32})
    return e.fail(".relu is known of .s32 alone");
  if (!e.expect(3))
    return;
  e.mapBits(type, [&](auto in) -> Value * {
    ID id = type.isSigned() ? ofSigned : ofUnsigned;
    Value *result = e.builder.CreateBinaryIntrinsic(id, in[0], in[1]);
    return isPositive ? e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, result,
                                                        e.builder.getInt32(0))
                      : result;
  });
}

static void emitMinimum(Emitter &e) {
  emitExtremum(e, llvm::Intrinsic::smin, llvm::Intrinsic::umin, false);
}

static void emitMaximum(Emitter &e) {
  emitExtremum(e, llvm::Intrinsic::smax, llvm::Intrinsic::umax, true);
}

static void emitNegate(Emitter &e) {
  if (isReal(e))
    return emitRealSign(e, true);
  ptx::Type type = takeIntegerType(e);
  if (e.expect(2))
    e.write(0, e.builder.CreateNeg(e.read(1, type)), type);
}

static void emitAbsolute(Emitter &e) {
  if (isReal(e))
    return emitRealSign(e, false);
  ptx::Type type = takeIntegerType(e);
  if (e.expect(2))
    e.write(0,
            e.builder.CreateIntrinsic(llvm::Intrinsic::abs, {e.bitsOf(type)},
                                      {e.read(1, type), e.builder.getFalse()}),
            type);
}

llvm::ArrayRef<InstructionRow> weft::emulator::integerInstructions() {
  static const InstructionRow rows[] = {
      {"add", emitAdd},       {"sub", emitSubtract},
      {"addc", emitAddCarry}, {"subc", emitSubtractBorrow},
      {"mul", emitMultiply},  {"mad", emitMultiplyAdd},
      {"div", emitDivide},    {"rem", emitRemainder},
      {"min", emitMinimum},   {"max", emitMaximum},
      {"neg", emitNegate},    {"abs", emitAbsolute},
  };
  return rows;
}
