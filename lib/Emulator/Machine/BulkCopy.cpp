//===- BulkCopy.cpp - copies of boxes and rows ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/BulkCopy.h"
#include "Machine/Memory.h"
#include "Machine/Swizzle.h"

#include <algorithm>
#include <cstring>

using namespace weft::emulator;
using weft::ptx::Space;

namespace {

/// Walks over the rows of a box.
class BoxCutter {
public:
  BoxCutter(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates, uint64_t shared,
            BulkCopy &copy)
      : map(map), coordinates(coordinates), shared(shared), copy(copy) {}

  /// The dimensions from `dimension` on downwards, of a tensor that starts at `global`.
  void cut(uint32_t dimension, uint64_t global, bool inside) {
    if (dimension == 0)
      return cutRow(global, inside);
    for (uint32_t i = 0; i < map.box[dimension]; ++i) {
      int64_t place = int64_t(coordinates[dimension]) + i;
      cut(dimension - 1, global + uint64_t(place) * map.strides[dimension],
          inside && place >= 0 && place < int64_t(map.sizes[dimension]));
    }
  }

private:
  void cutRow(uint64_t global, bool inside) {
    int64_t bytes = int64_t(map.box[0]) * map.elementBytes;
    int64_t place = int64_t(coordinates[0]) * map.elementBytes;
    int64_t size = int64_t(map.sizes[0]) * map.elementBytes;
    for (int64_t at = 0; at < bytes; at += 16, shared += 16, place += 16) {
      auto limit = [&](int64_t byte) { return uint32_t(std::clamp<int64_t>(byte, 0, 16)); };
      copy.pieces.push_back({swizzle(shared, map.swizzle), global + uint64_t(place),
                             inside ? limit(-place) : 0, inside ? limit(size - place) : 0});
    }
  }

  const TensorMap &map;
  llvm::ArrayRef<int32_t> coordinates;
  uint64_t shared; // of the next piece
  BulkCopy &copy;
};

} // namespace

BulkCopy weft::emulator::cutBox(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates,
                                uint64_t shared, uint32_t line) {
  BulkCopy copy;
  copy.line = line;
  BoxCutter(map, coordinates, shared, copy).cut(map.rank - 1, map.address, true);
  return copy;
}

BulkCopy weft::emulator::cutRow(uint64_t shared, uint64_t global, uint64_t bytes, uint32_t line) {
  BulkCopy copy;
  copy.line = line;
  for (uint64_t at = 0; at < bytes; at += 16)
    copy.pieces.push_back({shared + at, global + at, 0, 16});
  return copy;
}

static Access accessShared(const Piece &piece, AccessKind kind, uint32_t line) {
  return {piece.shared, 16, Space::Shared, kind, line};
}

// The part inside of the tensor; no bytes if there is none.
static Access accessGlobal(const Piece &piece, AccessKind kind, uint32_t line) {
  uint32_t bytes = piece.end > piece.begin ? piece.end - piece.begin : 0;
  return {piece.global + piece.begin, bytes, Space::Global, kind, line};
}

void weft::emulator::beginLoad(Thread &thread, const BulkCopy &copy, uint32_t agent,
                               uint32_t time) {
  for (const Piece &piece : copy.pieces) {
    Access target = accessShared(piece, AccessKind::Write, copy.line);
    Place place = locate(thread, target);
    noteAsync(thread, target, place, agent, time);
    std::memset(place.host, 0xff, 16);
    Access source = accessGlobal(piece, AccessKind::Read, copy.line);
    if (source.bytes)
      noteAsync(thread, source, locateUnaligned(thread, source), agent, time);
  }
}

void weft::emulator::finishLoad(Thread &thread, const BulkCopy &copy) {
  for (const Piece &piece : copy.pieces) {
    uint8_t *to = locate(thread, accessShared(piece, AccessKind::Write, copy.line)).host;
    std::memset(to, 0, 16);
    Access source = accessGlobal(piece, AccessKind::Read, copy.line);
    if (source.bytes)
      std::memcpy(to + piece.begin, locateUnaligned(thread, source).host, source.bytes);
  }
}

static uint32_t agentOf(const Thread &thread, uint32_t first) {
  return first + thread.registers.warp % 8;
}

void weft::emulator::beginStore(Thread &thread, BulkCopy copy) {
  Agents &agents = thread.block->agents;
  uint32_t reader = agentOf(thread, kFirstStoreRead), writer = agentOf(thread, kFirstStoreWrite);
  thread.stores.open.push_back({std::move(copy), agents.begin(reader), agents.begin(writer)});
  const BulkStore &store = thread.stores.open.back();
  for (const Piece &piece : store.copy.pieces) {
    Access source = accessShared(piece, AccessKind::Read, store.copy.line);
    noteAsync(thread, source, locate(thread, source), reader, store.readTime);
    Access target = accessGlobal(piece, AccessKind::Write, store.copy.line);
    if (!target.bytes)
      continue;
    Place place = locateUnaligned(thread, target);
    noteAsync(thread, target, place, writer, store.writeTime);
    std::memset(place.host, 0xff, target.bytes);
  }
}

void weft::emulator::commitStores(Thread &thread) {
  thread.stores.groups.push_back(std::move(thread.stores.open));
  thread.stores.open.clear();
}

static void readSource(Thread &thread, BulkStore &store) {
  if (store.isRead)
    return;
  store.isRead = true;
  store.data.resize(store.copy.bytes());
  for (size_t i = 0; i < store.copy.pieces.size(); ++i) {
    Access source = accessShared(store.copy.pieces[i], AccessKind::Read, store.copy.line);
    std::memcpy(&store.data[16 * i], locate(thread, source).host, 16);
  }
  thread.clocks.learn(agentOf(thread, kFirstStoreRead), store.readTime, thread.block->slotCount());
}

static void writeTarget(Thread &thread, const BulkStore &store) {
  for (size_t i = 0; i < store.copy.pieces.size(); ++i) {
    const Piece &piece = store.copy.pieces[i];
    Access target = accessGlobal(piece, AccessKind::Write, store.copy.line);
    if (target.bytes)
      std::memcpy(locateUnaligned(thread, target).host, &store.data[16 * i + piece.begin],
                  target.bytes);
  }
  thread.clocks.learn(agentOf(thread, kFirstStoreWrite), store.writeTime,
                      thread.block->slotCount());
}

void weft::emulator::waitForStores(Thread &thread, size_t left, bool reads) {
  std::vector<std::vector<BulkStore>> &groups = thread.stores.groups;
  size_t ended = groups.size() > left ? groups.size() - left : 0;
  for (size_t i = 0; i < ended; ++i)
    for (BulkStore &store : groups[i])
      readSource(thread, store);
  if (reads)
    return;
  for (size_t i = 0; i < ended; ++i)
    for (const BulkStore &store : groups[i])
      writeTarget(thread, store);
  groups.erase(groups.begin(), groups.begin() + ended);
}

void weft::emulator::finishStores(Thread &thread) {
  if (!thread.stores.open.empty())
    commitStores(thread);
  for (const std::vector<BulkStore> &group : thread.stores.groups)
    for (const BulkStore &store : group) {
      if (!store.isRead)
        thread.block->fail(thread, FaultKind::Race, store.copy.line,
                           "it ends before this copy has read shared memory for certain");
      writeTarget(thread, store);
    }
  thread.stores = ThreadStores();
}
