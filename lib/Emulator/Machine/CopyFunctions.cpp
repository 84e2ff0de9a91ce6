//===- CopyFunctions.cpp - copies that arrive late ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A copy may arrive at any time between its instruction and the wait for its group. Here it arrives
// at the wait; before, its bytes are NaNs that nobody may touch.
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Memory.h"
#include "Machine/Runtime.h"

#include <cstring>

using namespace weft::emulator;
using weft::ptx::Space;

// What is there of the source, checked; all of it at once if it is whole. While it is `pending`,
// nobody may write it, this thread neither.
static void readSource(Thread &thread, const Copy &copy, uint8_t *to, bool pending) {
  Epoch now = thread.block->now(thread);
  now.pending = pending;
  uint32_t piece = copy.present == copy.bytes ? copy.bytes : 1;
  for (uint32_t i = 0; i < copy.present; i += piece) {
    Access source{copy.from + i, piece, Space::Global, AccessKind::Read, copy.line};
    Place place = locate(thread, source);
    noteAccess(thread, source, place, now);
    std::memcpy(to + i, place.host, piece);
  }
}

static void copyAsync(Thread *thread, uint64_t to, uint64_t from, uint32_t bytes, uint32_t present,
                      uint32_t line) {
  Block &block = *thread->block;
  if (present > bytes)
    block.fail(*thread, FaultKind::Meeting, line,
               "a copy of " + llvm::Twine(bytes) + " bytes, of which " + llvm::Twine(present) +
                   " are read");
  Access target{to, bytes, Space::Shared, AccessKind::Write, line};
  Place place = locate(*thread, target);
  Epoch now = block.now(*thread);
  now.pending = 1;
  noteAccess(*thread, target, place, now);
  std::memset(place.host, 0xff, bytes);
  if (from % bytes != 0)
    block.fail(*thread, FaultKind::Alignment, line,
               "copies " + llvm::Twine(bytes) + " bytes from 0x" + llvm::Twine::utohexstr(from) +
                   ", which is not aligned");
  Copy copy{to, from, bytes, present, line};
  uint8_t early[16];
  readSource(*thread, copy, early, /*pending=*/true);
  thread->copies.open.push_back(copy);
}

static void commit(Thread *thread) {
  thread->copies.groups.push_back(std::move(thread->copies.open));
  thread->copies.open.clear();
}

static void arrive(Thread &thread, const Copy &copy) {
  Block &block = *thread.block;
  Access target{copy.to, copy.bytes, Space::Shared, AccessKind::Write, copy.line};
  Place place = locate(thread, target);
  std::memset(place.host, 0, copy.bytes);
  readSource(thread, copy, place.host, /*pending=*/false);
  settle(place.cells, place.offset, copy.bytes, block.now(thread));
}

// All groups but the newest `left` are there.
static void waitForGroups(Thread *thread, uint32_t left) {
  std::vector<std::vector<Copy>> &groups = thread->copies.groups;
  size_t ended = groups.size() > left ? groups.size() - left : 0;
  for (size_t i = 0; i < ended; ++i)
    for (const Copy &copy : groups[i])
      arrive(*thread, copy);
  groups.erase(groups.begin(), groups.begin() + ended);
}

llvm::ArrayRef<RuntimeFunction> weft::emulator::copyFunctions() {
  static const RuntimeFunction functions[] = {
      {"copy_async", copyAsync, false},
      {"commit_group", commit, false},
      {"wait_group", waitForGroups, false},
  };
  return functions;
}
