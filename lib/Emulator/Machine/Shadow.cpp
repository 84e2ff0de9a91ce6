//===- Shadow.cpp - who touched a byte last -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Shadow.h"

using namespace weft::emulator;

static_assert(sizeof(Epoch) == 8 && sizeof(Cell) == 16, "8 bytes of shadow for a byte of memory");

// True if `before` is ordered before what the thread does now, or begins.
static bool isOrdered(const Epoch &before, const Epoch &now, const Clocks &clocks) {
  if (before.launch != now.launch)
    return true;
  if (before.pending || before.block != now.block)
    return false;
  return clocks.knows(uint32_t(before.slot), before.clock);
}

static bool isConflict(const Epoch &before, const Epoch &now, const Clocks &clocks) {
  return (before.bytes & now.bytes) && !(before.atomic && now.atomic) &&
         !isOrdered(before, now, clocks);
}

// The two bytes of a cell may be of one access.
static void keep(Epoch &slot, const Epoch &now) {
  unsigned bytes = now.bytes | (slot.sameTime(now) ? slot.bytes : 0);
  slot = now;
  slot.bytes = bytes;
}

static std::optional<Conflict> noteCell(Cell &cell, AccessKind kind, const Epoch &now,
                                        const Clocks &clocks) {
  if (isConflict(cell.write, now, clocks))
    return Conflict{cell.write, true};
  // What is read by .nc must not be written in the whole launch, not by the thread itself either.
  if (kind == AccessKind::ReadOnly && cell.write.launch == now.launch &&
      (cell.write.bytes & now.bytes))
    return Conflict{cell.write, true};
  if (!isWrite(kind)) {
    if (!isAgent(cell.read.slot) || isAgent(now.slot) || isOrdered(cell.read, now, clocks))
      keep(cell.read, now);
    return std::nullopt;
  }
  if (isConflict(cell.read, now, clocks))
    return Conflict{cell.read, false};
  keep(cell.write, now);
  return std::nullopt;
}

// Which of the two bytes of the cell at `at` are before `end`.
static unsigned bytesOfCell(uint64_t at, uint64_t end) {
  return at % 2 == 0 && at + 1 < end ? 3 : 1u << (at % 2);
}

std::optional<Conflict> weft::emulator::note(Cell *cells, uint64_t offset, uint32_t bytes,
                                             AccessKind kind, Epoch now, const Clocks &clocks) {
  for (uint64_t at = offset, end = offset + bytes; at < end; at = (at | 1) + 1) {
    now.bytes = bytesOfCell(at, end);
    if (std::optional<Conflict> conflict = noteCell(cells[at / 2], kind, now, clocks))
      return conflict;
  }
  return std::nullopt;
}

std::optional<Epoch> weft::emulator::findUnseen(const Cell *cells, uint64_t offset, uint32_t bytes,
                                                Epoch now, const Clocks &clocks,
                                                llvm::function_ref<bool(const Epoch &)> isSeen) {
  for (uint64_t at = offset, end = offset + bytes; at < end; at = (at | 1) + 1) {
    const Epoch &write = cells[at / 2].write;
    bool before = write.launch == now.launch && write.block == now.block &&
                  (write.bytes & bytesOfCell(at, end)) && isOrdered(write, now, clocks);
    if (before && !isSeen(write))
      return write;
  }
  return std::nullopt;
}

void weft::emulator::settle(Cell *cells, uint64_t offset, uint32_t bytes, Epoch now) {
  for (uint64_t at = offset, end = offset + bytes; at < end; at = (at | 1) + 1) {
    now.bytes = bytesOfCell(at, end);
    keep(cells[at / 2].write, now);
  }
}
