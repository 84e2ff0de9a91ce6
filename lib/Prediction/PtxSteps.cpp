//===- PtxSteps.cpp - instructions of PTX, as a prediction sees them ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PtxSteps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace weft;
using llvm::StringRef;
using llvm::StringSwitch;

static constexpr double kThreads = 32;

static double &at(PtxStep &step, Pipe pipe) { return step.work[size_t(pipe)]; }

static bool has(const ptx::Instruction &instruction, StringRef modifier) {
  return llvm::is_contained(instruction.modifiers, modifier);
}

/// The type that is written last, which is that of the operands.
static std::optional<ptx::Type> typeOf(const ptx::Instruction &instruction) {
  return instruction.modifiers.empty() ? std::nullopt : ptx::findType(instruction.modifiers.back());
}

//===----------------------------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------------------------===//

static Action actionOf(const ptx::Instruction &one) {
  if (one.opcode == "ld")
    return has(one, "param") ? Action::LoadParameter : Action::Load;
  if (one.opcode == "mul" && has(one, "hi"))
    return Action::MultiplyHigh;
  // Copies have arrived whenever somebody asks.
  if (one.opcode == "mbarrier" && (has(one, "try_wait") || has(one, "test_wait")))
    return Action::Succeed;
  if (one.opcode == "atom" && has(one, "add"))
    return Action::Draw;
  return StringSwitch<Action>(one.opcode)
      .Cases({"mov", "cvta", "shfl"}, Action::Move)
      .Case("cvt", Action::Convert)
      .Case("add", Action::Add)
      .Case("sub", Action::Subtract)
      .Case("mul", Action::Multiply)
      .Case("mad", Action::MultiplyAdd)
      .Case("div", Action::Divide)
      .Case("rem", Action::Remainder)
      .Case("and", Action::And)
      .Case("or", Action::Or)
      .Case("xor", Action::Xor)
      .Case("not", Action::Not)
      .Case("shl", Action::ShiftLeft)
      .Case("shr", Action::ShiftRight)
      .Case("min", Action::Least)
      .Case("max", Action::Most)
      .Case("neg", Action::Negate)
      .Case("abs", Action::Absolute)
      .Case("setp", Action::Compare)
      .Case("selp", Action::Select)
      .Case("bfe", Action::Extract)
      .Case("st", Action::Store)
      .Case("bra", Action::Branch)
      .Cases({"ret", "exit"}, Action::Return)
      .Default(Action::Forget);
}

static std::optional<Comparison> comparisonOf(StringRef name) {
  return StringSwitch<std::optional<Comparison>>(name)
      .Case("eq", Comparison::Equal)
      .Case("ne", Comparison::Unequal)
      .Cases({"lt", "lo"}, Comparison::Less)
      .Cases({"le", "ls"}, Comparison::LessEqual)
      .Cases({"gt", "hi"}, Comparison::Greater)
      .Cases({"ge", "hs"}, Comparison::GreaterEqual)
      .Default(std::nullopt);
}

static void setAction(PtxStep &step) {
  const ptx::Instruction &one = *step.instruction;
  step.action = actionOf(one);
  std::optional<ptx::Type> type = typeOf(one);
  if (type) {
    step.bits = step.resultBits = type->bits;
    step.isSigned = type->isSigned();
    if (has(one, "wide"))
      step.resultBits = uint8_t(2 * type->bits);
    if (!type->isInteger() && type->kind != ptx::TypeKind::Predicate &&
        step.action != Action::Move && step.action != Action::Store)
      step.action = Action::Forget;
  }
  if (step.action == Action::Convert) {
    auto result = ptx::findType(one.modifiers[one.modifiers.size() - 2]);
    if (result && result->isInteger())
      step.resultBits = result->bits;
    else
      step.action = Action::Forget;
  }
  if (step.action == Action::Compare) {
    auto comparison = comparisonOf(one.modifiers.front());
    step.comparison = comparison.value_or(Comparison::Equal);
    if (!comparison || one.modifiers.size() != 2)
      step.action = Action::Forget;
  }
}

//===----------------------------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------------------------===//

/// The operations of a product of matrices, from its shape, "m16n8k16".
static double countProduct(const ptx::Instruction &one) {
  for (StringRef word : one.modifiers) {
    double flops = 2;
    unsigned long long size = 0;
    bool isShape = true;
    for (char dimension : {'m', 'n', 'k'}) {
      isShape =
          isShape && word.consume_front(StringRef(&dimension, 1)) && !word.consumeInteger(10, size);
      flops *= double(size);
    }
    if (isShape && word.empty())
      return flops;
  }
  return 0;
}

