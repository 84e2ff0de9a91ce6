//===- Bits.cpp - logic, shifts and fields of bits ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Emitter.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

static constexpr ptx::Type word{ptx::TypeKind::Bits, 32};

static ptx::Type takeBits(Emitter &e, unsigned least = 16) {
  ptx::Type type = e.takeType();
  if (!type.isReal() && type.bits >= least && type.bits <= 64)
    return type;
  e.fail("a type of " + llvm::Twine(least) + " to 64 bits is expected");
  return word;
}

static void emitLogic(Emitter &e) {
  ptx::Type type = takeBits(e, 1); // of predicates too
  if (!e.expect(3))
    return;
  Value *a = e.read(1, type), *b = e.read(2, type);
  llvm::StringRef name = e.instruction.opcode;
  e.write(0,
          name == "and"  ? e.builder.CreateAnd(a, b)
          : name == "or" ? e.builder.CreateOr(a, b)
                         : e.builder.CreateXor(a, b),
          type);
}

static void emitNot(Emitter &e) {
  ptx::Type type = takeBits(e, 1);
  if (e.expect(2))
    e.write(0, e.builder.CreateNot(e.read(1, type)), type);
}

static void emitIsZero(Emitter &e) {
  ptx::Type type = takeBits(e);
  if (e.expect(2))
    e.write(0, e.builder.CreateZExt(e.builder.CreateIsNull(e.read(1, type)), e.bitsOf(type)), type);
}

// Any function of three bits, given by its table.
static void emitLogic3(Emitter &e) {
  ptx::Type type = takeBits(e);
  if (!e.expect(5) || e.operand(4).kind != ptx::OperandKind::Integer)
    return e.fail("a table of constants is expected");
  Value *in[3] = {e.read(1, type), e.read(2, type), e.read(3, type)};
  Value *result = llvm::Constant::getNullValue(e.bitsOf(type));
  for (unsigned row = 0; row < 8; ++row) {
    if (!(e.operand(4).value >> row & 1))
      continue;
    Value *term = llvm::Constant::getAllOnesValue(e.bitsOf(type));
    for (unsigned i = 0; i < 3; ++i)
      term = e.builder.CreateAnd(term, row >> (2 - i) & 1 ? in[i] : e.builder.CreateNot(in[i]));
    result = e.builder.CreateOr(result, term);
  }
  e.write(0, result, type);
}

// The amount has 32 bits; more than the width shifts everything out.
static void emitShift(Emitter &e) {
  ptx::Type type = takeBits(e);
  if (!e.expect(3))
    return;
  bool left = e.instruction.opcode == "shl";
  Value *value = e.read(1, type);
  Value *amount = e.builder.CreateZExt(e.read(2, word), e.builder.getInt64Ty());
  uint64_t most = type.bits - 1;
  Value *clamped =
      e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, e.builder.getInt64(most));
  Value *shift = e.builder.CreateTrunc(clamped, e.bitsOf(type));
  if (!left && type.isSigned())
    return e.write(0, e.builder.CreateAShr(value, shift), type);
  Value *shifted = left ? e.builder.CreateShl(value, shift) : e.builder.CreateLShr(value, shift);
  Value *beyond = e.builder.CreateICmpUGT(amount, e.builder.getInt64(most));
  e.write(0, e.builder.CreateSelect(beyond, llvm::Constant::getNullValue(e.bitsOf(type)), shifted),
          type);
}

// The 64 bits b:a shifted; the upper half of them to the left, the lower one to the right.
static void emitFunnelShift(Emitter &e) {
  std::optional<bool> left = e.modifiers.choose<bool>({{"l", true}, {"r", false}});
  std::optional<bool> wraps = e.modifiers.choose<bool>({{"wrap", true}, {"clamp", false}});
  e.takeType();
  if (!left || !wraps)
    return e.fail("a direction and .wrap or .clamp are expected");
  if (!e.expect(4))
    return;
  llvm::Type *wide = e.builder.getInt64Ty();
  Value *pair =
      e.builder.CreateOr(e.builder.CreateShl(e.builder.CreateZExt(e.read(2, word), wide), 32),
                         e.builder.CreateZExt(e.read(1, word), wide));
  Value *amount = e.read(3, word);
  amount = *wraps ? e.builder.CreateAnd(amount, 31)
                  : e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, e.number(32));
  amount = e.builder.CreateZExt(amount, wide);
  Value *shifted = *left ? e.builder.CreateLShr(e.builder.CreateShl(pair, amount), 32)
                         : e.builder.CreateLShr(pair, amount);
  e.write(0, e.builder.CreateTrunc(shifted, e.builder.getInt32Ty()), word);
}

