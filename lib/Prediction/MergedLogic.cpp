//===- MergedLogic.cpp - instructions that assemblers make one of -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Processors have any logical function of three words in one instruction (lop3), which ptxas makes
// of two of PTX where one is read by the other alone.
//
//===----------------------------------------------------------------------------------------===//

#include "PtxSteps.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

static bool isLogic(const PtxStep &step) {
  switch (step.action) {
  case Action::And:
  case Action::Or:
  case Action::Xor:
    return step.bits == 32 && !step.instruction->guard;
  default:
    return false;
  }
}

static void count(const ptx::Operand &operand, std::vector<unsigned> &times) {
  if (operand.kind == ptx::OperandKind::Register)
    ++times[operand.index];
  for (const ptx::Operand &part : operand.parts)
    count(part, times);
}

void weft::mergeLogic(const ptx::Function &function, std::vector<PtxStep> &steps) {
  std::vector<unsigned> times(function.registers.size());
  for (const ptx::Instruction &one : function.body)
    for (const ptx::Operand &operand : one.operands)
      count(operand, times);
  std::vector<bool> begins(steps.size() + 1);
  for (const ptx::Label &label : function.labels)
    begins[label.position] = true;
  std::vector<PtxStep *> writers(function.registers.size()); // of the block, that could be merged
  for (size_t i = 0; i != steps.size(); ++i) {
    PtxStep &step = steps[i];
    if (begins[i])
      llvm::fill(writers, nullptr);
    if (!isLogic(step))
      continue;
    const std::vector<ptx::Operand> &operands = step.instruction->operands;
    auto isMerged = [&](const ptx::Operand &operand) {
      // Written once, and read once.
      return operand.kind == ptx::OperandKind::Register && times[operand.index] == 2 &&
             writers[operand.index];
    };
    auto found = std::find_if(operands.begin() + 1, operands.end(), isMerged);
    if (found != operands.end())
      writers[found->index]->work = {};
    else if (operands.front().kind == ptx::OperandKind::Register)
      writers[operands.front().index] = &step;
  }
}
