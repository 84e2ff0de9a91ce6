//===- Sampler.cpp - temperature, top-k, top-p and penalty ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Sampler.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace weft;

int32_t weft::argmax(llvm::ArrayRef<float> logits) {
  return int32_t(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// SplitMix64: a counter, scrambled; every seed is a good one.
double Sampler::random() {
  uint64_t z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

namespace {

// The ids in the order of their logits, of which only as many are sorted as are looked at: a draw
// looks at few of a vocabulary.
class Ranking {
public:
  explicit Ranking(llvm::ArrayRef<float> logits) {
    ranks.reserve(logits.size());
    for (float logit : logits) // NaN counts as the worst, so that the order is one
      ranks.push_back({std::isnan(logit) ? -INFINITY : logit, int32_t(ranks.size())});
  }

  // The id at a place below the number of logits.
  int32_t operator[](size_t place) {
    while (place >= sorted)
      sortMore(std::max<size_t>(64, sorted));
    return ranks[place].id;
  }
  // Sorts the first `count` at once.
  void prepare(size_t count) {
    if (count > sorted)
      sortMore(count - sorted);
  }

private:
  struct Rank {
    float logit;
    int32_t id;
    bool operator<(const Rank &other) const { // the better one comes first
      return logit != other.logit ? logit > other.logit : id < other.id;
    }
  };

  void sortMore(size_t count) {
    auto begin = ranks.begin() + sorted, end = begin + std::min(count, ranks.size() - sorted);
    if (end != ranks.end())
      std::nth_element(begin, end, ranks.end());
    std::sort(begin, end);
    sorted = end - ranks.begin();
  }

  std::vector<Rank> ranks;
  size_t sorted = 0; // that many have their places
};

} // namespace

static std::vector<float> penalised(llvm::ArrayRef<float> logits, llvm::ArrayRef<int32_t> before,
                                    double penalty) {
  std::vector<float> result = logits.vec();
  for (int32_t id : before)
    if (id >= 0 && size_t(id) < result.size())
      result[id] = float(logits[id] > 0 ? logits[id] / penalty : logits[id] * penalty);
  return result;
}

int32_t Sampler::pick(llvm::ArrayRef<float> logits, llvm::ArrayRef<int32_t> before) {
  if (sampling.repetitionPenalty == 1)
    return draw(logits);
  return draw(penalised(logits, before, sampling.repetitionPenalty));
}

int32_t Sampler::draw(llvm::ArrayRef<float> logits) {
  if (sampling.temperature <= 0)
    return argmax(logits);
  Ranking ranking(logits);
  size_t count = logits.size();
  bool cuts = sampling.topK > 0 && uint64_t(sampling.topK) < count;
  if (cuts)
    ranking.prepare(count = size_t(sampling.topK));
  double best = logits[ranking[0]];
  auto weight = [&](int32_t id) {
    double above = (double(logits[id]) - best) / sampling.temperature;
    return std::isnan(above) ? 0 : std::exp(above);
  };
  double total = 0;
  for (size_t i = 0; i < count; ++i)
    total += weight(cuts ? ranking[i] : int32_t(i));
  if (sampling.topP < 1) {
    size_t kept = 0;
    double sum = 0;
    while (kept < count && (kept == 0 || sum < sampling.topP * total))
      sum += weight(ranking[kept++]);
    count = kept;
    total = sum;
  }
  double left = random() * total;
  for (size_t i = 0; i < count; ++i) {
    int32_t id = ranking[i];
    left -= weight(id);
    if (left < 0)
      return id;
  }
  return ranking[0];
}
