//===- Conversions.cpp - mov, cvt and cvta --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Numbers.h"
#include "Translate/Emitter.h"
#include "Translate/Spaces.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

namespace {

struct ConversionMode {
  std::optional<Rounding> rounding, integral;
  RealMode real;
  bool relu = false;
};

} // namespace

static ConversionMode takeMode(Emitter &e) {
  ConversionMode mode;
  mode.integral = e.modifiers.choose<Rounding>({{"rni", Rounding::Nearest},
                                                {"rzi", Rounding::Zero},
                                                {"rmi", Rounding::Down},
                                                {"rpi", Rounding::Up}});
  mode.rounding = e.modifiers.choose<Rounding>({{"rn", Rounding::Nearest},
                                                {"rz", Rounding::Zero},
                                                {"rm", Rounding::Down},
                                                {"rp", Rounding::Up},
                                                {"rna", Rounding::Away}});
  mode.real.flush = e.modifiers.take("ftz");
  mode.real.saturate = e.modifiers.take("sat");
  mode.relu = e.modifiers.take("relu");
  return mode;
}

static Value *roundIntegral(Emitter &e, Value *value, Rounding rounding) {
  llvm::Intrinsic::ID id = rounding == Rounding::Nearest ? llvm::Intrinsic::roundeven
                           : rounding == Rounding::Zero  ? llvm::Intrinsic::trunc
                           : rounding == Rounding::Down  ? llvm::Intrinsic::floor
                                                         : llvm::Intrinsic::ceil;
  return e.builder.CreateUnaryIntrinsic(id, value);
}

static Value *widen(Emitter &e, Value *value) {
  return e.builder.CreateFPExt(value, e.builder.getDoubleTy());
}

// A double as the bits of a type of fewer bits.
static Value *narrow(Emitter &e, Value *value, ptx::Type to, const ConversionMode &mode) {
  Rounding rounding = mode.rounding.value_or(Rounding::Nearest);
  if (mode.relu) { // NaN stays NaN
    Value *zero = llvm::ConstantFP::get(value->getType(), 0.0);
    value = e.builder.CreateSelect(e.builder.CreateFCmpOLE(value, zero), zero, value);
  }
  if (to == ptx::Type{ptx::TypeKind::Float, 32})
    return e.fromReal(e.call("to_float", e.builder.getFloatTy(), {value, e.code(rounding)}), to,
                      mode.real);
  SmallReal small = to.kind == ptx::TypeKind::Float    ? SmallReal::Half
                    : to.kind == ptx::TypeKind::BFloat ? SmallReal::BFloat
                                                       : SmallReal::TFloat;
  Value *bits =
      e.call("round_small", e.builder.getInt32Ty(), {value, e.code(small), e.code(rounding)});
  return e.builder.CreateZExtOrTrunc(bits, e.bitsOf(to));
}

/// Numbers of single precision alone are flushed.
static Value *readFrom(Emitter &e, Value *bits, ptx::Type from, const ConversionMode &mode) {
  return e.toReal(bits, from, mode.real.flush && from.bits == 32);
}

static Value *convertReal(Emitter &e, Value *bits, ptx::Type from, ptx::Type to,
                          const ConversionMode &mode) {
  Value *value = readFrom(e, bits, from, mode);
  if (mode.integral)
    value = roundIntegral(e, value, *mode.integral);
  if (!mode.integral && to.bits < from.bits && !mode.rounding)
    e.fail("a rounding is missing");
  if (mode.real.saturate && to.bits != 32)
    e.fail(".sat of such a conversion is not known");
  if (to.bits == 64)
    return e.fromReal(widen(e, value), to, mode.real);
  // Without rounding nothing goes through a wider type, which would be right but slow.
  bool widens = to == ptx::Type{ptx::TypeKind::Float, 32} && from.bits <= 32;
  return widens ? e.fromReal(value, to, mode.real) : narrow(e, widen(e, value), to, mode);
}

