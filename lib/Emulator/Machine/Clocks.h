//===- Clocks.h - what a thread knows of the others -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Vector clocks: a thread counts its synchronisations, and knows of every other thread of its block
// up to which of that thread's the two are ordered, and of every agent. Threads that met at a
// barrier share one table.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_CLOCKS_H
#define WEFT_LIB_EMULATOR_MACHINE_CLOCKS_H

#include <cstdint>
#include <memory>
#include <vector>

namespace weft::emulator {

using ClockTable = std::shared_ptr<const std::vector<uint32_t>>;

/// The later of two tables, for every thread.
ClockTable join(const ClockTable &a, const ClockTable &b);
/// The table, and that slot up to that time; `slots` is the size of a new one.
ClockTable with(const ClockTable &table, uint32_t slot, uint32_t time, uint32_t slots);

class Clocks {
public:
  /// Of the thread in that slot.
  explicit Clocks(uint32_t self = 0) : self(self) {}

  /// True if what the thread or agent of that slot did at that time is before what is done now.
  bool knows(uint32_t slot, uint32_t time) const {
    return slot == self || (known && (*known)[slot] >= time);
  }
  uint32_t now() const { return own; }
  /// What others learn of this thread by meeting it; then its time goes on.
  ClockTable release(uint32_t slots);
  void acquire(const ClockTable &table) { known = join(known, table); }
  /// From now on it knows what that slot did up to that time.
  void learn(uint32_t slot, uint32_t time, uint32_t slots);
  /// Sets what is known to `table`, which has all of it.
  void adopt(const ClockTable &table) { known = table; }
  const ClockTable &table() const { return known; }
  void tick() { ++own; }

private:
  ClockTable known;
  uint32_t self;
  uint32_t own = 1;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_CLOCKS_H
