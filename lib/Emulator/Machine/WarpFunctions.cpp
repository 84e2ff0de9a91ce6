//===- WarpFunctions.cpp - barriers, shuffles and votes, as kernels call them ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Runtime.h"
#include "weft/Emulator/Ptx.h"

using namespace weft::emulator;
using weft::ptx::TypeKind;

namespace {

struct Shuffle {
  uint32_t value, b, c;
  ShuffleMode mode;
  uint32_t line;
  uint64_t result = 0; // the predicate in bit 32
};

struct LaneValue {
  uint64_t value;
  uint64_t result = 0;
};

} // namespace

static uint32_t barrier(Thread *thread, uint32_t id, uint32_t count, uint32_t kind,
                        uint32_t predicate, uint32_t line) {
  return thread->block->meetings.arrive(*thread, id, count, BarrierKind(kind), predicate, line);
}

static void warpBarrier(Thread *thread, uint32_t mask, uint32_t line) {
  thread->block->meetings.meet(*thread, mask, "bar.warp.sync", false, line, nullptr,
                               [](const LanePayloads &) {});
}

// PTX ISA 9.7.9.6: which lane is read, and whether it is inside of the segment.
static std::pair<int, bool> findSource(const Shuffle &shuffle, int lane) {
  int b = shuffle.b & 31, clamp = shuffle.c & 31, segments = shuffle.c >> 8 & 31;
  int least = lane & segments, most = least | (clamp & ~segments);
  switch (shuffle.mode) {
  case ShuffleMode::Up:
    return {lane - b, lane - b >= most};
  case ShuffleMode::Down:
    return {lane + b, lane + b <= most};
  case ShuffleMode::Butterfly:
    return {lane ^ b, (lane ^ b) <= most};
  case ShuffleMode::Index:
    break;
  }
  int from = least | (b & ~segments);
  return {from, from <= most};
}

static void shuffleLanes(Thread &last, const LanePayloads &lanes) {
  for (int lane = 0; lane < 32; ++lane) {
    auto *own = static_cast<Shuffle *>(lanes[lane]);
    if (!own)
      continue;
    auto [from, inside] = findSource(*own, lane);
    auto *source = static_cast<Shuffle *>(lanes[inside ? from : lane]);
    if (!source)
      last.block->fail(last, FaultKind::Meeting, own->line,
                       "shfl.sync: lane " + llvm::Twine(lane) + " reads lane " + llvm::Twine(from) +
                           ", which is not in the mask");
    own->result = source->value | uint64_t(inside) << 32;
  }
}

static uint64_t shuffle(Thread *thread, uint32_t mode, uint32_t value, uint32_t b, uint32_t c,
                        uint32_t mask, uint32_t line) {
  Shuffle own{value, b, c, ShuffleMode(mode), line};
  thread->block->meetings.meet(
      *thread, mask, "shfl.sync", false, line, &own,
      [thread](const LanePayloads &lanes) { shuffleLanes(*thread, lanes); });
  return own.result;
}

/// What the lanes have in common: the function sees all values and gives the one result.
static uint64_t gather(Thread *thread, uint32_t mask, const char *what, uint32_t line,
                       uint64_t value,
                       llvm::function_ref<uint64_t(llvm::ArrayRef<std::pair<int, uint64_t>>)> f) {
  LaneValue own{value};
  thread->block->meetings.meet(
      *thread, mask, what, false, line, &own, [&](const LanePayloads &lanes) {
        std::vector<std::pair<int, uint64_t>> values;
        for (int lane = 0; lane < 32; ++lane)
          if (lanes[lane])
            values.push_back({lane, static_cast<LaneValue *>(lanes[lane])->value});
        uint64_t result = f(values);
        for (void *lane : lanes)
          if (lane)
            static_cast<LaneValue *>(lane)->result = result;
      });
  return own.result;
}

static uint32_t vote(Thread *thread, uint32_t mode, uint32_t predicate, uint32_t mask,
                     uint32_t line) {
  return uint32_t(gather(thread, mask, "vote.sync", line, predicate & 1, [&](auto values) {
    uint32_t ballot = 0;
    for (auto [lane, value] : values)
      ballot |= uint32_t(value) << lane;
    switch (VoteMode(mode)) {
    case VoteMode::All:
      return uint64_t(ballot == mask);
    case VoteMode::Any:
      return uint64_t(ballot != 0);
    case VoteMode::Uniform:
      return uint64_t(ballot == mask || ballot == 0);
    case VoteMode::Ballot:
      break;
    }
    return uint64_t(ballot);
  }));
}

static uint32_t reduce(Thread *thread, uint32_t op, uint32_t isSigned, uint32_t value,
                       uint32_t mask, uint32_t line) {
  return uint32_t(gather(thread, mask, "redux.sync", line, value, [&](auto values) {
    uint32_t result = uint32_t(values.front().second);
    for (auto [lane, bits] : values.drop_front()) {
      uint32_t other = uint32_t(bits);
      bool less = isSigned ? int32_t(other) < int32_t(result) : other < result;
      switch (AtomicOp(op)) {
      case AtomicOp::Add:
        result += other;
        break;
      case AtomicOp::Min:
        result = less ? other : result;
        break;
      case AtomicOp::Max:
        result = less ? result : other;
        break;
      case AtomicOp::And:
        result &= other;
        break;
      case AtomicOp::Or:
        result |= other;
        break;
      default:
        result ^= other;
      }
    }
    return uint64_t(result);
  }));
}

// The lanes that have the value of this one; of `all`, 0 unless it is every lane.
static uint32_t match(Thread *thread, uint64_t value, uint32_t all, uint32_t mask, uint32_t line) {
  LaneValue own{value};
  thread->block->meetings.meet(
      *thread, mask, "match.sync", false, line, &own, [&](const LanePayloads &lanes) {
        for (void *lane : lanes) {
          if (!lane)
            continue;
          auto *mine = static_cast<LaneValue *>(lane);
          uint32_t same = 0;
          for (unsigned i = 0; i < 32; ++i)
            if (lanes[i] && static_cast<LaneValue *>(lanes[i])->value == mine->value)
              same |= 1u << i;
          mine->result = all && same != mask ? 0 : same;
        }
      });
  return uint32_t(own.result);
}

static void arriveAtCluster(Thread *thread, uint32_t releases, uint32_t line) {
  thread->block->cluster.arrive(*thread, releases, line);
}

static void waitForCluster(Thread *thread, uint32_t line) {
  thread->block->cluster.wait(*thread, line);
}

static void checkRank(Thread *thread, uint32_t rank, uint32_t line) {
  if (rank != 0)
    thread->block->fail(*thread, FaultKind::Address, line,
                        "block " + llvm::Twine(rank) + " of a cluster of one block");
}

static uint32_t activeMask(Thread *thread) {
  return thread->block->liveLanes(thread->registers.warp);
}

llvm::ArrayRef<RuntimeFunction> weft::emulator::warpFunctions() {
  static const RuntimeFunction functions[] = {
      {"barrier", barrier, true},
      {"warp_barrier", warpBarrier, true},
      {"shuffle", shuffle, true},
      {"vote", vote, true},
      {"reduce", reduce, true},
      {"match", match, true},
      {"active_mask", activeMask, false},
      {"cluster_arrive", arriveAtCluster, true},
      {"cluster_wait", waitForCluster, true},
      {"cluster_rank", checkRank, false},
  };
  return functions;
}
