//===- DeviceMemory.cpp - the memory of the emulated device ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/DeviceMemory.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <sys/mman.h>

using namespace weft::emulator;

// Between allocations, so that what runs over the end of one is in none.
static constexpr uint64_t gap = 4096;

// Zeroed pages that take memory once they are touched.
static void *map(uint64_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// A cell for two bytes, and one for an odd last byte.
static uint64_t shadowBytes(uint64_t bytes) { return (bytes / 2 + 1) * sizeof(Cell); }

DeviceMemory::~DeviceMemory() {
  while (!allocations.empty())
    release(allocations.begin()->first);
}

uint64_t DeviceMemory::allocate(uint64_t bytes, uint64_t alignment, bool readOnly) {
  if (bytes == 0 || bytes > limit - usedBytes)
    return 0;
  Allocation allocation;
  allocation.begin = llvm::alignTo(next, alignment);
  allocation.bytes = bytes;
  allocation.readOnly = readOnly;
  allocation.host = static_cast<uint8_t *>(map(bytes));
  allocation.cells = static_cast<Cell *>(map(shadowBytes(bytes)));
  if (!allocation.host || !allocation.cells)
    return 0;
  std::memset(allocation.host, 0xff, bytes);
  next = allocation.begin + bytes + gap;
  usedBytes += bytes;
  allocations[allocation.begin] = allocation;
  return allocation.begin;
}

bool DeviceMemory::release(uint64_t address) {
  auto found = allocations.find(address);
  if (found == allocations.end())
    return false;
  const Allocation &allocation = found->second;
  munmap(allocation.host, allocation.bytes);
  munmap(allocation.cells, shadowBytes(allocation.bytes));
  usedBytes -= allocation.bytes;
  released[address] = allocation.bytes;
  latest = nullptr;
  allocations.erase(found);
  return true;
}

Allocation *DeviceMemory::find(uint64_t address, uint64_t bytes) {
  if (latest && latest->contains(address, bytes))
    return latest;
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  Allocation &allocation = std::prev(after)->second;
  return allocation.contains(address, bytes) ? latest = &allocation : nullptr;
}

static std::string describePlace(uint64_t address, uint64_t begin, uint64_t bytes) {
  uint64_t end = begin + bytes;
  if (address >= end)
    return (llvm::Twine(address - end) + " bytes behind the end of").str();
  return (llvm::Twine(address - begin) + " bytes behind the start of").str();
}

std::string DeviceMemory::describe(uint64_t address) const {
  auto gone = released.upper_bound(address);
  if (gone != released.begin()) {
    auto [begin, bytes] = *std::prev(gone);
    if (address - begin < bytes)
      return "it was released: it is " + describePlace(address, begin, bytes) +
             (" an allocation of " + llvm::Twine(bytes) + " bytes").str();
  }
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return "no allocation is near";
  const Allocation &before = std::prev(after)->second;
  return "it is " + describePlace(address, before.begin, before.bytes) +
         (" an allocation of " + llvm::Twine(before.bytes) + " bytes").str();
}

void DeviceMemory::forgetAccesses() {
  for (auto &[begin, allocation] : allocations)
    madvise(allocation.cells, shadowBytes(allocation.bytes), MADV_DONTNEED);
}
