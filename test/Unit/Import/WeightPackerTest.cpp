//===- WeightPackerTest.cpp - What the weights file holds -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/WeightPacker.h"
#include "TemporaryFolder.h"
#include "weft/Import/RandomCheckpoint.h"
#include "weft/Import/SafeTensors.h"
#include "weft/Runtime/weft_model_info.h"
#include "weft/Support/OutputFile.h"

#include "gtest/gtest.h"

#include <cmath>
#include <numeric>

using namespace llvm;
using namespace weft;

namespace {

struct WeightPackerTest : testing::Test {
  TemporaryFolder folder;
  std::vector<float> values;
  std::vector<int64_t> ids = {5, -1, 7};

  /// A checkpoint with `w` = 0.5, 1.5, 2.5, ... of the given shape, and `ids`.
  Checkpoint checkpoint(std::vector<int64_t> shape) {
    values.resize(size_t(*elementCount(shape)));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(i) + 0.5f;
    auto bytes = [](auto &v) {
      return ArrayRef(reinterpret_cast<const uint8_t *>(v.data()), v.size() * sizeof(v[0]));
    };
    cantFail(writeSafeTensors(folder.path("model.safetensors"),
                              {{"w", ElementType::F32, shape, bytes(values)},
                               {"ids", ElementType::I64, {3}, bytes(ids)}}));
    return cantFail(Checkpoint::open(folder.path(), {{}, {}, {"ids"}}));
  }

  Error pack(const WeightsFile &file, const Checkpoint &source) {
    return writeOutputFile(folder.path("m.weights"),
                           [&](raw_ostream &os) { return packWeights(os, file, source); });
  }
  Error packRandom(const WeightsFile &file) {
    RandomCheckpoint random;
    for (const PackedWeight &weight : file.weights)
      random.add(weight.source);
    return pack(file, random.getCheckpoint());
  }

