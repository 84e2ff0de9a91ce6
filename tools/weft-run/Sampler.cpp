//===- Sampler.cpp - temperature, top-k, top-p and penalty ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::vector<int32_t> Sampler::candidates(llvm::ArrayRef<float> logits) const {
  std::vector<int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    // NaN counts as the worst, so that the order is one.
    float x = std::isnan(logits[a]) ? -INFINITY : logits[a];
    float y = std::isnan(logits[b]) ? -INFINITY : logits[b];
    return x != y ? x > y : a < b;
  });
  if (sampling.topK > 0 && size_t(sampling.topK) < ids.size())
    ids.resize(sampling.topK);
  return ids;
}

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
  std::vector<int32_t> ids = candidates(logits);
  std::vector<double> weights;
  double total = 0;
  for (int32_t id : ids) {
    double above = (double(logits[id]) - logits[ids.front()]) / sampling.temperature;
    weights.push_back(std::isnan(above) ? 0 : std::exp(above));
    total += weights.back();
  }
  if (sampling.topP < 1) {
    size_t kept = 0;
    double sum = 0;
    while (kept < ids.size() && (kept == 0 || sum < sampling.topP * total))
      sum += weights[kept++];
    weights.resize(kept);
    total = sum;
  }
  double left = random() * total;
  for (size_t i = 0; i < weights.size(); ++i)
    if ((left -= weights[i]) < 0)
      return ids[i];
  return ids.front();
}
