//===- DeviceMemory.h - the memory of the emulated device -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A device address is no address of the host, and none is given twice, so a pointer that is mixed
// up or stale is found. New memory is full of NaNs.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H
#define WEFT_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H

#include "Machine/Shadow.h"

#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace weft::emulator {

struct Allocation {
  uint64_t begin = 0, bytes = 0;
  uint8_t *host = nullptr;
  Cell *cells = nullptr;
  bool readOnly = false; ///< .const

  bool contains(uint64_t address, uint64_t count) const {
    return address >= begin && count <= bytes && address - begin <= bytes - count;
  }
};

class DeviceMemory {
public:
  explicit DeviceMemory(uint64_t limit) : limit(limit) {}
  DeviceMemory(const DeviceMemory &) = delete;
  ~DeviceMemory();

  /// The address, or 0 if there is not so much memory.
  uint64_t allocate(uint64_t bytes, uint64_t alignment = 256, bool readOnly = false);
  bool release(uint64_t address);
  /// The allocation with these bytes, or null.
  Allocation *find(uint64_t address, uint64_t bytes);
  /// Why there is no such allocation: the nearest one, or one that was released.
  std::string describe(uint64_t address) const;
  /// Forgets all accesses; the numbers of launches start again.
  void forgetAccesses();
  uint64_t used() const { return usedBytes; }
  uint64_t total() const { return limit; }

private:
  std::map<uint64_t, Allocation> allocations;
  std::map<uint64_t, uint64_t> released; // begin to size
  Allocation *latest = nullptr;
  uint64_t next = kGlobalWindow, limit, usedBytes = 0;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H
