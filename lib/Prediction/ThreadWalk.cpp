//===- ThreadWalk.cpp - the way that a thread takes through a kernel ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ThreadWalk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace weft;

/// Longer ways are not gone to their end.
static constexpr int64_t kMaxLength = int64_t(1) << 27;
/// Addresses that are kept of an instruction.
static constexpr size_t kMaxAddresses = 4;
/// Parameters are that far apart, variables in shared memory so.
static constexpr uint64_t kParameterSpan = uint64_t(1) << 40, kSharedSpan = uint64_t(1) << 20;
/// What a launch gives of shared memory, the one variable of a module that is read by addresses.
static constexpr uint64_t kGivenStart = kParameterSpan / 2;
/// Where symbols begin in the frame.
static constexpr uint64_t kSymbolsOffset = 8;

uint64_t ThreadWalk::getLowerBits(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & llvm::maskTrailingOnes<uint64_t>(bits);
}

ThreadWalk::ThreadWalk(const ptx::Function &function, llvm::ArrayRef<PtxStep> steps,
                       llvm::ArrayRef<int64_t> symbols)
    : function(function), steps(steps), symbols(symbols) {
  auto isPointer = [](const ptx::Variable &parameter) { return parameter.bytes == 8; };
  auto pointers = uint64_t(llvm::count_if(function.parameters(), isPointer));
  frame = pointers * kParameterSpan + kSymbolsOffset;
}

bool ThreadWalk::run(const GpuLaunch &launch, int64_t ofBlock, int64_t ofThread) {
  blocks = launch.blocks;
  threads = launch.threads;
  boxes = launch.boxes;
  block = ofBlock;
  thread = ofThread;
  work = {};
  length = draws = 0;
  reads.clear();
  registers.assign(function.registers.size(), std::nullopt);
  addresses.assign(steps.size(), {});
  for (size_t next = 0; next < steps.size(); ++length) {
    if (length == kMaxLength)
      return false;
    const PtxStep &step = steps[next];
    const auto &guard = step.instruction->guard;
    if (guard && !holds(*guard)) {
      work[size_t(Pipe::Issue)] += step.work[size_t(Pipe::Issue)];
      ++next;
      continue;
    }
    for (size_t i = 0; i != kNumPipes; ++i)
      work[i] += step.work[i];
    if (step.stores)
      work[size_t(Pipe::Local)] += getBoxBytes(step);
    if (step.action == Action::Return)
      break;
    if (step.action == Action::Branch) {
      next = function.labels[step.instruction->operands.back().index].position;
      continue;
    }
    execute(step, next);
    ++next;
  }
  return true;
}

/// Of a box that is copied from shared memory. Maps are the last parameters.
double ThreadWalk::getBoxBytes(const PtxStep &step) const {
  Known map = read(step.instruction->operands[0]);
  uint64_t first = function.parameterCount - boxes.size();
  uint64_t number = map.value_or(0) / kSharedSpan - 1 - first;
  return map && number < boxes.size() ? double(boxes[number]) : 0;
}

/// What depends on data is not done: a branch is not taken.
bool ThreadWalk::holds(const ptx::Guard &guard) const {
  Known value = registers[guard.predicate];
  return value && (*value != 0) != guard.negated;
}

//===----------------------------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------------------------===//

ThreadWalk::Known ThreadWalk::read(const ptx::Operand &operand) const {
  switch (operand.kind) {
  case ptx::OperandKind::Register: {
    Known value = registers[operand.index];
    return value && operand.negated ? Known(*value == 0) : value;
  }
  case ptx::OperandKind::Integer:
    return uint64_t(operand.value);
  case ptx::OperandKind::Special:
    return llvm::StringSwitch<Known>(operand.name)
        .Case("%tid.x", uint64_t(thread))
        .Case("%ctaid.x", uint64_t(block))
        .Case("%ntid.x", uint64_t(threads))
        .Case("%nctaid.x", uint64_t(blocks))
        .Case("%laneid", uint64_t(thread % 32))
        .Default(std::nullopt);
  case ptx::OperandKind::Variable:
    return (operand.index + 1) * kSharedSpan;
  case ptx::OperandKind::Global:
    return kGivenStart;
  case ptx::OperandKind::Address: {
    Known base = read(operand.parts[0]);
    return base ? Known(*base + uint64_t(operand.value)) : base;
  }
  case ptx::OperandKind::Pair:
    return read(operand.parts[0]);
  default:
    return std::nullopt;
  }
}

ThreadWalk::Known ThreadWalk::read(const PtxStep &step, unsigned operand) const {
  Known value = read(step.instruction->operands[operand]);
  return value ? Known(getLowerBits(*value, step.bits)) : value;
}

int64_t ThreadWalk::asSigned(const PtxStep &step, uint64_t bits) const {
  return step.isSigned ? llvm::SignExtend64(bits, step.bits) : int64_t(bits);
}

void ThreadWalk::write(const ptx::Operand &operand, Known value, unsigned bits) {
  if (operand.kind == ptx::OperandKind::Register)
    registers[operand.index] = value ? Known(getLowerBits(*value, bits)) : value;
  else if (operand.kind == ptx::OperandKind::Pair)
    write(operand.parts[0], value, bits);
  else if (operand.kind == ptx::OperandKind::Vector)
    for (const ptx::Operand &part : operand.parts)
      write(part, std::nullopt, bits);
}

//===----------------------------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------------------------===//

void ThreadWalk::execute(const PtxStep &step, size_t number) {
  const std::vector<ptx::Operand> &operands = step.instruction->operands;
  if (operands.empty())
    return;
  if (step.moves && operands.size() > 1)
    if (Known address = read(operands[step.getAddress()]);
        address && addresses[number].size() < kMaxAddresses)
      addresses[number].push_back(int64_t(*address));
  if (step.action == Action::Store) {
    Known address = read(operands[0]), value = read(operands[1]);
    if (address && value && *address < kParameterSpan)
      shared[*address].push_back(getLowerBits(*value, step.bits));
    return;
  }
  auto find = [&] {
    if (step.action == Action::Draw)
      return Known(block + draws++ * blocks);
    bool isLoad = step.action == Action::Load || step.action == Action::LoadParameter;
    return isLoad ? load(step) : compute(step);
  };
  write(operands[0], find(), step.resultBits);
}

ThreadWalk::Known ThreadWalk::load(const PtxStep &step) {
  const ptx::Operand &from = step.instruction->operands[1];
  if (step.action == Action::LoadParameter)
    return (from.parts[0].index + 1) * kParameterSpan;
  Known address = read(from);
  if (!address)
    return std::nullopt;
  if (*address >= frame && *address < frame + 8 * symbols.size())
    return uint64_t(symbols[(*address - frame) / 8]);
  return loadShared(*address);
}

ThreadWalk::Known ThreadWalk::loadShared(uint64_t address) {
  auto known = shared.find(address);
  if (known == shared.end())
    return std::nullopt;
  const std::vector<uint64_t> &values = known->second;
  return values[std::min(reads[address]++, values.size() - 1)];
}
