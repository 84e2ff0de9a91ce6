//===- MemoryReport.cpp - where the memory of a model goes ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/MemoryReport.h"

#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Support/Format.h"

#include <tuple>

using namespace mlir;
using namespace weft;

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return StringRef(text).drop_front(strlen("memref<")).drop_back().str();
}

static BufferReport describeBuffer(BufferOp op) {
  BufferReport buffer;
  auto label = attrs::Label::get(op);
  buffer.name = label ? label.str() : "(result of a layer)";
  buffer.type = typeText(op.getType());
  buffer.offset = int64_t(op.getOffset());
  buffer.bytes = int64_t(op.getBytes());
  buffer.first = int64_t(op.getFirst());
  buffer.last = int64_t(op.getLast());
  return buffer;
}

/// The buffers of repeated layers that share a place become one line: a report does not grow with
/// the depth of a model.
static void mergeRepeated(std::vector<BufferReport> &buffers) {
  auto key = [](const BufferReport &b) { return std::tie(b.offset, b.name, b.type, b.bytes); };
  llvm::sort(buffers, [&](const BufferReport &a, const BufferReport &b) {
    return std::tuple_cat(key(a), std::tie(a.first)) < std::tuple_cat(key(b), std::tie(b.first));
  });
  std::vector<BufferReport> merged;
  for (BufferReport &buffer : buffers) {
    if (merged.empty() || key(merged.back()) != key(buffer)) {
      merged.push_back(std::move(buffer));
      continue;
    }
    merged.back().last = std::max(merged.back().last, buffer.last);
    ++merged.back().count;
  }
  llvm::sort(merged, [](const BufferReport &a, const BufferReport &b) {
    return std::tie(a.offset, a.first, a.name) < std::tie(b.offset, b.first, b.name);
  });
  buffers = std::move(merged);
}

static ArenaReport describeArena(func::FuncOp function, const llvm::StringMap<int64_t> &arenas) {
  ArenaReport arena;
  arena.function = function.getName();
  arena.entry = attrs::Entry::isOn(function);
  arena.bytes = attrs::Scratch::getInt(function);
  int64_t number = 0;
  for (Operation &op : function.getBody().front()) {
    if (auto buffer = dyn_cast<BufferOp>(op))
      arena.buffers.push_back(describeBuffer(buffer));
    auto call = dyn_cast<func::CallOp>(op);
    if (call && arenas.lookup(call.getCallee()) > 0)
      arena.buffers.push_back({call.getCallee().str(), "", attrs::Arena::getInt(call),
                               arenas.lookup(call.getCallee()), number, number});
    number += !getFunctionOfStep(&op).empty();
  }
  mergeRepeated(arena.buffers);
  return arena;
}

static StateReport describeState(func::FuncOp function) {
  StateReport state{function.getName().str(), attrs::StateBytes::getInt(function), {}};
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    auto offset = attrs::StateOffset::getArg(function, i);
    if (!offset)
      continue;
    if (!state.parts.empty())
      state.parts.back().bytes = offset.getInt() - state.parts.back().offset;
    state.parts.push_back({attrs::Name::getArgText(function, i).str(),
                           typeText(function.getArgumentTypes()[i]), offset.getInt(),
                           state.bytes - offset.getInt(), 0, 0});
  }
  return state;
}

MemoryReport weft::reportMemory(ModuleOp module) {
  MemoryReport report;
  report.weightsBytes = attrs::WeightsBytes::getInt(module);
  llvm::StringMap<int64_t> arenas;
  for (auto function : module.getOps<func::FuncOp>())
    if (attrs::Scratch::isOn(function))
      arenas[function.getName()] = attrs::Scratch::getInt(function);
  int64_t largest = 0, state = 0; // the state of a sequence is there during its start, too
  for (auto function : module.getOps<func::FuncOp>())
    state = std::max(state, attrs::StateBytes::getInt(function));
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !attrs::Scratch::isOn(function))
      continue;
    report.arenas.push_back(describeArena(function, arenas));
    bool hasState = attrs::Step::isOn(function) || attrs::Start::isOn(function);
    if (report.arenas.back().entry)
      largest = std::max(largest, report.arenas.back().bytes + (hasState ? state : 0));
    if (attrs::Step::isOn(function) && !attrs::Last::isOn(function))
      report.states.push_back(describeState(function));
  }
  report.peakBytes = report.weightsBytes + largest;
  return report;
}

static void printBuffer(const BufferReport &buffer, llvm::raw_ostream &os) {
  print(os, "        {:>9}  at {:>12}  live {:>3} to {:>3}  {}", sizeText(buffer.bytes),
        buffer.offset, buffer.first, buffer.last, buffer.name);
  if (!buffer.type.empty())
    print(os, " : {}", buffer.type);
  if (buffer.count > 1)
    print(os, "  ({} times)", buffer.count);
  os << "\n";
}

void weft::printMemory(const MemoryReport &report, llvm::raw_ostream &os) {
  print(os, "memory: {:>9}  weights\n", sizeText(report.weightsBytes));
  for (const ArenaReport &arena : report.arenas) {
    print(os, "memory: {:>9}  scratch of {} {}\n", sizeText(arena.bytes),
          arena.entry ? "entry" : "layer", arena.function);
    for (const BufferReport &buffer : arena.buffers)
      printBuffer(buffer, os);
  }
  for (const StateReport &state : report.states) {
    print(os, "memory: {:>9}  state of entry {}\n", sizeText(state.bytes), state.function);
    for (const BufferReport &part : state.parts)
      print(os, "        {:>9}  at {:>12}  {} : {}\n", sizeText(part.bytes), part.offset, part.name,
            part.type);
  }
  print(os, "memory: {:>9}  peak: weights and the largest scratch and state\n",
        sizeText(report.peakBytes));
}
