//===- Choices.cpp - comparisons and selections ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Emitter.h"

using namespace weft;
using namespace weft::emulator;
using llvm::CmpInst;
using llvm::Value;

static constexpr ptx::Type predicate{ptx::TypeKind::Predicate, 1};

namespace {

struct Comparison {
  llvm::StringLiteral name;
  CmpInst::Predicate ofReals, ofSigned, ofUnsigned;
};

} // namespace

// BAD_ICMP_PREDICATE: not of such numbers.
static constexpr Comparison comparisons[] = {
    {"eq", CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},
    {"ne", CmpInst::FCMP_ONE, CmpInst::ICMP_NE, CmpInst::ICMP_NE},
    {"lt", CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT},
    {"le", CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE},
    {"gt", CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT},
    {"ge", CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE},
    {"lo", CmpInst::BAD_FCMP_PREDICATE, CmpInst::ICMP_ULT, CmpInst::ICMP_ULT},
    {"ls", CmpInst::BAD_FCMP_PREDICATE, CmpInst::ICMP_ULE, CmpInst::ICMP_ULE},
    {"hi", CmpInst::BAD_FCMP_PREDICATE, CmpInst::ICMP_UGT, CmpInst::ICMP_UGT},
    {"hs", CmpInst::BAD_FCMP_PREDICATE, CmpInst::ICMP_UGE, CmpInst::ICMP_UGE},
    {"equ", CmpInst::FCMP_UEQ, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
    {"neu", CmpInst::FCMP_UNE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
    {"ltu", CmpInst::FCMP_ULT, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
    {"leu", CmpInst::FCMP_ULE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
    {"gtu", CmpInst::FCMP_UGT, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
    {"geu", CmpInst::FCMP_UGE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
    {"num", CmpInst::FCMP_ORD, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
    {"nan", CmpInst::FCMP_UNO, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
};

static const Comparison *takeComparison(Emitter &e) {
  for (const Comparison &comparison : comparisons)
    if (e.modifiers.take(comparison.name))
      return &comparison;
  e.fail("a comparison is missing");
  return &comparisons[0];
}

static Value *compare(Emitter &e, const Comparison &comparison, ptx::Type type, bool flush) {
  if (type.isReal()) {
    if (type.packed || comparison.ofReals == CmpInst::BAD_FCMP_PREDICATE) {
      e.fail("no comparison of ." + ptx::nameOf(type));
      return e.builder.getFalse();
    }
    return e.builder.CreateFCmp(comparison.ofReals, e.readReal(1, type, flush),
                                e.readReal(2, type, flush));
  }
  CmpInst::Predicate kind = type.isSigned() ? comparison.ofSigned : comparison.ofUnsigned;
  bool ordered = kind != CmpInst::ICMP_EQ && kind != CmpInst::ICMP_NE;
  if (kind == CmpInst::BAD_ICMP_PREDICATE ||
      (ordered && (type.kind == ptx::TypeKind::Bits || type.kind == ptx::TypeKind::Predicate))) {
    e.fail("no comparison of ." + ptx::nameOf(type));
    return e.builder.getFalse();
  }
  return e.builder.CreateICmp(kind, e.read(1, type), e.read(2, type));
}

// The comparison and, if one is given, another predicate: the last operand.
static Value *combine(Emitter &e, llvm::StringRef op, Value *comparison) {
  if (op.empty())
    return comparison;
  Value *other = e.readPredicate(3);
  return op == "and"  ? e.builder.CreateAnd(comparison, other)
         : op == "or" ? e.builder.CreateOr(comparison, other)
                      : e.builder.CreateXor(comparison, other);
}

static llvm::StringRef takeCombination(Emitter &e) {
  for (llvm::StringRef op : {"and", "or", "xor"})
    if (e.modifiers.take(op))
      return op;
  return "";
}

// setp.CMP.OP.type p|q, a, b, c: q is made of the opposite of the comparison.
static void emitSetPredicate(Emitter &e) {
  const Comparison *comparison = takeComparison(e);
  llvm::StringRef op = takeCombination(e);
  bool flush = e.modifiers.take("ftz");
  ptx::Type type = e.takeType();
  if (!e.expect(op.empty() ? 3 : 4))
    return;
  Value *holds = compare(e, *comparison, type, flush);
  Value *result = combine(e, op, holds);
  if (e.operand(0).kind != ptx::OperandKind::Pair)
    return e.write(0, result, predicate);
  Value *opposite = combine(e, op, e.builder.CreateNot(holds));
  e.write(e.operand(0).parts[0], result, predicate);
  e.write(e.operand(0).parts[1], opposite, predicate);
}

// The same with all ones or 1.0 as the result.
static void emitSet(Emitter &e) {
  const Comparison *comparison = takeComparison(e);
  llvm::StringRef op = takeCombination(e);
  bool flush = e.modifiers.take("ftz");
  ptx::Type to = e.takeType(), type = e.takeType();
  if (!e.expect(op.empty() ? 3 : 4))
    return;
  if (to.totalBits() != 32 || to.packed)
    return e.fail("a result of 32 bits is expected");
  Value *result = combine(e, op, compare(e, *comparison, type, flush));
  e.write(0, e.builder.CreateSelect(result, e.number(to.isReal() ? 0x3f800000 : ~0u), e.number(0)),
          to);
}

static void emitSelect(Emitter &e) {
  ptx::Type type = e.takeType();
  if (e.expect(4))
    e.write(0, e.builder.CreateSelect(e.readPredicate(3), e.read(1, type), e.read(2, type)), type);
}

// slct: by the sign of the third operand.
static void emitSelectBySign(Emitter &e) {
  bool flush = e.modifiers.take("ftz");
  ptx::Type type = e.takeType(), sign = e.takeType();
  if (!e.expect(4))
    return;
  Value *condition = nullptr;
  if (sign == ptx::Type{ptx::TypeKind::Float, 32})
    condition = e.builder.CreateFCmpOGE(e.readReal(3, sign, flush),
                                        llvm::ConstantFP::get(e.builder.getFloatTy(), 0.0));
  else if (sign == ptx::Type{ptx::TypeKind::Signed, 32})
    condition = e.builder.CreateICmpSGE(e.read(3, sign), e.number(0));
  else
    return e.fail("a sign of .s32 or .f32 is expected");
  e.write(0, e.builder.CreateSelect(condition, e.read(1, type), e.read(2, type)), type);
}

llvm::ArrayRef<InstructionRow> weft::emulator::choiceInstructions() {
  static const InstructionRow rows[] = {
      {"setp", emitSetPredicate},
      {"set", emitSet},
      {"selp", emitSelect},
      {"slct", emitSelectBySign},
  };
  return rows;
}
