//===- Clocks.cpp - what a thread knows of the others ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Clocks.h"

#include <algorithm>

using namespace weft::emulator;

ClockTable weft::emulator::join(const ClockTable &a, const ClockTable &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto result = std::make_shared<std::vector<uint32_t>>(*a);
  for (size_t i = 0; i < result->size(); ++i)
    (*result)[i] = std::max((*result)[i], (*b)[i]);
  return result;
}

static std::shared_ptr<std::vector<uint32_t>> copy(const ClockTable &table, uint32_t slots) {
  return table ? std::make_shared<std::vector<uint32_t>>(*table)
               : std::make_shared<std::vector<uint32_t>>(slots);
}

ClockTable weft::emulator::with(const ClockTable &table, uint32_t slot, uint32_t time,
                                uint32_t slots) {
  auto result = copy(table, slots);
  (*result)[slot] = std::max((*result)[slot], time);
  return result;
}

ClockTable Clocks::release(uint32_t slots) {
  auto table = copy(known, slots);
  (*table)[self] = own++;
  return table;
}

void Clocks::learn(uint32_t slot, uint32_t time, uint32_t slots) {
  if (!knows(slot, time))
    known = with(known, slot, time, slots);
}
