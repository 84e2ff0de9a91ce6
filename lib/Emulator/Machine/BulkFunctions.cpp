//===- BulkFunctions.cpp - bulk copies and fences of proxies, as kernels call them ----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Memory.h"
#include "Machine/Runtime.h"

using namespace weft::emulator;
using weft::ptx::Space;

// Whatever a kernel asks for, a copy is part of shared memory.
static constexpr uint64_t mostBytes = 1 << 20;

// Of a parameter, or of global memory that the launch does not write.
static TensorMap readMap(Thread &thread, uint64_t address, uint32_t line) {
  Block &block = *thread.block;
  if (address % 64 != 0)
    block.fail(thread, FaultKind::Alignment, line,
               "a tensor map at 0x" + llvm::Twine::utohexstr(address) +
                   ", which is no multiple of 64");
  uint8_t *bytes = nullptr;
  for (uint64_t half : {address + 64, address})
    bytes = checkAccess(thread, {half, 64, Space::Generic, AccessKind::ReadOnly, line});
  std::optional<TensorMap> map = decodeTensorMap(bytes);
  if (!map)
    block.fail(thread, FaultKind::Meeting, line,
               "there is no tensor map at 0x" + llvm::Twine::utohexstr(address));
  return *map;
}

static BulkCopy cutTensor(Thread &thread, uint64_t address, const int32_t *coordinates,
                          uint32_t rank, uint64_t shared, uint32_t line) {
  Block &block = *thread.block;
  TensorMap map = readMap(thread, address, line);
  if (map.rank != rank)
    block.fail(thread, FaultKind::Meeting, line,
               "a copy of " + llvm::Twine(rank) + " dimensions by a map of " +
                   llvm::Twine(map.rank));
  if (shared % 128 != 0)
    block.fail(thread, FaultKind::Alignment, line,
               "a box in shared memory at 0x" + llvm::Twine::utohexstr(shared) +
                   ", which is no multiple of 128");
  if (map.boxBytes() > mostBytes)
    block.fail(thread, FaultKind::Address, line,
               "a box of " + llvm::Twine(map.boxBytes()) + " bytes");
  return cutBox(map, {coordinates, rank}, shared, line);
}

static BulkCopy cutBytes(Thread &thread, uint64_t shared, uint64_t global, uint32_t bytes,
                         uint32_t line) {
  if (shared % 16 != 0 || global % 16 != 0 || bytes % 16 != 0)
    thread.block->fail(thread, FaultKind::Alignment, line,
                       "a bulk copy of " + llvm::Twine(bytes) + " bytes from or to 0x" +
                           llvm::Twine::utohexstr(global) + " and 0x" +
                           llvm::Twine::utohexstr(shared) + ": multiples of 16 are expected");
  if (bytes > mostBytes)
    thread.block->fail(thread, FaultKind::Address, line,
                       "a bulk copy of " + llvm::Twine(bytes) + " bytes");
  return cutRow(shared, global, bytes, line);
}

static void load(Thread &thread, BulkCopy copy, uint64_t address, uint32_t line) {
  Block &block = *thread.block;
  MBarrier &barrier = findMBarrier(thread, address, AccessKind::StrongWrite, line);
  if (!isSeenByAgents(thread, barrier.starter, barrier.startedTime,
                      SharedFence | BarrierStartFence))
    block.fail(thread, FaultKind::Race, line,
               "a bulk copy to an mbarrier that thread " + llvm::Twine(barrier.starter - kAgents) +
                   " started without a fence.mbarrier_init or fence.proxy.async");
  if (barrier.time == 0)
    barrier.time = block.agents.begin(barrier.agent);
  barrier.underWay += int64_t(copy.bytes());
  barrier.copies.push_back(std::move(copy));
  beginLoad(thread, barrier.copies.back(), barrier.agent, barrier.time);
  checkBytes(thread, barrier, line);
}

static void loadTensor(Thread *thread, uint64_t to, uint64_t map, const int32_t *coordinates,
                       uint32_t rank, uint64_t barrier, uint32_t line) {
  load(*thread, cutTensor(*thread, map, coordinates, rank, to, line), barrier, line);
}

static void loadBytes(Thread *thread, uint64_t to, uint64_t from, uint32_t bytes, uint64_t barrier,
                      uint32_t line) {
  load(*thread, cutBytes(*thread, to, from, bytes, line), barrier, line);
}

static void storeTensor(Thread *thread, uint64_t map, const int32_t *coordinates, uint32_t rank,
                        uint64_t from, uint32_t line) {
  beginStore(*thread, cutTensor(*thread, map, coordinates, rank, from, line));
}

static void storeBytes(Thread *thread, uint64_t to, uint64_t from, uint32_t bytes, uint32_t line) {
  beginStore(*thread, cutBytes(*thread, from, to, bytes, line));
}

static void commit(Thread *thread) { commitStores(*thread); }

static void wait(Thread *thread, uint32_t left, uint32_t reads) {
  waitForStores(*thread, left, reads);
}

static void checkMap(Thread *thread, uint64_t address, uint32_t line) {
  readMap(*thread, address, line);
}

// What comes after the fence is at another time.
static void fenceProxies(Thread *thread, uint32_t scopes) {
  thread->fences.add(scopes, thread->clocks.now());
  thread->clocks.tick();
}

llvm::ArrayRef<RuntimeFunction> weft::emulator::bulkFunctions() {
  static const RuntimeFunction functions[] = {
      {"bulk_load_tensor", loadTensor, true},
      {"bulk_load", loadBytes, true},
      {"bulk_store_tensor", storeTensor, true},
      {"bulk_store", storeBytes, true},
      {"bulk_commit", commit, true},
      {"bulk_wait", wait, true},
      {"tensor_map", checkMap, false},
      {"proxy_fence", fenceProxies, false},
  };
  return functions;
}