  /// The bytes of a written file.
  std::string contents() {
    return cantFail(errorOrToExpected(MemoryBuffer::getFile(folder.path("m.weights"))))
        ->getBuffer()
        .str();
  }
  template <typename T> std::vector<T> read(const PackedWeight &weight) {
    std::string file = contents();
    std::vector<T> result(weight.bytes() / sizeof(T));
    memcpy(result.data(), file.data() + weight.offset, weight.bytes());
    return result;
  }
};

PackedWeight weight(std::string name, std::vector<int64_t> shape) {
  PackedWeight result;
  result.source = {{std::move(name)}, std::move(shape), ElementType::F32, ""};
  return result;
}

// Gives each weight the next multiple of 64 as its offset, as the compiler does.
void assignOffsets(WeightsFile &file) {
  uint64_t next = sizeof(weft_weights_header);
  for (PackedWeight &weight : file.weights) {
    weight.offset = next;
    next = (next + weight.bytes() + 63) / 64 * 64;
  }
}

TEST_F(WeightPackerTest, WritesAHeaderAndAlignedTensors) {
  Checkpoint source = checkpoint({5, 7});
  WeightsFile file;
  file.fingerprint = 0x123456789abcdef0;
  file.weights = {weight("w", {35}), weight("ids", {3}), weight("bias", {2})};
  file.weights[1].source.type = ElementType::I32;
  file.weights[2].fill = 0.25;
  assignOffsets(file);
  EXPECT_EQ(file.weights[1].offset, 64u + 192u); // 35 reals have 140 bytes
  ASSERT_FALSE(bool(pack(file, source)));

  std::string bytes = contents();
  ASSERT_EQ(bytes.size(), file.totalBytes());
  weft_weights_header header;
  memcpy(&header, bytes.data(), sizeof(header));
  EXPECT_EQ(StringRef(header.magic, 8), WEFT_WEIGHTS_MAGIC);
  EXPECT_EQ(header.fingerprint, file.fingerprint);
  EXPECT_EQ(header.total_bytes, bytes.size());
  EXPECT_EQ(read<float>(file.weights[0]), values);
  EXPECT_EQ(read<int32_t>(file.weights[1]), (std::vector<int32_t>{5, -1, 7}));
  EXPECT_EQ(read<float>(file.weights[2]), (std::vector<float>{0.25, 0.25}));
}

/// Tensors of a stack lie one after another, whatever their types and the order of the panels.
TEST_F(WeightPackerTest, SaysHowFarItIs) {
  Checkpoint source = checkpoint({5, 7});
  WeightsFile file;
  file.weights = {weight("w", {5, 7}), weight("w", {5, 7})};
  file.weights[1].kDims = {0};
  file.weights[1].nDims = {1};
  file.weights[1].nr = 2;
  assignOffsets(file);
  std::vector<uint64_t> steps;
  auto note = [&](uint64_t written) { steps.push_back(written); };
  cantFail(writeOutputFile(folder.path("m.weights"),
                           [&](raw_ostream &os) { return packWeights(os, file, source, note); }));
  // The header, the tensor in rows, and four panels of two columns.
  EXPECT_EQ(steps, (std::vector<uint64_t>{64, 204, 296, 336, 376, 416}));
  EXPECT_FALSE(bool(checkWeights(file, source)));
  file.weights[1] = weight("v", {2});
  EXPECT_TRUE(StringRef(toString(checkWeights(file, source))).contains("tensor 'v' is missing"));
}

TEST_F(WeightPackerTest, StacksTensors) {
  std::vector<float> first = {1, 2, 3, 4, 5, 6};
  std::vector<double> second = {7, 8, 9, 10, 11, 12};
  std::vector<int32_t> one = {1, 2}, two = {3, 4};
  auto bytes = [](auto &v) {
    return ArrayRef(reinterpret_cast<const uint8_t *>(v.data()), v.size() * sizeof(v[0]));
  };
  cantFail(writeSafeTensors(folder.path("model.safetensors"),
                            {{"e.0.w", ElementType::F32, {2, 3}, bytes(first)},
                             {"e.1.w", ElementType::F64, {2, 3}, bytes(second)},
                             {"i.0", ElementType::I32, {2}, bytes(one)},
                             {"i.1", ElementType::I32, {2}, bytes(two)}}));
  Checkpoint source = cantFail(Checkpoint::open(folder.path(), {}));
  WeightsFile file;
  file.weights = {weight("e.{2}.w", {2, 2, 3}), weight("e.{2}.w", {2, 2, 3}),
                  weight("e.{2}.w", {2, 2, 3}), weight("i.{2}", {2, 2})};
  file.weights[1].kDims = {2};
  file.weights[1].nDims = {0, 1};
  file.weights[1].nr = 4;
  file.weights[2].kDims = {0, 2};
  file.weights[2].nDims = {1};
  file.weights[2].nr = 2;
  file.weights[3].source.type = ElementType::I32;
  assignOffsets(file);
  ASSERT_FALSE(bool(pack(file, source)));
  EXPECT_EQ(read<float>(file.weights[0]),
            (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(read<float>(file.weights[1]),
            (std::vector<float>{1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}));
  EXPECT_EQ(read<float>(file.weights[2]),
            (std::vector<float>{1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12}));
  EXPECT_EQ(read<int32_t>(file.weights[3]), (std::vector<int32_t>{1, 2, 3, 4}));
}

/// Codes lie in rows and in panels of fours, scales and sums in rows, all of one coding.
TEST_F(WeightPackerTest, StoresCodes) {
  Checkpoint source = checkpoint({3, 5}); // 0.5, 1.5, ... 14.5
  auto part = [](WeightCoding::Part part) {
    PackedWeight result = weight("w", {3, 5});
    result.coded = {part, {1}};
    return result;
  };
  WeightsFile file;
  file.weights = {part(WeightCoding::Codes), part(WeightCoding::Scales), part(WeightCoding::Sums),
                  part(WeightCoding::Codes)};
  file.weights[3].kDims = {1};
  file.weights[3].nDims = {0};
  file.weights[3].nr = 2;
  file.weights[3].kr = 4;
  EXPECT_EQ(file.weights[0].bytes(), 15u);
  EXPECT_EQ(file.weights[1].bytes(), 12u);
  EXPECT_EQ(file.weights[2].bytes(), 12u);
  EXPECT_EQ(file.weights[3].bytes(), 2u * 2 * 2 * 4);
  assignOffsets(file);
  ASSERT_FALSE(bool(pack(file, source)));
  std::vector<int8_t> codes = read<int8_t>(file.weights[0]);
  std::vector<float> scales = read<float>(file.weights[1]);
  std::vector<int32_t> sums = read<int32_t>(file.weights[2]);
  for (size_t i = 0; i < 15; ++i)
    EXPECT_NEAR(codes[i] * scales[i / 5], float(i) + 0.5f, scales[i / 5] / 2) << i;
  for (size_t row = 0; row < 3; ++row)
    EXPECT_EQ(std::accumulate(&codes[5 * row], &codes[5 * row] + 5, 0), sums[row]);
  std::vector<int8_t> panels = read<int8_t>(file.weights[3]);
  for (size_t n = 0; n < 4; ++n)
    for (size_t k = 0; k < 8; ++k)
      EXPECT_EQ(panels[((n / 2 * 2 + k / 4) * 2 + n % 2) * 4 + k % 4],
                n < 3 && k < 5 ? codes[5 * n + k] : 0)
          << n << ", " << k;
}

/// Numbers of 4 bits lie in panels of their own form, which stands for the same codes.
TEST_F(WeightPackerTest, StoresShortCodes) {
  Checkpoint source = checkpoint({3, 32});
  auto part = [](bool isShort) {
    PackedWeight result = weight("w", {3, 32});
    result.coded = {WeightCoding::Codes, {1}, {4, 16, true}};
    result.kDims = {1};
    result.nDims = {0};
    result.nr = 2;
    result.kr = 4;
    result.nibbles = isShort ? 16 : 0;
    return result;
  };
  WeightsFile file;
  file.weights = {part(true), part(false)};
  // Two panels of eight bytes of groups and four rows of eight; of eight rows of bytes.
  EXPECT_EQ(file.weights[0].bytes(), 2u * 5 * 8);
  EXPECT_EQ(file.weights[1].bytes(), 2u * 8 * 8);
  assignOffsets(file);
  ASSERT_FALSE(bool(pack(file, source)));
  std::vector<uint8_t> shortPanels = read<uint8_t>(file.weights[0]);
  std::vector<int8_t> panels = read<int8_t>(file.weights[1]);
  for (size_t n = 0; n < 4; ++n)
    for (size_t k = 0; k < 32; ++k) {
      const uint8_t *panel = &shortPanels[n / 2 * 40];
      int number = panel[8 + (k / 8 * 2 + n % 2) * 4 + k % 4] >> (k / 4 % 2 * 4) & 15;
      int group = panel[k / 16 * 2 + n % 2];
      EXPECT_EQ((number - (group >> 4)) * (group & 15),
                panels[((n / 2 * 8 + k / 4) * 2 + n % 2) * 4 + k % 4])
          << n << ", " << k;
    }
}

TEST_F(WeightPackerTest, CodesAreFinite) {
  std::vector<float> bad = {1, 2, INFINITY};
  ArrayRef bytes(reinterpret_cast<const uint8_t *>(bad.data()), bad.size() * sizeof(float));
  cantFail(
      writeSafeTensors(folder.path("model.safetensors"), {{"w", ElementType::F32, {1, 3}, bytes}}));
  Checkpoint source = cantFail(Checkpoint::open(folder.path(), {}));
  WeightsFile file;
  file.weights = {weight("w", {1, 3})};
  file.weights[0].coded = {WeightCoding::Codes, {1}};
  assignOffsets(file);
  EXPECT_NE(toString(pack(file, source)).find("'w' has an element that is not finite"),
            std::string::npos);
}

/// Each weight takes the bytes of its own type, in rows and in panels.
TEST_F(WeightPackerTest, StoresFewerBits) {
  Checkpoint source = checkpoint({3, 2});
  WeightsFile file;
  file.weights = {weight("w", {3, 2}), weight("w", {3, 2}), weight("ids", {3})};
  file.weights[0].source.type = ElementType::BF16;
  file.weights[1].source.type = ElementType::F16;
  file.weights[1].kDims = {0};
  file.weights[1].nDims = {1};
  file.weights[1].nr = 4;
  file.weights[2].source.type = ElementType::I8;
  assignOffsets(file);
  EXPECT_EQ(file.weights[0].bytes(), 12u);
  EXPECT_EQ(file.weights[1].bytes(), 24u);
  ASSERT_FALSE(bool(pack(file, source)));
  EXPECT_EQ(read<uint16_t>(file.weights[0]),
            (std::vector<uint16_t>{0x3f00, 0x3fc0, 0x4020, 0x4060, 0x4090, 0x40b0}));
  EXPECT_EQ(
      read<uint16_t>(file.weights[1]),
      (std::vector<uint16_t>{0x3800, 0x3e00, 0, 0, 0x4100, 0x4300, 0, 0, 0x4480, 0x4580, 0, 0}));
  EXPECT_EQ(read<int8_t>(file.weights[2]), (std::vector<int8_t>{5, -1, 7}));
}

TEST_F(WeightPackerTest, PacksPanelsOfOddSizes) {
  // A view of four dimensions, many ways to choose groups that keep some order, several tiles.
  std::vector<int64_t> shape = {3, 2, 5, 4}, strides = {40, 20, 4, 1};
  Checkpoint source = checkpoint({6, 20});
  using Dims = std::vector<unsigned>;
  struct Split {
    Dims batch, k, n;
  };
  std::vector<Split> splits = {{{}, {0}, {1, 2, 3}}, {{}, {1, 2, 3}, {0}},   {{}, {0, 1}, {2, 3}},
                               {{}, {2, 3}, {0, 1}}, {{}, {0, 2}, {1, 3}},   {{}, {1, 3}, {0, 2}},
                               {{}, {3, 0}, {2, 1}}, {{}, {0, 1, 2, 3}, {}}, {{}, {}, {0, 1, 2, 3}},
                               {{0}, {1, 2}, {3}},   {{2}, {3}, {0, 1}},     {{3, 0}, {2}, {1}}};
  auto count = [&](const Dims &dims) {
    int64_t result = 1;
    for (unsigned dim : dims)
      result *= shape[dim];
    return result;
  };
  auto place = [&](const Dims &dims, int64_t index) {
    int64_t result = 0;
    for (size_t i = dims.size(); i-- > 0; index /= shape[dims[i]])
      result += index % shape[dims[i]] * strides[dims[i]];
    return result;
  };
  for (const Split &split : splits)
    for (auto [nr, kr] : {std::pair<int64_t, int64_t>(1, 1), {3, 1}, {16, 1}, {4, 2}, {3, 4}}) {
      WeightsFile file;
      file.weights = {weight("w", shape)};
      PackedWeight &packed = file.weights[0];
      packed.batchDims = split.batch;
      packed.kDims = split.k;
      packed.nDims = split.n;
      packed.nr = nr;
      packed.kr = kr;
      assignOffsets(file);
      ASSERT_FALSE(bool(pack(file, source)));

      // The definition, element by element.
      int64_t batch = count(split.batch), k = count(split.k), n = count(split.n);
      int64_t groups = (k + kr - 1) / kr, size = (n + nr - 1) / nr * nr * groups * kr;
      std::vector<float> expected(size_t(batch * size), 0.0f);
      for (int64_t b = 0; b < batch; ++b)
        for (int64_t i = 0; i < k; ++i)
          for (int64_t j = 0; j < n; ++j)
            expected[size_t(b * size + ((j / nr * groups + i / kr) * nr + j % nr) * kr + i % kr)] =
                values[size_t(place(split.batch, b) + place(split.k, i) + place(split.n, j))];
      EXPECT_EQ(read<float>(packed), expected)
          << "batch " << batch << " K " << k << " N " << n << " nr " << nr << " kr " << kr;
    }
}

TEST_F(WeightPackerTest, ErrorsLeaveNoFile) {
  Checkpoint source = checkpoint({4});
  WeightsFile file;
  file.weights = {weight("w", {5})};
  assignOffsets(file);
  Error error = pack(file, source);
  EXPECT_NE(toString(std::move(error)).find("'w' F32[4] has the wrong shape"), std::string::npos);
  EXPECT_FALSE(sys::fs::exists(folder.path("m.weights")));

  ids[1] = int64_t(1) << 40;
  Checkpoint large = checkpoint({4});
  file.weights = {weight("w", {4}), weight("ids", {3})};
  file.weights[1].source.type = ElementType::I32;
  assignOffsets(file);
  error = pack(file, large);
  EXPECT_NE(toString(std::move(error)).find("'ids' has an integer beyond 32 bits"),
            std::string::npos);
  EXPECT_FALSE(sys::fs::exists(folder.path("m.weights")));
}

TEST_F(WeightPackerTest, RandomWeightsDoNotDependOnTheLayout) {
  WeightsFile file;
  file.weights = {weight("w", {9, 100})};
  assignOffsets(file);
  ASSERT_FALSE(bool(packRandom(file)));
  std::vector<float> plain = read<float>(file.weights[0]);
  double sum = 0;
  for (float value : plain) {
    EXPECT_LE(std::fabs(value), 0.05f);
    sum += value;
  }
  EXPECT_LT(std::fabs(sum / 900), 0.005);

  PackedWeight &packed = file.weights[0];
  packed.kDims = {1};
  packed.nDims = {0};
  packed.nr = 8;
  assignOffsets(file);
  ASSERT_FALSE(bool(packRandom(file)));
  std::vector<float> panels = read<float>(packed);
  EXPECT_EQ(panels[3 * 8 + 2], plain[2 * 100 + 3]);
  EXPECT_EQ(panels[8 * 100 + 3 * 8], plain[8 * 100 + 3]);
}

} // namespace
