//===- JoinedEmitter.cpp - kernels of several formulas --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Emitters.h"

using namespace mlir;
using namespace weft;

Lanes JoinedEmitter::getNumTasks(LaneBuilder &lanes, const Kernel &kernel) {
  Lanes sum = all.front()->getNumTasks(lanes, kernel);
  for (const auto &emitter : ArrayRef(all).drop_front())
    sum = lanes.add(sum, emitter->getNumTasks(lanes, kernel));
  return sum;
}

void JoinedEmitter::choose(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task,
                           llvm::function_ref<void(size_t number, const Lanes &task)> emit) {
  SmallVector<Lanes> sizes; // the last one's are those that are left
  for (const auto &emitter : ArrayRef(all).drop_back())
    sizes.push_back(emitter->getNumTasks(lanes, kernel));
  auto chooseFrom = [&](auto &self, size_t number, const Lanes &left) -> void {
    if (number == sizes.size())
      return emit(number, left);
    const Lanes &size = sizes[number];
    lanes.choose(
        lanes.compare(arith::CmpIPredicate::slt, left, size),
        [&] {
          Lanes inside = left;
          inside.interval.max = std::min(left.interval.max, size.interval.max - 1);
          emit(number, inside);
        },
        [&] {
          Lanes rest = lanes.sub(left, size);
          rest.interval.min = 0;
          self(self, number + 1, rest);
        });
  };
  chooseFrom(chooseFrom, 0, task);
}

void JoinedEmitter::emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) {
  choose(lanes, kernel, task,
         [&](size_t number, const Lanes &inside) { all[number]->emitTask(lanes, kernel, inside); });
}

bool JoinedEmitter::isParallel() const {
  return llvm::any_of(all, [](const auto &emitter) { return emitter->isParallel(); });
}

/// As few as one of them asks for; no number where one has none.
int64_t JoinedEmitter::getBlocks() const {
  int64_t blocks = INT64_MAX;
  for (const auto &emitter : all)
    blocks = std::min(blocks, emitter->getBlocks());
  return blocks;
}

/// Each has its own.
int64_t JoinedEmitter::getSharedBytes() const {
  int64_t bytes = 0;
  for (const auto &emitter : all)
    bytes += emitter->getSharedBytes();
  return bytes;
}
