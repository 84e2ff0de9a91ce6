//===- Memory.cpp - every access of a kernel, checked ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Memory.h"

#include "llvm/ADT/StringExtras.h"

using namespace weft::emulator;
using weft::ptx::Space;

// What a thread can have at most (CUDA's limit).
static constexpr uint64_t mostLocalBytes = 512 << 10;
// Frames start at multiples of it, which is the largest alignment of a variable in one.
static constexpr uint64_t frameAlignment = 128;

static llvm::StringRef describe(Thread &thread, const Access &access) {
  return thread.block->keep((isWrite(access.kind) ? "writes " : "reads ") +
                            llvm::Twine(access.bytes) + " bytes at 0x" +
                            llvm::Twine::utohexstr(access.address));
}

static const char *nameOfAgent(uint32_t slot) {
  return slot >= kFirstProduct && slot < kFirstStoreRead ? "a product of a warpgroup"
                                                         : "a bulk copy";
}

static bool lies(uint64_t address, uint64_t bytes, uint64_t begin, uint64_t size) {
  return address >= begin && bytes <= size && address - begin <= size - bytes;
}

static Space windowOf(uint64_t address) {
  switch (address / kWindowBytes) {
  case kSharedWindow / kWindowBytes:
    return Space::Shared;
  case kLocalWindow / kWindowBytes:
    return Space::Local;
  case kParamWindow / kWindowBytes:
    return Space::Param;
  default:
    return Space::Global;
  }
}

static Place locateShared(Thread &thread, uint64_t address, const Access &access) {
  Block &block = *thread.block;
  if (!lies(address, access.bytes, kSharedStart, block.shared.size()))
    block.fail(thread, FaultKind::Address, access.line,
               describe(thread, access) + " of shared memory, of which it has " +
                   llvm::Twine(block.shared.size()) + " bytes from 0x" +
                   llvm::Twine::utohexstr(kSharedStart) + " on");
  uint64_t offset = address - kSharedStart;
  return {block.shared.data() + offset, block.sharedCells.data(), offset};
}

static Place locateLocal(Thread &thread, uint64_t address, const Access &access) {
  if (!lies(address, access.bytes, frameAlignment, thread.local.size()))
    thread.block->fail(thread, FaultKind::Address, access.line,
                       describe(thread, access) + " of local memory, of which it has " +
                           llvm::Twine(thread.local.size()) + " bytes");
  return {thread.local.data() + (address - frameAlignment)};
}

static Place locateParameter(Thread &thread, uint64_t address, const Access &access) {
  const Launch &launch = thread.block->launch();
  if (!lies(address, access.bytes, 0, launch.parameters.size()) || isWrite(access.kind))
    thread.block->fail(thread, FaultKind::Address, access.line,
                       describe(thread, access) +
                           " of the kernel's parameters, of which there are " +
                           llvm::Twine(launch.parameters.size()) + " bytes to read");
  return {const_cast<uint8_t *>(launch.parameters.data()) + address};
}

static Place locateGlobal(Thread &thread, const Access &access) {
  Block &block = *thread.block;
  Allocation *allocation = block.memory.find(access.address, access.bytes);
  if (!allocation) {
    llvm::StringRef nearest = block.keep(block.memory.describe(access.address));
    block.fail(thread, FaultKind::Address, access.line,
               describe(thread, access) + ", outside every allocation: " + nearest);
  }
  bool writes = isWrite(access.kind);
  if (allocation->readOnly ? writes : access.space == Space::Const)
    block.fail(thread, FaultKind::Address, access.line,
               describe(thread, access) +
                   (writes ? ", which is constant" : ", which is not constant"));
  uint64_t offset = access.address - allocation->begin;
  return {allocation->host + offset, allocation->readOnly ? nullptr : allocation->cells, offset};
}

Place weft::emulator::locate(Thread &thread, const Access &access) {
  // The parts of a vector have a power of two of bytes in all.
  if (access.address & (access.bytes - 1))
    thread.block->fail(thread, FaultKind::Alignment, access.line,
                       describe(thread, access) + ", which is not aligned");
  return locateUnaligned(thread, access);
}

