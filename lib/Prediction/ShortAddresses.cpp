//===- ShortAddresses.cpp - places in shared memory have 32 bits ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// PTX computes addresses in 64 bits, but of those in shared memory ptxas keeps the lower half: an
// addition of 64 bits is one instruction, not two, and what makes 64 bits of 32 is none.
//
//===----------------------------------------------------------------------------------------===//

#include "PtxSteps.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

/// Whether the lower half of a result is that of the operands' lower halves.
static bool keepsLowerHalf(const PtxStep &step) {
  switch (step.action) {
  case Action::Move:
  case Action::Add:
  case Action::Subtract:
  case Action::Multiply:
  case Action::MultiplyAdd:
  case Action::And:
  case Action::Or:
  case Action::Xor:
  case Action::Not:
  case Action::ShiftLeft:
  case Action::Negate:
    return step.resultBits == 64 && step.bits == 64;
  default:
    return false;
  }
}

namespace {

class ShortAddresses {
public:
  explicit ShortAddresses(const ptx::Function &function) : isShort(function.registers.size()) {
    for (auto [i, one] : llvm::enumerate(function.registers))
      isShort[i] = one.type.isInteger() && one.type.bits == 64;
  }

  void find(llvm::ArrayRef<PtxStep> steps) {
    for (bool changes = true; changes;) {
      changed = false;
      for (const PtxStep &step : steps)
        visit(step);
      changes = changed;
    }
  }

  bool holds(const ptx::Operand &operand) const {
    return operand.kind == ptx::OperandKind::Register && isShort[operand.index];
  }

private:
  /// All of it is read.
  void refuse(const ptx::Operand &operand) {
    if (operand.kind == ptx::OperandKind::Register && isShort[operand.index]) {
      isShort[operand.index] = false;
      changed = true;
    }
    llvm::for_each(operand.parts, [&](const ptx::Operand &part) { refuse(part); });
  }

  void visit(const PtxStep &step) {
    const std::vector<ptx::Operand> &operands = step.instruction->operands;
    if (operands.empty())
      return;
    bool isPart = (keepsLowerHalf(step) && holds(operands.front())) ||
                  (step.action == Action::Convert && step.resultBits == 32);
    bool writes = step.action != Action::Store && operands.size() > 1;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      bool isResult = i == 0 && writes && operand.kind != ptx::OperandKind::Address;
      if (!isResult && !isPart && int64_t(i) != step.getSharedAddress())
        refuse(operand);
    }
  }

  std::vector<bool> isShort;
  bool changed = false;
};

} // namespace

void weft::shortenAddresses(const ptx::Function &function, std::vector<PtxStep> &steps) {
  ShortAddresses addresses(function);
  addresses.find(steps);
  for (PtxStep &step : steps) {
    const std::vector<ptx::Operand> &operands = step.instruction->operands;
    if (operands.size() < 2)
      continue;
    if (step.action == Action::Convert &&
        (addresses.holds(operands[0]) || addresses.holds(operands[1])))
      step.work = {};
    else if (keepsLowerHalf(step) && addresses.holds(operands[0]))
      for (double &work : step.work)
        work /= 2;
  }
}
