//===- ProxyFences.h - when what a thread wrote is seen by agents ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Threads access memory by the generic proxy, bulk copies and products of warpgroups by the async
// proxy. What a thread has written is seen by the latter once the thread has passed a fence of the
// two proxies and who begins the copy or product knows of the fence (PTX ISA 8.7 and 9.7.13).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_PROXYFENCES_H
#define WEFT_LIB_EMULATOR_MACHINE_PROXYFENCES_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft::emulator {

/// What a fence is for; a fence may be for several.
enum FenceScope : uint32_t { SharedFence = 1, GlobalFence = 2, BarrierStartFence = 4 };

/// The times of a thread's fences, in order.
class ProxyFences {
public:
  void add(uint32_t scopes, uint32_t time) {
    for (uint32_t i = 0; i < 3; ++i)
      if (scopes >> i & 1)
        times[i].push_back(time);
  }
  /// The first fence for one of the scopes at that time or later; 0 if there is none.
  uint32_t findAfter(uint32_t scopes, uint32_t time) const {
    uint32_t first = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      auto found = std::lower_bound(times[i].begin(), times[i].end(), time);
      if ((scopes >> i & 1) && found != times[i].end() && (first == 0 || *found < first))
        first = *found;
    }
    return first;
  }

private:
  std::vector<uint32_t> times[3];
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_PROXYFENCES_H
