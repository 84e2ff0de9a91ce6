//===- ScalarFunctions.cpp - the meaning of arith and math ops ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Integers are kept sign-extended to 64 bits (booleans as 0 or 1) and wrapped to the width of
// their type after every operation. A divisor of 0 counts as 1, as in compiled code.
//
//===----------------------------------------------------------------------------------------===//

#include "ScalarProgram.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::reference;

static int64_t wrap(int64_t value, unsigned bits) {
  if (bits == 1)
    return value & 1;
  return bits == 64 ? value : llvm::SignExtend64(value, bits);
}

static uint64_t zeroExtended(int64_t value, unsigned bits) {
  return bits == 64 ? value : uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(bits);
}

static int64_t divide(int64_t a, int64_t b) {
  if (b == 0)
    return a;
  return b == -1 ? int64_t(-uint64_t(a)) : a / b;
}
static int64_t divideFloor(int64_t a, int64_t b) {
  if (b == 0 || b == -1)
    return divide(a, b);
  return llvm::divideFloorSigned(a, b);
}
static int64_t divideCeil(int64_t a, int64_t b) {
  if (b == 0 || b == -1)
    return divide(a, b);
  return llvm::divideCeilSigned(a, b);
}

/// The nearest integer of `bits` bits towards zero; 0 for what is not a number.
static int64_t toInteger(double value, unsigned bits) {
  if (std::isnan(value))
    return 0;
  double limit = std::ldexp(1.0, bits - 1);
  if (value >= limit)
    return llvm::maxIntN(bits);
  if (value < -limit)
    return llvm::minIntN(bits);
  return int64_t(value);
}