static Pipe unitOf(const ptx::Instruction &one) {
  if (has(one, "tf32"))
    return Pipe::Matrix32;
  bool isSmall = llvm::any_of(one.modifiers, [](StringRef type) {
    return type == "s8" || type == "u8" || type == "e4m3" || type == "e5m2";
  });
  return isSmall ? Pipe::Matrix8 : Pipe::Matrix16;
}

unsigned PtxStep::getAddress() const {
  bool isFirst = llvm::is_contained({"st", "cp", "stmatrix"}, instruction->opcode);
  return isFirst ? 0 : 1;
}

static void setMemoryWork(PtxStep &step) {
  const ptx::Instruction &one = *step.instruction;
  unsigned elements = has(one, "v2") ? 2 : has(one, "v4") ? 4 : has(one, "v8") ? 8 : 1;
  std::optional<ptx::Type> type = typeOf(one);
  step.moves = true;
  step.isShared = has(one, "shared");
  step.bytes = uint16_t(elements * (type ? type->bytes() : 4));
  at(step, Pipe::Local) = kThreads * step.bytes;
}

/// Each thread names a row of eight; with fewer than four matrices some of them do so in vain.
static void setMatrixWork(PtxStep &step) {
  const ptx::Instruction &one = *step.instruction;
  int64_t matrices = has(one, "x4") ? 4 : has(one, "x2") ? 2 : 1;
  step.moves = step.isShared = matrices == 4;
  step.bytes = 16;
  at(step, Pipe::Local) = double(128 * matrices);
}

static void setCopyWork(PtxStep &step) {
  const ptx::Instruction &one = *step.instruction;
  step.stores = has(one, "tensor") && has(one, "bulk_group");
  if (has(one, "bulk") || one.operands.size() < 3) // counted where it is announced; a group
    return;
  step.isShared = true;
  at(step, Pipe::Local) = at(step, Pipe::Copy) = kThreads * double(one.operands[2].value);
}

/// Instructions of processors that one of PTX stands for, where that is more than one.
static double countParts(const ptx::Instruction &one, const std::optional<ptx::Type> &type) {
  if (one.opcode == "div" || one.opcode == "rem")
    return type && type->isReal() ? 8 : 20;
  return type && type->bits == 64 && one.opcode != "bfe" ? 2 : 1;
}

static Pipe pipeOf(const ptx::Instruction &one, const std::optional<ptx::Type> &type) {
  bool isReal = type && type->isReal();
  bool isChoice = one.opcode == "setp" || one.opcode == "selp";
  if (isReal && !isChoice)
    return one.opcode == "cvt" ? Pipe::Convert : Pipe::Real;
  if (one.opcode == "cvt") {
    auto result = ptx::findType(one.modifiers[one.modifiers.size() - 2]);
    return result && result->isReal() ? Pipe::Convert : Pipe::Integer;
  }
  return Pipe::Integer;
}

static void setWork(PtxStep &step) {
  const ptx::Instruction &one = *step.instruction;
  StringRef name = one.opcode;
  std::optional<ptx::Type> type = typeOf(one);
  // Moves are gone when registers have been found.
  if (name == "mov" || name == "cvta" || (name == "ld" && has(one, "param")))
    return;
  double parts = 1;
  if (name == "mma")
    at(step, unitOf(one)) = countProduct(one);
  else if (name == "wgmma" && has(one, "mma_async"))
    at(step, unitOf(one)) = countProduct(one) / 4;
  else if (name == "ld" || name == "st" || name == "atom" || name == "red")
    setMemoryWork(step);
  else if (name == "ldmatrix" || name == "stmatrix")
    setMatrixWork(step);
  else if (name == "cp")
    setCopyWork(step);
  else if (name == "mbarrier" && has(one, "expect_tx")) // by one thread, what boxes will bring
    at(step, Pipe::Local) = at(step, Pipe::Copy) = double(one.operands.back().value);
  else if (name == "shfl")
    at(step, Pipe::Local) = 4 * kThreads;
  else if (StringSwitch<bool>(name)
               .Cases({"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"}, true)
               .Default(false))
    at(step, Pipe::Function) = kThreads;
  else if (step.action != Action::Branch && type) {
    parts = countParts(one, type);
    at(step, pipeOf(one, type)) = kThreads * parts;
  }
  at(step, Pipe::Issue) = parts;
}

std::vector<PtxStep> weft::readSteps(const ptx::Function &function) {
  std::vector<PtxStep> steps;
  for (const ptx::Instruction &instruction : function.body) {
    PtxStep &step = steps.emplace_back();
    step.instruction = &instruction;
    setAction(step);
    setWork(step);
  }
  mergeLogic(function, steps);
  shortenAddresses(function, steps);
  return steps;
}