static void emitExtract(Emitter &e) {
  ptx::Type type = takeBits(e);
  if (!e.expect(4))
    return;
  llvm::Type *wide = e.builder.getInt64Ty();
  Value *field = e.call("extract", wide,
                        {e.builder.CreateZExt(e.read(1, type), wide), e.read(2, word),
                         e.read(3, word), e.number(type.bits), e.number(type.isSigned())});
  e.write(0, e.builder.CreateTrunc(field, e.bitsOf(type)), type);
}

static void emitInsert(Emitter &e) {
  ptx::Type type = takeBits(e);
  if (!e.expect(5))
    return;
  llvm::Type *wide = e.builder.getInt64Ty();
  Value *result = e.call("insert", wide,
                         {e.builder.CreateZExt(e.read(1, type), wide),
                          e.builder.CreateZExt(e.read(2, type), wide), e.read(3, word),
                          e.read(4, word), e.number(type.bits)});
  e.write(0, e.builder.CreateTrunc(result, e.bitsOf(type)), type);
}

static void emitReverse(Emitter &e) {
  ptx::Type type = takeBits(e);
  if (e.expect(2))
    e.write(0, e.builder.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, e.read(1, type)), type);
}

// popc and clz: the result has 32 bits.
static void emitCount(Emitter &e) {
  ptx::Type type = takeBits(e);
  if (!e.expect(2))
    return;
  Value *value = e.read(1, type);
  Value *result = e.instruction.opcode == "popc"
                      ? e.builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, value)
                      : e.builder.CreateIntrinsic(llvm::Intrinsic::ctlz, {value->getType()},
                                                  {value, e.builder.getFalse()});
  e.write(0, e.builder.CreateZExtOrTrunc(result, e.builder.getInt32Ty()), word);
}

// The highest bit that differs from the sign, all ones if there is none.
static void emitFindBit(Emitter &e) {
  bool asShift = e.modifiers.take("shiftamt");
  ptx::Type type = takeBits(e);
  if (!e.expect(2))
    return;
  Value *value = e.read(1, type), *zero = llvm::Constant::getNullValue(e.bitsOf(type));
  if (type.isSigned())
    value = e.builder.CreateSelect(e.builder.CreateICmpSLT(value, zero), e.builder.CreateNot(value),
                                   value);
  Value *above = e.builder.CreateIntrinsic(llvm::Intrinsic::ctlz, {value->getType()},
                                           {value, e.builder.getFalse()});
  above = e.builder.CreateZExtOrTrunc(above, e.builder.getInt32Ty());
  Value *place = asShift ? above : e.builder.CreateSub(e.number(type.bits - 1), above);
  e.write(0, e.builder.CreateSelect(e.builder.CreateICmpEQ(value, zero), e.number(~0u), place),
          word);
}

static void emitPermute(Emitter &e) {
  uint32_t mode = e.modifiers
                      .choose<uint32_t>(
                          {{"f4e", 1}, {"b4e", 2}, {"rc8", 3}, {"ecl", 4}, {"ecr", 5}, {"rc16", 6}})
                      .value_or(0);
  if (e.takeType() != word)
    e.fail(".b32 is expected");
  if (e.expect(4))
    e.write(0,
            e.call("permute", e.builder.getInt32Ty(),
                   {e.read(1, word), e.read(2, word), e.read(3, word), e.number(mode)}),
            word);
}

static void emitDot(Emitter &e) {
  ptx::Type a = e.takeType(), b = e.takeType();
  if (a.bits != 32 || b.bits != 32)
    e.fail("types of 32 bits are expected");
  if (e.expect(4))
    e.write(0,
            e.call("dot_bytes", e.builder.getInt32Ty(),
                   {e.read(1, word), e.read(2, word), e.read(3, word),
                    e.number(unsigned(a.isSigned()) | unsigned(b.isSigned()) << 1)}),
            word);
}

llvm::ArrayRef<InstructionRow> weft::emulator::bitInstructions() {
  static const InstructionRow rows[] = {
      {"and", emitLogic},       {"or", emitLogic},    {"xor", emitLogic},     {"not", emitNot},
      {"cnot", emitIsZero},     {"lop3", emitLogic3}, {"shl", emitShift},     {"shr", emitShift},
      {"shf", emitFunnelShift}, {"bfe", emitExtract}, {"bfi", emitInsert},    {"brev", emitReverse},
      {"popc", emitCount},      {"clz", emitCount},   {"bfind", emitFindBit}, {"prmt", emitPermute},
      {"dp4a", emitDot},
  };
  return rows;
}