static double propagateNan(double a, double b, double otherwise) {
  return std::isnan(a) ? a : std::isnan(b) ? b : otherwise;
}

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned bits) {
  uint64_t ua = zeroExtended(a, bits), ub = zeroExtended(b, bits);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

static bool compareReals(arith::CmpFPredicate predicate, double a, double b) {
  bool isUnordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return a < b || a > b;
  case arith::CmpFPredicate::ORD:
    return !isUnordered;
  case arith::CmpFPredicate::UEQ:
    return a == b || isUnordered;
  case arith::CmpFPredicate::UGT:
    return a > b || isUnordered;
  case arith::CmpFPredicate::UGE:
    return a >= b || isUnordered;
  case arith::CmpFPredicate::ULT:
    return a < b || isUnordered;
  case arith::CmpFPredicate::ULE:
    return a <= b || isUnordered;
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::UNO:
    return isUnordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

namespace {
struct Entry {
  StringLiteral name;
  ScalarFunction function;
};
} // namespace

#define SCALAR_OP(NAME, STATEMENT)                                                                 \
  Entry{NAME, [](const Instruction &op, Scalar *s) {                                               \
          Scalar a = s[op.a], b = s[op.b], c = s[op.c];                                            \
          Scalar &result = s[op.result];                                                           \
          (void)a, (void)b, (void)c;                                                               \
          STATEMENT;                                                                               \
        }},
#define REAL(NAME, EXPR) SCALAR_OP(NAME, result.real = (EXPR))
#define INTEGER(NAME, EXPR) SCALAR_OP(NAME, result.integer = wrap((EXPR), op.bits))
#define X a.real
#define Y b.real
#define I a.integer
#define J b.integer
#define UI zeroExtended(a.integer, op.fromBits)
#define UJ zeroExtended(b.integer, op.fromBits)

static const Entry realOps[] = {
    // clang-format off
    REAL("arith.addf", X + Y)
    REAL("arith.subf", X - Y)
    REAL("arith.mulf", X * Y)
    REAL("arith.divf", X / Y)
    REAL("arith.remf", std::fmod(X, Y))
    REAL("arith.negf", -X)
    REAL("arith.maximumf", propagateNan(X, Y, std::max(X, Y)))
    REAL("arith.minimumf", propagateNan(X, Y, std::min(X, Y)))
    REAL("arith.maxnumf", std::fmax(X, Y))
    REAL("arith.minnumf", std::fmin(X, Y))
    REAL("arith.extf", X)
    REAL("arith.bitcast", double(llvm::bit_cast<float>(int32_t(I)))) // of an i32 to f32
    REAL("arith.truncf", X)
    REAL("arith.sitofp", double(op.fromBits == 1 ? -I : I))
    REAL("arith.uitofp", double(UI))
    REAL("math.absf", std::fabs(X))
    REAL("math.acos", std::acos(X))
    REAL("math.acosh", std::acosh(X))
    REAL("math.asin", std::asin(X))
    REAL("math.asinh", std::asinh(X))
    REAL("math.atan", std::atan(X))
    REAL("math.atan2", std::atan2(X, Y))
    REAL("math.atanh", std::atanh(X))
    REAL("math.cbrt", std::cbrt(X))
    REAL("math.ceil", std::ceil(X))
    REAL("math.clampf", std::fmin(std::fmax(X, Y), c.real))
    REAL("math.copysign", std::copysign(X, Y))
    REAL("math.cos", std::cos(X))
    REAL("math.cosh", std::cosh(X))
    REAL("math.erf", std::erf(X))
    REAL("math.erfc", std::erfc(X))
    REAL("math.exp", std::exp(X))
    REAL("math.exp2", std::exp2(X))
    REAL("math.expm1", std::expm1(X))
    REAL("math.floor", std::floor(X))
    REAL("math.fma", X * Y + c.real)
    REAL("math.fpowi", std::pow(X, double(J)))
    REAL("math.log", std::log(X))
    REAL("math.log10", std::log10(X))
    REAL("math.log1p", std::log1p(X))
    REAL("math.log2", std::log2(X))
    REAL("math.powf", std::pow(X, Y))
    REAL("math.round", std::round(X))
    REAL("math.roundeven", std::nearbyint(X))
    REAL("math.rsqrt", 1.0 / std::sqrt(X))
    REAL("math.sin", std::sin(X))
    REAL("math.sinh", std::sinh(X))
    REAL("math.sqrt", std::sqrt(X))
    REAL("math.tan", std::tan(X))
    REAL("math.tanh", std::tanh(X))
    REAL("math.trunc", std::trunc(X))
    // clang-format on
};

static const Entry integerOps[] = {
    // clang-format off
    INTEGER("arith.addi", int64_t(uint64_t(I) + uint64_t(J)))
    INTEGER("arith.subi", int64_t(uint64_t(I) - uint64_t(J)))
    INTEGER("arith.muli", int64_t(uint64_t(I) * uint64_t(J)))
    INTEGER("arith.divsi", divide(I, J))
    INTEGER("arith.divui", J == 0 ? I : int64_t(UI / UJ))
    INTEGER("arith.floordivsi", divideFloor(I, J))
    INTEGER("arith.ceildivsi", divideCeil(I, J))
    INTEGER("arith.ceildivui", J == 0 ? I : int64_t(UI / UJ + (UI % UJ != 0)))
    INTEGER("arith.remsi", J == 0 || J == -1 ? 0 : I % J)
    INTEGER("arith.remui", J == 0 ? 0 : int64_t(UI % UJ))
    INTEGER("arith.andi", I & J)
    INTEGER("arith.ori", I | J)
    INTEGER("arith.xori", I ^ J)
    INTEGER("arith.shli", UJ >= op.bits ? 0 : int64_t(uint64_t(I) << J))
    INTEGER("arith.shrsi", UJ >= op.bits ? (I < 0 ? -1 : 0) : I >> J)
    INTEGER("arith.shrui", UJ >= op.bits ? 0 : int64_t(UI >> J))
    INTEGER("arith.maxsi", std::max(I, J))
    INTEGER("arith.minsi", std::min(I, J))
    INTEGER("arith.maxui", UI > UJ ? I : J)
    INTEGER("arith.minui", UI < UJ ? I : J)
    INTEGER("arith.extsi", op.fromBits == 1 ? -I : I)
    INTEGER("arith.extui", int64_t(UI))
    INTEGER("arith.trunci", I)
    INTEGER("arith.index_cast", op.fromBits == 1 ? -I : I)
    INTEGER("arith.index_castui", int64_t(UI))
    INTEGER("arith.fptosi", toInteger(X, op.bits))
    INTEGER("arith.fptoui", X <= 0.0 ? 0 : toInteger(X, op.bits))
    INTEGER("arith.cmpi", compareIntegers(arith::CmpIPredicate(op.predicate), I, J, op.fromBits))
    INTEGER("arith.cmpf", compareReals(arith::CmpFPredicate(op.predicate), X, Y))
    INTEGER("math.absi", I < 0 ? int64_t(-uint64_t(I)) : I)
    SCALAR_OP("arith.select", result = a.integer ? b : c)
    // clang-format on
};

ScalarFunction weft::reference::lookupScalarFunction(StringRef opName) {
  for (const Entry &entry : realOps)
    if (entry.name == opName)
      return entry.function;
  for (const Entry &entry : integerOps)
    if (entry.name == opName)
      return entry.function;
  return nullptr;
}
