//===- SamplerTest.cpp - the tokens that are drawn ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Sampler.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <numeric>
#include <random>

using namespace weft;

namespace {

// The definition: all ids sorted, their weights summed from the best on.
class SortingSampler {
public:
  explicit SortingSampler(const Sampling &sampling) : sampling(sampling), state(sampling.seed) {}

  int32_t pick(llvm::ArrayRef<float> logits) {
    std::vector<int32_t> ids(logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
      return std::pair(-worth(logits[a]), a) < std::pair(-worth(logits[b]), b);
    });
    if (sampling.topK > 0)
      ids.resize(std::min(ids.size(), size_t(sampling.topK)));
    std::vector<double> weights;
    weights.reserve(ids.size());
    for (int32_t id : ids)
      weights.push_back(weight(logits[id], logits[ids[0]]));
    double total = std::accumulate(weights.begin(), weights.end(), 0.0), sum = 0;
    size_t kept = 0;
    while (sampling.topP < 1 && kept < ids.size() && (kept == 0 || sum < sampling.topP * total))
      sum += weights[kept++];
    if (sampling.topP < 1) {
      weights.resize(kept);
      total = sum;
    }
    double left = random() * total;
    for (size_t i = 0; i < weights.size(); ++i) {
      left -= weights[i];
      if (left < 0)
        return ids[i];
    }
    return ids[0];
  }

private:
  static float worth(float logit) { return std::isnan(logit) ? -INFINITY : logit; }
  double weight(float logit, float best) const {
    double above = (double(logit) - best) / sampling.temperature;
    return std::isnan(above) ? 0 : std::exp(above);
  }
  double random() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

  Sampling sampling;
  uint64_t state;
};

Sampling makeSampling(double temperature, int64_t topK, double topP, uint64_t seed) {
  Sampling sampling;
  sampling.temperature = temperature;
  sampling.topK = topK;
  sampling.topP = topP;
  sampling.seed = seed;
  return sampling;
}

// Of few different values, so that many are equal, and some of no order.
std::vector<float> someLogits(size_t count, std::mt19937 &random) {
  std::vector<float> logits;
  logits.reserve(count);
  for (size_t i = 0; i < count; ++i)
    logits.push_back(float(int(random() % 400)) / 40 - 5);
  for (size_t i = 7; i < count; i += 97)
    logits[i] = i % 2 ? -INFINITY : NAN;
  return logits;
}

} // namespace

TEST(Sampler, DrawsWhatSortingAllWouldDraw) {
  std::mt19937 random(3);
  for (size_t count : {1, 2, 63, 64, 65, 500, 5000})
    for (int64_t topK : {0, 1, 5, 64, 400, 100000})
      for (double topP : {1e-9, 0.3, 0.9, 0.9999999, 1.0})
        for (double temperature : {0.05, 1.0, 30.0}) {
          Sampling sampling = makeSampling(temperature, topK, topP, random());
          Sampler sampler(sampling);
          SortingSampler sorting(sampling);
          for (int draw = 0; draw < 5; ++draw) {
            std::vector<float> logits = someLogits(count, random);
            ASSERT_EQ(sampler.pick(logits, {}), sorting.pick(logits))
                << count << " logits, top-k " << topK << ", top-p " << topP;
          }
        }
}

TEST(Sampler, TiesAreInTheOrderOfIds) {
  std::vector<float> equal(1000, 1.5f);
  std::map<int32_t, int> drawn;
  Sampler sampler(makeSampling(1, 3, 1, 0));
  for (int i = 0; i < 100; ++i)
    ++drawn[sampler.pick(equal, {})];
  EXPECT_EQ(drawn.size(), 3u);
  EXPECT_EQ(drawn.begin()->first, 0);
  EXPECT_EQ(drawn.rbegin()->first, 2);
}

TEST(Sampler, NothingToChooseFromIsTheFirst) {
  std::vector<float> none(5, NAN);
  EXPECT_EQ(Sampler(makeSampling(1, 0, 1, 1)).pick(none, {}), 0);
  std::vector<float> one = {0, INFINITY, 3};
  EXPECT_EQ(Sampler(makeSampling(1, 0, 0.5, 1)).pick(one, {}), 1);
}

// Processor time of a draw, for docs/Performance.md: --gtest_also_run_disabled_tests.
TEST(Sampler, DISABLED_Speed) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> logits(152000);
  for (float &logit : logits)
    logit = normal(random);
  for (auto [topK, topP] : {std::pair(0, 1.0), {0, 0.9}, {40, 1.0}, {40, 0.9}}) {
    Sampler sampler(makeSampling(0.8, topK, topP, 1));
    SortingSampler sorting(makeSampling(0.8, topK, topP, 1));
    for (bool sorts : {false, true}) {
      std::clock_t start = std::clock();
      for (int i = 0; i < 20; ++i)
        sorts ? sorting.pick(logits) : sampler.pick(logits, {});
      double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
      std::printf("top-k %d, top-p %g%s: %.2f ms\n", topK, topP, sorts ? ", sorting" : "",
                  seconds * 50);
    }
  }
}