Place weft::emulator::locateUnaligned(Thread &thread, const Access &access) {
  Space space = access.space;
  uint64_t address = access.address;
  if (space == Space::Generic) {
    space = windowOf(address);
    if (space != Space::Global)
      address %= kWindowBytes;
  }
  switch (space) {
  case Space::Shared:
    return locateShared(thread, address, access);
  case Space::Local:
    return locateLocal(thread, address, access);
  case Space::Param:
    return locateParameter(thread, address, access);
  default:
    return locateGlobal(thread, access);
  }
}

void weft::emulator::noteAccess(Thread &thread, const Access &access, const Place &place,
                                Epoch now) {
  Block &block = *thread.block;
  if (!place.cells || !block.launch().findRaces)
    return;
  now.atomic = isStrong(access.kind);
  std::optional<Conflict> conflict =
      note(place.cells, place.offset, access.bytes, access.kind, now, thread.clocks);
  if (!conflict)
    return;
  const Epoch &other = conflict->other;
  llvm::StringRef who = isAgent(other.slot)
                            ? nameOfAgent(uint32_t(other.slot))
                            : block.keep("thread " + llvm::Twine(other.slot - kAgents));
  llvm::StringRef what =
      block.keep(describe(thread, access) +
                 (access.kind == AccessKind::ReadOnly ? " as constant that " : " that "));
  const char *verb = conflict->otherWrites ? " writes" : " reads";
  if (other.pending)
    block.fail(thread, FaultKind::Race, access.line,
               what + "an asynchronous copy of " + who + verb);
  if (isAgent(other.slot) && other.block == now.block)
    block.fail(thread, FaultKind::Race, access.line,
               what + who + verb + " and whose end it does not know of");
  block.fail(thread, FaultKind::Race, access.line,
             what + who + " of block " + llvm::Twine(uint64_t(other.block)) + verb +
                 " in the same launch");
}

bool weft::emulator::isSeenByAgents(const Thread &thread, uint32_t slot, uint32_t time,
                                    uint32_t scopes) {
  if (isAgent(slot))
    return true;
  const Thread &writer = thread.block->thread(slot - kAgents);
  uint32_t fence = writer.fences.findAfter(scopes, time);
  return fence && thread.clocks.knows(slot, fence);
}

void weft::emulator::noteAsync(Thread &thread, const Access &access, const Place &place,
                               uint32_t agent, uint32_t time) {
  Block &block = *thread.block;
  if (!place.cells || !block.launch().findRaces)
    return;
  Epoch now = block.epoch(agent, time);
  uint32_t scope = access.space == Space::Shared ? SharedFence : GlobalFence;
  std::optional<Epoch> unseen =
      findUnseen(place.cells, place.offset, access.bytes, now, thread.clocks, [&](const Epoch &e) {
        return isSeenByAgents(thread, uint32_t(e.slot), uint32_t(e.clock), scope);
      });
  if (unseen)
    block.fail(thread, FaultKind::Race, access.line,
               describe(thread, access) + " by the async proxy, after thread " +
                   llvm::Twine(unseen->slot - kAgents) + " wrote them without a fence.proxy.async");
  noteAccess(thread, access, place, now);
}

uint8_t *weft::emulator::checkAccess(Thread &thread, const Access &access) {
  Place place = locate(thread, access);
  noteAccess(thread, access, place, thread.block->now(thread));
  return place.host;
}

uint64_t weft::emulator::enterFrame(Thread &thread, uint64_t bytes, uint32_t line) {
  uint64_t begin = thread.local.size();
  if (bytes > mostLocalBytes - begin)
    thread.block->fail(thread, FaultKind::Address, line,
                       "its functions take more than " + llvm::Twine(mostLocalBytes) +
                           " bytes of local memory");
  thread.local.resize(begin + bytes, 0xff);
  return begin + frameAlignment;
}

void weft::emulator::leaveFrame(Thread &thread, uint64_t bytes) {
  thread.local.resize(thread.local.size() - bytes);
}
