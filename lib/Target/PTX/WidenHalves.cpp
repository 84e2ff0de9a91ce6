//===- WidenHalves.cpp - f16 is what memory holds -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Kernels compute in f32. LLVM's passes make sums, comparisons and signs of f16 where operands were
// f16 or results become it, which rounds alike; but its selection flushes subnormal numbers of f16
// where those of f32 are to be flushed, and these are as large as 6e-5.
//
//===----------------------------------------------------------------------------------------===//

#include "WidenHalves.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isHalf(Type *type) { return type->getScalarType()->isHalfTy(); }

static Type *widen(Type *type) {
  return isHalf(type) ? type->getWithNewType(Type::getFloatTy(type->getContext())) : type;
}

/// Whether it computes, and does not only choose or convert.
static bool computesHalves(Instruction &instruction) {
  if (isa<FCmpInst>(instruction))
    return isHalf(instruction.getOperand(0)->getType());
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return isHalf(call->getType()) && isTriviallyVectorizable(call->getIntrinsicID());
  return isa<UnaryOperator, BinaryOperator>(instruction) && isHalf(instruction.getType());
}

/// Whether it is exact: a sign is a bit.
static bool changesSign(Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return instruction.getOpcode() == Instruction::FNeg ||
         (call && call->getIntrinsicID() == Intrinsic::fabs);
}

static Value *computeWide(IRBuilder<> &b, Instruction &instruction) {
  SmallVector<Value *> operands;
  for (Value *operand : instruction.operands())
    if (!isa<Function>(operand)) // what a call calls
      operands.push_back(
          isHalf(operand->getType()) ? b.CreateFPExt(operand, widen(operand->getType())) : operand);
  if (auto *compare = dyn_cast<FCmpInst>(&instruction))
    return b.CreateFCmp(compare->getPredicate(), operands[0], operands[1]);
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return b.CreateIntrinsic(widen(call->getType()), call->getIntrinsicID(), operands);
  return b.CreateNAryOp(instruction.getOpcode(), operands);
}

/// What reads it as f32 need not have it as f16 first, if that loses nothing.
static void replaceExtensions(Instruction &instruction, Value *wide) {
  for (User *user : make_early_inc_range(instruction.users()))
    if (auto *extension = dyn_cast<FPExtInst>(user);
        extension && extension->getType() == wide->getType())
      extension->replaceAllUsesWith(wide);
}

static void widenHalf(Instruction &instruction) {
  IRBuilder<> b(&instruction);
  b.setFastMathFlags(instruction.getFastMathFlags());
  Value *value = computeWide(b, instruction);
  if (changesSign(instruction))
    replaceExtensions(instruction, value);
  if (isHalf(instruction.getType()))
    value = b.CreateFPTrunc(value, instruction.getType());
  instruction.replaceAllUsesWith(value);
  instruction.eraseFromParent();
}

void weft::widenHalves(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (computesHalves(instruction))
        widenHalf(instruction);
}
