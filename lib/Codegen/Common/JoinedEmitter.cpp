//===- JoinedEmitter.cpp - kernels of several formulas --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Emitters.h"

using namespace mlir;
using namespace weft;

void weft::chooseList(LaneBuilder &lanes, ArrayRef<Lanes> sizes, const Lanes &task,
                      llvm::function_ref<void(size_t list, const Lanes &task)> emit) {
  auto choose = [&](auto &self, size_t list, const Lanes &left) -> void {
    if (list + 1 == sizes.size())
      return emit(list, left);
    const Lanes &size = sizes[list];
    lanes.choose(
        lanes.compare(arith::CmpIPredicate::slt, left, size),
        [&] {
          Lanes inside = left;
          inside.interval.max = std::min(left.interval.max, size.interval.max - 1);
          emit(list, inside);
        },
        [&] {
          Lanes rest = lanes.sub(left, size);
          rest.interval.min = 0;
          self(self, list + 1, rest);
        });
  };
  choose(choose, 0, task);
}

Lanes JoinedEmitter::getNumTasks(LaneBuilder &lanes, const Kernel &kernel) {
  Lanes sum = lanes.constant(0);
  for (const auto &emitter : all)
    sum = lanes.add(sum, emitter->getNumTasks(lanes, kernel));
  return sum;
}

void JoinedEmitter::emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) {
  SmallVector<Lanes> sizes;
  for (const auto &emitter : all)
    sizes.push_back(emitter->getNumTasks(lanes, kernel));
  chooseList(lanes, sizes, task,
             [&](size_t list, const Lanes &inside) { all[list]->emitTask(lanes, kernel, inside); });
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
