//===- BitFunctions.cpp - Functions of the bits of integers ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BitFunctions.h"

#include "ScalarBuilder.h"
#include "weft/Support/CodeTable.h"
#include "weft/Support/Elements.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace weft::sema {

static constexpr int64_t kWordBits = 32;

bool isBitFunction(StringRef name) {
  return name == "bits" || name == "signed" || name == "half" || name == "bfloat" ||
         name == "float8";
}

static ScalarOp realOp(StringRef name) {
  return name == "half"     ? ScalarOp::Half
         : name == "bfloat" ? ScalarOp::BFloat
                            : ScalarOp::ShortReal;
}

static double foldReal(StringRef name, int64_t bits) {
  auto half = uint16_t(bits);
  if (name == "half")
    return loadReal(ElementType::F16, &half, 0);
  if (name == "bfloat")
    return loadReal(ElementType::BF16, &half, 0);
  return (bits & 127) == 127 ? NAN : double(decodeCode(CodeTable::Fp8, uint8_t(bits)));
}

/// How many bits are meant: a compile-time number of 1 to 32.
static std::optional<int64_t> findWidth(const Value &value, SourceRange range, Reporter &reporter) {
  if (value.is(Value::Kind::Int) && value.integer >= 1 && value.integer <= kWordBits)
    return value.integer;
  return reporter.error(range, "the number of bits is a compile-time integer from 1 to 32");
}

static Scalar *buildBits(Scalar *x, Scalar *at, int64_t width, SourceRange range,
                         ScalarBuilder build, Formula &formula) {
  Scalar *mask = build.checked(formula.addInt(maskTrailingOnes<uint64_t>(width), range), range);
  bool isLowest = at->op == ScalarOp::Constant && at->integer == 0;
  Scalar *moved =
      isLowest ? x : build.add(ScalarOp::ShiftRight, ast::ElementKind::Int, range, {x, at});
  return build.add(ScalarOp::BitAnd, ast::ElementKind::Int, range, {moved, mask});
}

/// `bits(x + h, 0, n) - h` with h the half of 2^n.
static Scalar *buildSigned(Scalar *x, int64_t width, SourceRange range, ScalarBuilder build,
                           Formula &formula) {
  Scalar *half = build.checked(formula.addInt(int64_t(1) << (width - 1), range), range);
  Scalar *zero = build.checked(formula.addInt(0, range), range);
  Scalar *sum = build.add(ScalarOp::Add, ast::ElementKind::Int, range, {x, half});
  if (!sum || !zero)
    return nullptr;
  Scalar *low = buildBits(sum, zero, width, range, build, formula);
  return build.add(ScalarOp::Subtract, ast::ElementKind::Int, range, {low, half});
}

static Result fold(StringRef name, ArrayRef<Value> args, int64_t width) {
  int64_t x = args[0].integer;
  if (name == "bits")
    return Value::makeInt((x >> std::clamp<int64_t>(args[1].integer, 0, 63)) &
                          maskTrailingOnes<uint64_t>(width));
  if (name == "signed")
    return Value::makeInt(SignExtend64(uint64_t(x), unsigned(width)));
  return Value::makeReal(foldReal(name, x));
}

Result callBitFunction(StringRef name, ArrayRef<Value> args, const ast::CallExpr &expr,
                       Formula *formula, Reporter &reporter) {
  auto rangeOf = [&](size_t i) { return expr.arguments[i].value->range; };
  std::optional<int64_t> width = 1;
  if (name == "bits" || name == "signed")
    width = findWidth(args.back(), rangeOf(args.size() - 1), reporter);
  if (!width)
    return std::nullopt;
  auto refuseReal = [&](size_t i) {
    return reporter.error(rangeOf(i), "bits are those of an integer, and this is a real");
  };
  bool isKnown = all_of(args, [](const Value &value) { return value.isCompileTime(); });
  for (size_t i = 0; i != args.size(); ++i)
    if (args[i].is(Value::Kind::Real))
      return refuseReal(i);
  if (isKnown)
    return fold(name, args, *width);
  ScalarBuilder build(reporter, *formula);
  SmallVector<Scalar *> operands;
  for (size_t i = 0; i != args.size(); ++i) {
    operands.push_back(build.toNumber(args[i], rangeOf(i)));
    if (!operands.back())
      return std::nullopt;
    if (!operands.back()->isInt())
      return refuseReal(i);
  }
  if (name == "bits")
    return toResult(buildBits(operands[0], operands[1], *width, expr.range, build, *formula));
  if (name == "signed")
    return toResult(buildSigned(operands[0], *width, expr.range, build, *formula));
  return toResult(build.add(realOp(name), ast::ElementKind::Real, expr.range, {operands[0]}));
}

} // namespace weft::sema