static Value *realToInteger(Emitter &e, Value *bits, ptx::Type from, ptx::Type to,
                            const ConversionMode &mode) {
  if (!mode.integral)
    e.fail("a rounding to an integer is missing");
  Value *value = widen(e, readFrom(e, bits, from, mode));
  value = roundIntegral(e, value, mode.integral.value_or(Rounding::Zero));
  bool nanIsHighBit = to.bits == 64 || from.bits == 64;
  Value *result =
      e.call("to_integer", e.builder.getInt64Ty(),
             {value, e.number(to.bits), e.number(to.isSigned()), e.number(nanIsHighBit)});
  return e.builder.CreateTrunc(result, e.bitsOf(to));
}

static Value *integerToReal(Emitter &e, Value *bits, ptx::Type from, ptx::Type to,
                            const ConversionMode &mode) {
  if (!mode.rounding)
    e.fail("a rounding is missing");
  Rounding rounding = mode.rounding.value_or(Rounding::Nearest);
  Value *wide = from.isSigned() ? e.builder.CreateSExt(bits, e.builder.getInt64Ty())
                                : e.builder.CreateZExt(bits, e.builder.getInt64Ty());
  llvm::SmallVector<Value *> args = {wide, e.number(from.isSigned()), e.code(rounding)};
  if (to == ptx::Type{ptx::TypeKind::Float, 32})
    return e.fromReal(e.call("integer_to_float", e.builder.getFloatTy(), args), to, mode.real);
  if (to.bits != 64 && from.bits == 64)
    e.fail("a conversion of 64 bits to 16 is not known");
  Value *value = e.call("integer_to_double", e.builder.getDoubleTy(), args);
  return to.bits == 64 ? e.builder.CreateBitCast(value, e.builder.getInt64Ty())
                       : narrow(e, value, to, mode);
}

// Clamped to what the other type can hold.
static Value *saturateInteger(Emitter &e, Value *value, ptx::Type from, ptx::Type to) {
  unsigned width = 65; // holds both types' numbers
  llvm::Type *wide = e.builder.getIntNTy(width);
  value = from.isSigned() ? e.builder.CreateSExt(value, wide) : e.builder.CreateZExt(value, wide);
  llvm::APInt least = to.isSigned() ? llvm::APInt::getSignedMinValue(to.bits).sext(width)
                                    : llvm::APInt::getZero(width);
  llvm::APInt most = to.isSigned() ? llvm::APInt::getSignedMaxValue(to.bits).sext(width)
                                   : llvm::APInt::getMaxValue(to.bits).zext(width);
  value = e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, e.builder.getInt(least));
  value = e.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, e.builder.getInt(most));
  return e.builder.CreateTrunc(value, e.bitsOf(to));
}

static Value *convertInteger(Emitter &e, Value *value, ptx::Type from, ptx::Type to,
                             const ConversionMode &mode) {
  if (mode.real.saturate)
    return saturateInteger(e, value, from, to);
  return from.isSigned() ? e.builder.CreateSExtOrTrunc(value, e.bitsOf(to))
                         : e.builder.CreateZExtOrTrunc(value, e.bitsOf(to));
}

// cvt.rn.bf16x2.f32 d, a, b: a is the upper half.
static void emitPackedConversion(Emitter &e, ptx::Type to, ptx::Type from,
                                 const ConversionMode &mode) {
  if (from != ptx::Type{ptx::TypeKind::Float, 32} || !mode.rounding)
    return e.fail("only roundings of two .f32 make a packed type");
  if (!e.expect(3))
    return;
  auto half = [&](size_t i) {
    Value *value = widen(e, e.readReal(i, from, mode.real.flush));
    return e.builder.CreateZExt(narrow(e, value, to.element(), mode), e.builder.getInt32Ty());
  };
  e.write(0, e.builder.CreateOr(e.builder.CreateShl(half(1), 16), half(2)), to);
}

