//===- DecodePlan.h - how the keys of few queries are shared out --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A task is a block of threads: a query and up to 8 heads that share keys, with a part of the keys
// that they reach. A warp takes some keys at once, each by neighbouring threads, every one of which
// has 16 bytes of the key and of the value and all of a row's state; on tensor cores the threads of
// a warp share both, sixteen keys for all of the heads (DecodeMmaTask.h). What threads, warps and
// blocks found is combined in a fixed order, so a call gives the same bits again.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_DECODEPLAN_H
#define WEFT_LIB_CODEGEN_GPU_DECODEPLAN_H

#include "GroupWalk.h"

#include "weft/Codegen/Common/AttentionRoles.h"
#include "weft/Codegen/Common/Schedule.h"

namespace weft {

/// So many queries read keys again for each of them sooner than they fill a block of rows.
inline constexpr int64_t kFewQueries = 4;

/// Keys of a small matrix.
inline constexpr int64_t kUnitKeys = 16;

struct DecodeSchedule {
  int64_t splits = 1; ///< blocks that share the keys of a row
  int64_t heads = 1;  ///< rows of a task: those of a query that share keys, or a divisor of them
  int64_t keys = 2;   ///< that a thread has at once; with units: that a warp has
  int64_t warps = 8;  ///< of a block
  int64_t blocks = 1; ///< for which a processor has registers at least
  bool units = false; ///< on tensor cores

  template <typename Fields> void visit(Fields &fields) {
    fields("splits", splits);
    fields("heads", heads);
    fields("keys", keys);
    fields("warps", warps);
    fields("blocks", blocks);
    fields("units", units);
  }
  void check(ScheduleRules &rules, AttentionOp op) const;
};

/// A matrix whose rows are queries, keys or values, and what a thread has of a row: every
/// `threads`-th vector of `width` elements.
struct DecodeFactor {
  unsigned input;
  llvm::SmallVector<unsigned> along; ///< what a row's elements depend on, last fastest
  int64_t size;                      ///< of a row
  int64_t width;

  int64_t getVectors() const { return size / width; }
};

/// What the emitter needs of an attention: a softmax of one product, elements of known number, at
/// most 256, that are no codes.
struct DecodeFactors {
  static std::optional<DecodeFactors> match(AttentionOp op);

  /// Whether tensor cores multiply all three: elements of one type of 16 bits, whose rows are
  /// vectors of 16 bytes.
  bool fitUnits() const { return bool(element); }

  AttentionRoles roles;
  mlir::Type element; ///< of all three, if they fit units
  DecodeFactor query, key, value;
};

struct DecodePlan : DecodeFactors {
  DecodePlan(AttentionOp op, const DecodeSchedule &schedule)
      : DecodeFactors(*match(op)), schedule(schedule) {}

  int64_t getWarps() const { return schedule.warps; }
  int64_t getBlock() const { return getWarps() * kWarpSize; }

  /// Threads that share a key.
  int64_t getThreads() const {
    auto most = uint64_t(std::max(key.getVectors(), value.getVectors()));
    return std::min<int64_t>(int64_t(llvm::bit_ceil(most)), kWarpSize);
  }
  /// Keys that a warp has at once, and a block in a step of its loop.
  int64_t getKeysOfWarp() const { return kWarpSize / getThreads(); }
  int64_t getKeysOfStep() const {
    return getWarps() * schedule.keys * (schedule.units ? 1 : getKeysOfWarp());
  }
  /// Vectors of a row that a thread has.
  int64_t getPart(const DecodeFactor &factor) const {
    return llvm::divideCeil(factor.getVectors(), getThreads());
  }
  /// What is left of a row when a block is done: sums of values, the largest score, the sum of
  /// weights.
  int64_t getPartial() const { return value.size + 2; }

  /// With units: where the block's warps meet at the end. Rows begin at multiples of 16 bytes.
  int64_t getSharedRow() const { return value.size + 4; }
  int64_t getSharedBytes() const { return getWarps() * schedule.heads * getSharedRow() * 4; }

  DecodeSchedule schedule;
};

/// The schedule of an attention of few queries; `more` is that of others, for which another kernel
/// is launched if there may be more. Null where that serves better, or nothing can be shared out.
LoweringAttr chooseDecode(AttentionOp op, LoweringAttr more);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_DECODEPLAN_H
