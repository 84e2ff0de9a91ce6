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

/// A sign is a bit; LLVM would narrow its change in f32 again.
static Value *changeSign(IRBuilder<> &b, Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  bool isNegated = instruction.getOpcode() == Instruction::FNeg;
  if (!isNegated && !(call && call->getIntrinsicID() == Intrinsic::fabs))
    return nullptr;
  Type *bits = instruction.getType()->getWithNewType(b.getInt16Ty());
  Value *number = b.CreateBitCast(instruction.getOperand(0), bits);
  APInt sign = APInt::getSignMask(16);
  Value *changed = isNegated ? b.CreateXor(number, ConstantInt::get(bits, sign))
                             : b.CreateAnd(number, ConstantInt::get(bits, ~sign));
  return b.CreateBitCast(changed, instruction.getType());
}

static Value *computeWide(IRBuilder<> &b, Instruction &instruction) {
  b.setFastMathFlags(instruction.getFastMathFlags());
  SmallVector<Value *> operands;
  for (Value *operand : instruction.operands())
    if (!isa<Function>(operand)) // what a call calls
      operands.push_back(
          isHalf(operand->getType()) ? b.CreateFPExt(operand, widen(operand->getType())) : operand);
  if (auto *compare = dyn_cast<FCmpInst>(&instruction))
    return b.CreateFCmp(compare->getPredicate(), operands[0], operands[1]);
  Value *wide;
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    wide = b.CreateIntrinsic(widen(call->getType()), call->getIntrinsicID(), operands);
  else
    wide = b.CreateNAryOp(instruction.getOpcode(), operands);
  return b.CreateFPTrunc(wide, instruction.getType());
}

void weft::widenHalves(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (!computesHalves(instruction))
        continue;
      IRBuilder<> b(&instruction);
      Value *value = changeSign(b, instruction);
      instruction.replaceAllUsesWith(value ? value : computeWide(b, instruction));
      instruction.eraseFromParent();
    }
}
