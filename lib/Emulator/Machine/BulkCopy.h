//===- BulkCopy.h - copies of boxes and rows ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_BULKCOPY_H
#define WEFT_LIB_EMULATOR_MACHINE_BULKCOPY_H

#include "weft/Emulator/TensorMap.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace weft::emulator {

struct Thread;

/// 16 bytes of shared memory, and those of global memory that belong to them. Of a tensor, `begin`
/// to `end` are inside; the others are 0 in shared memory and not written in global memory.
struct Piece {
  uint64_t shared, global;
  uint32_t begin, end;
};

/// cp.async.bulk, in either direction.
struct BulkCopy {
  std::vector<Piece> pieces;
  uint32_t line;

  uint64_t bytes() const { return 16 * pieces.size(); }
};

/// The box of a tensor at these coordinates; `shared` is a multiple of 128.
BulkCopy cutBox(const TensorMap &map, llvm::ArrayRef<int32_t> coordinates, uint64_t shared,
                uint32_t line);
/// Addresses and size are multiples of 16.
BulkCopy cutRow(uint64_t shared, uint64_t global, uint64_t bytes, uint32_t line);

/// A copy to shared memory begins: its bytes are NaNs that nobody may touch before the agent's
/// time.
void beginLoad(Thread &thread, const BulkCopy &copy, uint32_t agent, uint32_t time);
/// Now they are there.
void finishLoad(Thread &thread, const BulkCopy &copy);

/// A copy to global memory: shared memory is read when the thread waits for that, global memory
/// written when it waits for the whole.
struct BulkStore {
  BulkCopy copy;
  uint32_t readTime, writeTime; ///< of the two agents
  bool isRead = false;
  std::vector<uint8_t> data{};
};

/// Those of a thread.
struct ThreadStores {
  std::vector<BulkStore> open;                ///< not committed
  std::vector<std::vector<BulkStore>> groups; ///< committed, the oldest first
};

void beginStore(Thread &thread, BulkCopy copy);
void commitStores(Thread &thread);
/// All groups but the newest `left` have read their source or, unless `reads`, are whole.
void waitForStores(Thread &thread, size_t left, bool reads);
/// The thread ends: its stores must have read their sources; what they write is written now.
void finishStores(Thread &thread);

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_BULKCOPY_H
