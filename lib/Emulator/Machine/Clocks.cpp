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

ClockTable Clocks::release(uint32_t self, uint32_t threads) {
  auto table = known ? std::make_shared<std::vector<uint32_t>>(*known)
                     : std::make_shared<std::vector<uint32_t>>(threads);
  (*table)[self] = own++;
  return table;
}
