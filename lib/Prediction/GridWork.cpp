//===- GridWork.cpp - what the threads of a grid do ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GridWork.h"

#include "ThreadWalk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

#include <array>
#include <cstdlib>

using namespace weft;

static constexpr int64_t kWarp = 32;
/// Blocks that are looked at, spread over the grid.
static constexpr int64_t kBlocks = 6;
/// Bytes that come together, whoever wants a part of them.
static constexpr double kSector = 32;
/// Banks of four bytes of shared memory, which gives a word of each at once.
static constexpr uint64_t kBanks = 32, kBankBytes = 4;
/// Ways that only two threads of a warp are sent.
static constexpr int64_t kLongOfWarp = 1 << 16;
/// All warps of a block are taken for the first one where its way is longer.
static constexpr int64_t kLong = 1 << 20;

using Addresses = std::vector<llvm::SmallVector<int64_t, 4>>;

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

/// How often shared memory has to be asked for one thing of a warp, as a multiple of what the bytes
/// take: as many threads as 128 bytes serve are served together, but for words of one bank; all of
/// them, where all ask for the same few words.
static double countPasses(const PtxStep &step, const std::vector<Addresses> &ofThreads,
                          size_t number, size_t occurrence) {
  auto together = size_t(kBanks * kBankBytes / std::max<uint64_t>(step.bytes, kBankBytes));
  using Banks = std::array<llvm::SmallSet<uint64_t, 4>, kBanks>;
  auto countWords = [](const Banks &banks) {
    size_t most = 1;
    for (const auto &words : banks)
      most = std::max<size_t>(most, words.size());
    return double(most);
  };
  double passes = 0;
  Banks all;
  for (size_t first = 0; first < ofThreads.size(); first += together) {
    Banks own;
    for (size_t i = first; i != std::min(first + together, ofThreads.size()); ++i)
      if (const auto &places = ofThreads[i][number]; occurrence < places.size())
        for (uint64_t byte = 0; byte < step.bytes; byte += kBankBytes) {
          uint64_t word = (uint64_t(places[occurrence]) + byte) / kBankBytes;
          own[word % kBanks].insert(word);
          all[word % kBanks].insert(word);
        }
    passes += countWords(own);
  }
  if (countWords(all) == 1)
    passes = 1;
  double groups = double(ofThreads.size()) / double(together);
  double ofBytes = double(step.bytes) / double(std::max<uint64_t>(step.bytes, kBankBytes));
  return passes / std::max(groups, 1.0) / ofBytes;
}

/// The first addresses of each thread of the first warp, or of its first two where that takes long.
static std::vector<Addresses> findAddresses(ThreadWalk &walk, const GpuLaunch &launch) {
  std::vector<Addresses> ofThreads;
  int64_t count = std::min(launch.threads, kWarp);
  for (int64_t thread = 0; thread < count; ++thread) {
    if (!walk.run(launch, /*block=*/0, thread))
      return {};
    ofThreads.push_back(walk.addresses);
    if (walk.length > kLongOfWarp)
      count = std::min<int64_t>(count, 2);
  }
  return ofThreads;
}

/// Makes the steps' work that of the addresses that threads have.
static void spread(std::vector<PtxStep> &steps, ThreadWalk &walk, const GpuLaunch &launch) {
  std::vector<Addresses> ofThreads = findAddresses(walk, launch);
  if (ofThreads.size() < 2)
    return;
  for (auto [number, step] : llvm::enumerate(steps)) {
    size_t count = std::min(ofThreads[0][number].size(), ofThreads[1][number].size());
    double sum = 0;
    for (size_t i = 0; step.moves && i != count; ++i)
      sum += step.isShared ? countPasses(step, ofThreads, number, i)
                           : getSpread(step, ofThreads[1][number][i] - ofThreads[0][number][i]);
    if (step.moves && count != 0)
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
