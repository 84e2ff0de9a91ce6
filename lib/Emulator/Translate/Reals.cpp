//===- Reals.cpp - arithmetic of real numbers -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Numbers.h"
#include "Translate/RealForms.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;
using Inputs = llvm::ArrayRef<Value *>;

static RealMode takeMode(Emitter &e) {
  RealMode mode;
  mode.flush = e.modifiers.take("ftz");
  mode.saturate = e.modifiers.take("sat");
  return mode;
}

// Only rounding to the nearest is known, which is what is meant where nothing is said.
static RealMode takeRoundedMode(Emitter &e) {
  e.modifiers.take("rn");
  return takeMode(e);
}

static ptx::Type takeRealType(Emitter &e) {
  ptx::Type type = e.takeType();
  if (type.isReal() && type.kind != ptx::TypeKind::TFloat)
    return type;
  e.fail("a type of real numbers is expected");
  return {ptx::TypeKind::Float, 32};
}

// add, sub and mul of fewer bits round twice, which gives the same as once: a float has more than
// twice their digits.
void weft::emulator::emitRealBinary(Emitter &e, llvm::Instruction::BinaryOps op) {
  RealMode mode = takeRoundedMode(e);
  ptx::Type type = takeRealType(e);
  if (e.expect(3))
    e.mapReals(type, mode, [&](Inputs in) { return e.builder.CreateBinOp(op, in[0], in[1]); });
}

void weft::emulator::emitRealFma(Emitter &e) {
  RealMode mode = takeRoundedMode(e);
  bool relu = e.modifiers.take("relu");
  ptx::Type type = takeRealType(e);
  if (!e.expect(4))
    return;
  if (type.bits != 16)
    return e.mapReals(type, mode, [&](Inputs in) {
      return e.builder.CreateIntrinsic(llvm::Intrinsic::fma, {in[0]->getType()}, in);
    });
  if (mode.flush || mode.saturate || relu)
    return e.fail("fma of 16 bits with .ftz, .sat or .relu is not known");
  SmallReal small = type.kind == ptx::TypeKind::Float ? SmallReal::Half : SmallReal::BFloat;
  e.mapBits(type, [&](Inputs in) {
    std::vector<Value *> words;
    for (Value *input : in)
      words.push_back(e.builder.CreateZExt(input, e.builder.getInt32Ty()));
    words.push_back(e.code(small));
    return e.builder.CreateTrunc(e.call("fma_small", e.builder.getInt32Ty(), words),
                                 e.builder.getInt16Ty());
  });
}

void weft::emulator::emitRealDivision(Emitter &e) {
  e.modifiers.skip({"approx", "full"});
  emitRealBinary(e, llvm::Instruction::FDiv);
}

// The other operand if one is NaN, or NaN with .NaN; -0 is less than +0.
void weft::emulator::emitRealExtremum(Emitter &e, bool isMaximum) {
  RealMode mode;
  mode.flush = e.modifiers.take("ftz");
  bool keepsNaN = e.modifiers.take("NaN");
  ptx::Type type = takeRealType(e);
  if (!e.expect(3))
    return;
  llvm::Intrinsic::ID id = isMaximum
                               ? keepsNaN ? llvm::Intrinsic::maximum : llvm::Intrinsic::maximumnum
                           : keepsNaN ? llvm::Intrinsic::minimum
                                      : llvm::Intrinsic::minimumnum;
  e.mapReals(type, mode,
             [&](Inputs in) { return e.builder.CreateBinaryIntrinsic(id, in[0], in[1]); });
}

// neg and abs change the sign of NaNs too, so they work on the bits.
void weft::emulator::emitRealSign(Emitter &e, bool isNegation) {
  bool flushes = e.modifiers.take("ftz");
  ptx::Type type = takeRealType(e);
  if (!e.expect(2))
    return;
  if (flushes && type.bits == 16)
    return e.fail(".ftz of 16 bits is not known");
  e.mapBits(type, [&](Inputs in) {
    Value *bits = in[0];
    if (flushes)
      bits = e.builder.CreateBitCast(e.toReal(bits, type.element(), true), bits->getType());
    llvm::APInt sign = llvm::APInt::getSignMask(type.bits);
    return isNegation ? e.builder.CreateXor(bits, e.builder.getInt(sign))
                      : e.builder.CreateAnd(bits, e.builder.getInt(~sign));
  });
}

static void emitCopySign(Emitter &e) {
  ptx::Type type = takeRealType(e);
  if (!e.expect(3))
    return;
  // copysign d, a, b: the sign of a, all else of b.
  llvm::APInt sign = llvm::APInt::getSignMask(type.bits);
  e.write(0,
          e.builder.CreateOr(e.builder.CreateAnd(e.read(1, type), e.builder.getInt(sign)),
                             e.builder.CreateAnd(e.read(2, type), e.builder.getInt(~sign))),
          type);
}

using UnaryReal = llvm::function_ref<Value *(Value *)>;

static void emitUnary(Emitter &e, UnaryReal function) {
  e.modifiers.skip({"approx", "rn"});
  RealMode mode = takeMode(e);
  ptx::Type type = takeRealType(e);
  if (e.expect(2))
    e.mapReals(type, mode, [&](Inputs in) { return function(in[0]); });
}

static Value *reciprocal(Emitter &e, Value *x) {
  return e.builder.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0), x);
}

static Value *squareRoot(Emitter &e, Value *x) {
  return e.builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
}

static void emitReciprocal(Emitter &e) {
  emitUnary(e, [&](Value *x) { return reciprocal(e, x); });
}

static void emitSquareRoot(Emitter &e) {
  emitUnary(e, [&](Value *x) { return squareRoot(e, x); });
}

static void emitReciprocalRoot(Emitter &e) {
  emitUnary(e, [&](Value *x) { return reciprocal(e, squareRoot(e, x)); });
}

// ex2, lg2, sin, cos, tanh: of floats, those of 16 bits included.
static void emitFunction(Emitter &e) {
  emitUnary(e, [&](Value *x) -> Value * {
    if (!x->getType()->isFloatTy()) {
      e.fail("only a function of floats is known");
      return x;
    }
    return e.call(e.instruction.opcode, x->getType(), {x});
  });
}

static void emitTest(Emitter &e) {
  auto mask = e.modifiers.choose<unsigned>({{"finite", llvm::fcFinite},
                                            {"infinite", llvm::fcInf},
                                            {"number", llvm::fcFinite | llvm::fcInf},
                                            {"notanumber", llvm::fcNan},
                                            {"normal", llvm::fcNormal},
                                            {"subnormal", llvm::fcSubnormal}});
  ptx::Type type = takeRealType(e);
  if (!mask)
    return e.fail("what it tests is missing");
  if (e.expect(2))
    e.write(0, e.builder.createIsFPClass(e.readReal(1, type), *mask),
            {ptx::TypeKind::Predicate, 1});
}

llvm::ArrayRef<InstructionRow> weft::emulator::realInstructions() {
  static const InstructionRow rows[] = {
      {"fma", emitRealFma},          {"rcp", emitReciprocal}, {"sqrt", emitSquareRoot},
      {"rsqrt", emitReciprocalRoot}, {"ex2", emitFunction},   {"lg2", emitFunction},
      {"sin", emitFunction},         {"cos", emitFunction},   {"tanh", emitFunction},
      {"copysign", emitCopySign},    {"testp", emitTest},
  };
  return rows;
}
