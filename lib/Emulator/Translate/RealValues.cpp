//===- RealValues.cpp - real numbers and their bits -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Numbers.h"
#include "Translate/Emitter.h"

#include "llvm/ADT/bit.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

static SmallReal smallReal(ptx::Type type) {
  return type.kind == ptx::TypeKind::Float    ? SmallReal::Half
         : type.kind == ptx::TypeKind::BFloat ? SmallReal::BFloat
                                              : SmallReal::TFloat;
}

Value *Emitter::toReal(Value *bits, ptx::Type type, bool flushes) {
  Value *value = nullptr;
  if (!type.isReal() || type.packed) {
    fail("a type of real numbers is expected");
    return llvm::Constant::getNullValue(builder.getFloatTy());
  }
  if (type.bits == 64)
    return builder.CreateBitCast(bits, builder.getDoubleTy());
  if (type.bits == 32)
    value = builder.CreateBitCast(bits, builder.getFloatTy());
  else if (type.kind == ptx::TypeKind::BFloat)
    value =
        builder.CreateBitCast(builder.CreateShl(builder.CreateZExt(bits, builder.getInt32Ty()), 16),
                              builder.getFloatTy());
  else
    value =
        call("from_half", builder.getFloatTy(), {builder.CreateZExt(bits, builder.getInt32Ty())});
  return flushes ? flush(value, type) : value;
}

// Numbers below the smallest normal one are 0 with their sign. Bits are compared, as the JIT's fast
// instruction selection has no magnitudes and signs of reals.
Value *Emitter::flush(Value *value, ptx::Type type) {
  if (value->getType()->isDoubleTy())
    return value;
  float least = type.bits == 16 && type.kind == ptx::TypeKind::Float ? 0x1p-14f : 0x1p-126f;
  Value *bits = builder.CreateBitCast(value, builder.getInt32Ty());
  Value *isSmall = builder.CreateICmpULT(builder.CreateAnd(bits, 0x7fffffff),
                                         builder.getInt32(llvm::bit_cast<uint32_t>(least)));
  Value *zero = builder.CreateBitCast(builder.CreateAnd(bits, 0x80000000), value->getType());
  return builder.CreateSelect(isSmall, zero, value);
}

static Value *saturate(llvm::IRBuilder<> &builder, Value *value) {
  Value *zero = llvm::ConstantFP::get(value->getType(), 0.0);
  Value *one = llvm::ConstantFP::get(value->getType(), 1.0);
  // A comparison with NaN is false, and -0 becomes +0.
  value = builder.CreateSelect(builder.CreateFCmpOGT(value, zero), value, zero);
  return builder.CreateSelect(builder.CreateFCmpOLT(value, one), value, one);
}

Value *Emitter::fromReal(Value *value, ptx::Type type, RealMode mode) {
  if (mode.saturate)
    value = saturate(builder, value);
  if (mode.flush)
    value = flush(value, type);
  if (type.bits == 64)
    return builder.CreateBitCast(value, builder.getInt64Ty());
  if (type.bits == 32) {
    // Results that are no numbers have one form in single precision.
    Value *bits = builder.CreateBitCast(value, builder.getInt32Ty());
    return builder.CreateSelect(builder.CreateFCmpUNO(value, value), builder.getInt32(0x7fffffff),
                                bits);
  }
  Value *wide = builder.CreateFPExt(value, builder.getDoubleTy());
  Value *rounded = call("round_small", builder.getInt32Ty(),
                        {wide, code(smallReal(type)), code(Rounding::Nearest)});
  return builder.CreateTrunc(rounded, builder.getInt16Ty());
}

Value *Emitter::readReal(size_t i, ptx::Type type, bool flushes) {
  return toReal(read(i, type), type, flushes);
}

void Emitter::writeReal(size_t i, Value *value, ptx::Type type, RealMode mode) {
  write(i, fromReal(value, type, mode), type);
}

void Emitter::mapBits(ptx::Type type,
                      llvm::function_ref<Value *(llvm::ArrayRef<Value *>)> element) {
  std::vector<Value *> inputs;
  for (size_t i = 1; i < count(); ++i)
    inputs.push_back(read(i, type));
  if (!type.packed)
    return write(0, element(inputs), type);
  Value *result = builder.getInt32(0);
  for (unsigned half = 0; half < 2; ++half) {
    std::vector<Value *> parts;
    for (Value *input : inputs)
      parts.push_back(
          builder.CreateTrunc(builder.CreateLShr(input, 16 * half), builder.getInt16Ty()));
    Value *part = builder.CreateZExt(element(parts), builder.getInt32Ty());
    result = builder.CreateOr(result, builder.CreateShl(part, 16 * half));
  }
  write(0, result, type);
}

void Emitter::mapReals(ptx::Type type, RealMode mode,
                       llvm::function_ref<Value *(llvm::ArrayRef<Value *>)> element) {
  mapBits(type, [&](llvm::ArrayRef<Value *> inputs) {
    std::vector<Value *> reals;
    for (Value *input : inputs)
      reals.push_back(toReal(input, type.element(), mode.flush));
    return fromReal(element(reals), type.element(), mode);
  });
}
