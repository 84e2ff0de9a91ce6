//===- RandomCheckpoint.cpp - made-up weights -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Import/RandomCheckpoint.h"

#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace weft;

/// A uniform number in [-0.05, 0.05] made of all bits of `seed`.
static float randomReal(uint64_t seed) {
  // The finaliser of a 64-bit mixing generator: every bit of the seed changes half of the result's.
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
  seed ^= seed >> 31;
  return (float(seed >> 40) * 0x1p-24f - 0.5f) * 0.1f;
}

namespace {

class RandomReals : public TensorValues {
public:
  RandomReals(uint64_t seed, int64_t count) : seed(seed), count(count) {}

  void read(int64_t first, MutableArrayRef<float> out) override {
    for (size_t i = 0; i != out.size(); ++i)
      out[i] = randomReal(seed + uint64_t(first) + i);
  }
  Expected<std::vector<double>> interpret() override {
    std::vector<float> all(size_t(count), 0.0f);
    read(0, all);
    return std::vector<double>(all.begin(), all.end());
  }
  StringRef failure() const override { return ""; }
  uint64_t storedBytes() const override { return 0; }

private:
  uint64_t seed;
  int64_t count;
};

} // namespace

void RandomCheckpoint::add(const WeightRequest &weight) {
  StringRef name = weight.names.front();
  if (checkpoint.findWeight(name))
    return;
  StoredTensor tensor;
  tensor.type = weight.type;
  tensor.shape.assign(weight.shape.begin() + stackedDims(name), weight.shape.end());
  int64_t count = *elementCount(tensor.shape);
  uint64_t seed = xxHash64(name);
  for (const std::string &part : tensorNames(name)) {
    tensor.name = part;
    if (infoOf(weight.type).isReal()) {
      tensor.values = std::make_shared<RandomReals>(seed, count);
      seed += uint64_t(count);
    } else {
      tensor.bytes = integers.emplace_back(size_t(count) * infoOf(weight.type).bytes());
    }
    checkpoint.addComputed(tensor, {});
  }
}
