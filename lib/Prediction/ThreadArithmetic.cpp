//===- ThreadArithmetic.cpp - what a thread computes with integers ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ThreadWalk.h"

using namespace weft;

ThreadWalk::Known ThreadWalk::compute(const PtxStep &step) const {
  size_t count = step.instruction->operands.size();
  if (step.action == Action::Succeed)
    return 1;
  if (step.action == Action::Forget || count < 2)
    return std::nullopt;
  Known a = read(step, 1), b = count > 2 ? read(step, 2) : std::nullopt;
  if (step.action == Action::Select) {
    Known chooses = read(step.instruction->operands[3]);
    return chooses ? (*chooses ? a : b) : std::nullopt;
  }
  if (step.action == Action::Least || step.action == Action::Most)
    if (!a || !b)
      return a ? a : b;
  if (!a)
    return std::nullopt;
  switch (step.action) {
  case Action::Move:
    return a;
  case Action::Convert:
    return uint64_t(asSigned(step, *a));
  case Action::Not:
    return ~*a;
  case Action::Negate:
    return -*a;
  case Action::Absolute:
    return uint64_t(std::abs(asSigned(step, *a)));
  case Action::MultiplyAdd: {
    Known c = read(step.instruction->operands[3]);
    return b && c ? Known(uint64_t(asSigned(step, *a) * asSigned(step, *b)) + *c) : std::nullopt;
  }
  case Action::Extract: {
    Known length = read(step.instruction->operands[3]);
    return b && length && !step.isSigned && *b < 64
               ? Known(getLowerBits(*a >> *b, unsigned(*length)))
               : std::nullopt;
  }
  default:
    return b ? computeOfTwo(step, *a, *b) : std::nullopt;
  }
}

ThreadWalk::Known ThreadWalk::computeOfTwo(const PtxStep &step, uint64_t a, uint64_t b) const {
  int64_t x = asSigned(step, a), y = asSigned(step, b);
  switch (step.action) {
  case Action::Add:
    return a + b;
  case Action::Subtract:
    return a - b;
  case Action::Multiply:
    return uint64_t(x) * uint64_t(y);
  case Action::MultiplyHigh:
    return uint64_t(step.isSigned ? (__int128(x) * y) >> step.bits
                                  : __int128((unsigned __int128)(a)*b >> step.bits));
  case Action::Divide:
  case Action::Remainder:
    if (b == 0 || y == -1)
      return std::nullopt;
    if (step.isSigned)
      return uint64_t(step.action == Action::Divide ? x / y : x % y);
    return step.action == Action::Divide ? a / b : a % b;
  case Action::And:
    return a & b;
  case Action::Or:
    return a | b;
  case Action::Xor:
    return a ^ b;
  case Action::ShiftLeft:
    return b >= step.bits ? 0 : a << b;
  case Action::ShiftRight:
    b = std::min<uint64_t>(b, step.bits - 1u);
    return step.isSigned ? uint64_t(x >> b) : a >> b;
  case Action::Least:
    return step.isSigned ? uint64_t(std::min(x, y)) : std::min(a, b);
  case Action::Most:
    return step.isSigned ? uint64_t(std::max(x, y)) : std::max(a, b);
  case Action::Compare:
    return compare(step, a, b);
  default:
    return std::nullopt;
  }
}

ThreadWalk::Known ThreadWalk::compare(const PtxStep &step, uint64_t a, uint64_t b) const {
  int64_t x = asSigned(step, a), y = asSigned(step, b);
  bool isLess = step.isSigned ? x < y : a < b;
  switch (step.comparison) {
  case Comparison::Equal:
    return a == b;
  case Comparison::Unequal:
    return a != b;
  case Comparison::Less:
    return isLess;
  case Comparison::LessEqual:
    return isLess || a == b;
  case Comparison::Greater:
    return !isLess && a != b;
  case Comparison::GreaterEqual:
    return !isLess;
  }
  llvm_unreachable("no such comparison");
}
