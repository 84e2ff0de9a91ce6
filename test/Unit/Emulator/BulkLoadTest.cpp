//===- BulkLoadTest.cpp - boxes of tensors into shared memory -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Where elements of a box are is written down from PTX ISA 5.5.6 and the programming guide's tables
// of swizzles.
//
//===----------------------------------------------------------------------------------------===//

#include "BulkKernel.h"

using namespace weft;
using namespace weft::test;

namespace {

class BulkLoadTest : public BulkTest {
protected:
  /// Loads the box of 16-bit elements and compares every one of them.
  void check(const TensorMap &map, const std::vector<int> &at) {
    uint64_t bytes = map.boxBytes();
    std::vector<uint8_t> input = counted(1 << 16), output(bytes);
    std::string text = kernelOfMap(start + startFence + expectBytes(bytes) + loadOf(map.rank) +
                                       await + copyOut(bytes),
                                   at, memory);
    ASSERT_EQ(run(text, {}, input, output, {}, {{map}}), "");
    for (uint64_t i = 0; i < bytes / 2; ++i) {
      uint64_t rest = i, place = map.address;
      bool inside = true;
      for (uint32_t d = 0; d < map.rank; ++d) {
        int64_t x = at[d] + int64_t(rest % map.box[d]);
        rest /= map.box[d];
        inside &= x >= 0 && x < int64_t(map.sizes[d]);
        place += uint64_t(x) * map.strides[d];
      }
      uint16_t value, expected = inside ? uint16_t(place / 2 + 1) : 0;
      std::memcpy(&value, &output[whereIs(2 * i, map.swizzle)], 2);
      EXPECT_EQ(value, expected) << "element " << i;
    }
  }

  // The tables of the guide: in rows of 128, 64 or 32 bytes, unit `c` of row `r` changes places
  // with another unit of the same row.
  static uint64_t whereIs(uint64_t byte, uint32_t span) {
    if (span == 0)
      return byte;
    uint64_t row = byte / span, unit = byte % span / 16;
    uint64_t other = span == 128 ? row % 8 : span == 64 ? row / 2 % 4 : row / 4 % 2;
    return row * span + (unit ^ other) * 16 + byte % 16;
  }
};

TEST_F(BulkLoadTest, Boxes) {
  check(matrix(64, 32, 16, 8), {0, 0});
  check(matrix(64, 32, 16, 8), {24, 5});
  check(matrix(64, 32, 8, 1), {56, 31});
  TensorMap vector;
  vector.rank = 1;
  vector.elementBytes = 2;
  vector.sizes = {300};
  vector.strides = {2};
  vector.box = {256};
  check(vector, {16});
  TensorMap volume = matrix(40, 12, 24, 3);
  volume.rank = 5;
  volume.sizes = {40, 12, 3, 4, 2};
  volume.strides = {2, 96, 1152, 16, 8192}; // in any order, and overlapping
  volume.box = {24, 3, 2, 4, 2};
  check(volume, {8, 4, 1, 0, 0});
}

TEST_F(BulkLoadTest, OutsideIsZero) {
  check(matrix(44, 20, 16, 8), {32, 15});
  check(matrix(44, 20, 16, 8), {-5, -3});
  check(matrix(44, 20, 16, 8), {100, 0});
  check(matrix(44, 20, 16, 8), {0, -8});
  check(matrix(3, 20, 16, 8), {-1, 0});
  TensorMap volume = matrix(44, 5, 64, 4, 128);
  volume.rank = 3;
  volume.sizes[2] = 3;
  volume.strides[2] = 640;
  volume.box[2] = 2;
  check(volume, {-9, 3, 2});
}

TEST_F(BulkLoadTest, Swizzles) {
  check(matrix(200, 40, 64, 24, 128), {64, 3});
  check(matrix(200, 40, 32, 24, 64), {64, 3});
  check(matrix(200, 40, 16, 24, 32), {64, 3});
  check(matrix(200, 40, 16, 40, 32), {190, 20});
}

TEST_F(BulkLoadTest, RowsOfBytes) {
  std::vector<uint8_t> output(64), input = counted(256);
  std::string text = kernelOfMap(
      start + startFence + expectBytes(64) +
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1+32], "
          "64, [full];\n" +
          await + copyOut(64),
      {}, memory);
  ASSERT_EQ(run(text, {}, input, output, {}, {{matrix(64, 2, 8, 1)}}), "");
  EXPECT_EQ(output, std::vector<uint8_t>(input.begin() + 32, input.begin() + 96));
}

} // namespace