static void emitConvert(Emitter &e) {
  ConversionMode mode = takeMode(e);
  ptx::Type to = e.takeType(), from = e.takeType();
  if (to.packed)
    return emitPackedConversion(e, to, from, mode);
  if (!e.expect(2))
    return;
  bool known = !from.packed && from.bits >= 8 && to.bits >= 8 && from.bits <= 64 && to.bits <= 64;
  if (!known || (mode.relu && (!to.isReal() || to.bits > 32)))
    return e.fail("no such conversion");
  Value *bits = e.read(1, from, /*wider=*/true);
  Value *result = from.isReal() ? to.isReal() ? convertReal(e, bits, from, to, mode)
                                              : realToInteger(e, bits, from, to, mode)
                  : to.isReal() ? integerToReal(e, bits, from, to, mode)
                                : convertInteger(e, bits, from, to, mode);
  e.write(0, result, to, /*wider=*/true);
}

// Several registers side by side are one of more bits, the first one the lowest.
static void emitPack(Emitter &e, ptx::Type type) {
  llvm::ArrayRef<ptx::Operand> parts = e.operand(1).parts;
  ptx::Type part{ptx::TypeKind::Bits, uint8_t(type.totalBits() / parts.size())};
  Value *result = llvm::Constant::getNullValue(e.bitsOf(type));
  for (size_t i = 0; i < parts.size(); ++i)
    result = e.builder.CreateOr(
        result, e.builder.CreateShl(e.builder.CreateZExt(e.read(parts[i], part), e.bitsOf(type)),
                                    part.bits * i));
  e.write(0, result, type);
}

static void emitUnpack(Emitter &e, ptx::Type type) {
  llvm::ArrayRef<ptx::Operand> parts = e.operand(0).parts;
  ptx::Type part{ptx::TypeKind::Bits, uint8_t(type.totalBits() / parts.size())};
  Value *value = e.read(1, type);
  for (size_t i = 0; i < parts.size(); ++i)
    e.write(parts[i],
            e.builder.CreateTrunc(e.builder.CreateLShr(value, part.bits * i), e.bitsOf(part)),
            part);
}

static void emitMove(Emitter &e) {
  ptx::Type type = e.takeType();
  if (!e.expect(2))
    return;
  for (size_t i : {0, 1}) {
    size_t parts = e.operand(i).parts.size();
    if (e.operand(i).kind == ptx::OperandKind::Vector &&
        ((parts != 2 && parts != 4) || type.totalBits() < 16))
      return e.fail("2 or 4 parts of a register are expected");
  }
  if (e.operand(1).kind == ptx::OperandKind::Vector)
    return emitPack(e, type);
  if (e.operand(0).kind == ptx::OperandKind::Vector)
    return emitUnpack(e, type);
  e.write(0, e.read(1, type), type);
}

// To generic addresses, or with .to from them.
static void emitConvertAddress(Emitter &e) {
  bool fromGeneric = e.modifiers.take("to");
  ptx::Space space = takeSpace(e);
  ptx::Type type = e.takeType();
  if (type.bits != 64)
    e.fail("only addresses of 64 bits are known");
  if (!e.expect(2))
    return;
  Value *start = e.builder.getInt64(windowOf(space));
  Value *address = e.read(1, {ptx::TypeKind::Unsigned, 64});
  e.write(0,
          fromGeneric ? e.builder.CreateSub(address, start) : e.builder.CreateAdd(address, start),
          {ptx::TypeKind::Unsigned, 64});
}

static void emitIsInSpace(Emitter &e) {
  ptx::Space space = takeSpace(e);
  if (!e.expect(2))
    return;
  Value *address = e.read(1, {ptx::TypeKind::Unsigned, 64});
  Value *is = e.call("is_in_space", e.builder.getInt32Ty(), {address, e.code(space)});
  e.write(0, e.builder.CreateIsNotNull(is), {ptx::TypeKind::Predicate, 1});
}

llvm::ArrayRef<InstructionRow> weft::emulator::conversionInstructions() {
  static const InstructionRow rows[] = {
      {"mov", emitMove},
      {"cvt", emitConvert},
      {"cvta", emitConvertAddress},
      {"isspacep", emitIsInSpace},
  };
  return rows;
}
