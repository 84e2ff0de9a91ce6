//===- GridWork.cpp - what the threads of a grid do ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GridWork.h"

#include "ThreadWalk.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

using namespace weft;

static constexpr int64_t kWarp = 32;
/// Blocks that are looked at, spread over the grid.
static constexpr int64_t kBlocks = 6;
/// Bytes that come together, whoever wants a part of them.
static constexpr double kSector = 32;
/// All warps of a block are taken for the first one where its way is longer.
static constexpr int64_t kLong = 1 << 20;

static void add(PipeWork &sum, const PipeWork &work, double times) {
  for (size_t i = 0; i != kNumPipes; ++i)
    sum[i] += times * work[i];
}

/// The bytes that a warp moves for those that its threads ask for, from the addresses of two
/// neighbours: fewer where all read the same, more where they lie apart.
static double getSpread(const PtxStep &step, int64_t distance) {
  if (distance == 0)
    return std::max<double>(kSector, step.bytes) / (double(kWarp) * step.bytes);
  double apart = std::min(double(std::abs(distance)), kSector);
  return std::max<double>(step.bytes, apart) / step.bytes;
}

/// Makes the steps' work that of the addresses that neighbours have.
static void spread(std::vector<PtxStep> &steps, ThreadWalk &walk, const GpuLaunch &launch) {
  if (!walk.run(launch, /*block=*/0, /*thread=*/0))
    return;
  auto first = walk.addresses;
  if (!walk.run(launch, /*block=*/0, /*thread=*/1))
    return;
  for (auto [step, one, other] : llvm::zip(steps, first, walk.addresses))
    if (size_t count = std::min(one.size(), other.size()); step.moves && count != 0) {
      double sum = 0;
      for (size_t i = 0; i != count; ++i)
        sum += getSpread(step, other[i] - one[i]);
      step.work[size_t(Pipe::Local)] *= sum / double(count);
    }
}

std::optional<PipeWork> weft::getBlockWork(const ptx::Function &function, const GpuLaunch &launch,
                                           llvm::ArrayRef<int64_t> symbols) {
  std::vector<PtxStep> steps = readSteps(function);
  ThreadWalk walk(function, steps, symbols);
  spread(steps, walk, launch);
  int64_t warps = (launch.threads + kWarp - 1) / kWarp;
  bool shares = llvm::any_of(function.variables, [](const ptx::Variable &variable) {
    return variable.space == ptx::Space::Shared;
  });
  int64_t numBlocks = std::min(launch.blocks, kBlocks);
  PipeWork sum = {};
  for (int64_t i = 0; i != numBlocks; ++i) {
    int64_t block = (2 * i + 1) * launch.blocks / (2 * numBlocks);
    walk.forgetShared();
    // What warps tell each other is there when they go again.
    for (bool counts : {false, true}) {
      if (!counts && !shares)
        continue;
      for (int64_t warp = 0; warp != warps; ++warp) {
        if (!walk.run(launch, block, warp * kWarp))
          return std::nullopt;
        bool isLong = walk.length > kLong;
        // Warps that copy are the first, and have shorter ways.
        if (counts)
          add(sum, walk.work, double(isLong ? warps - warp : 1) / double(numBlocks));
        if (isLong)
          break;
      }
    }
  }
  return sum;
}
