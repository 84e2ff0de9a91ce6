//===- ResultPlacesTest.cpp - sums, and where they go in shared memory ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ResultRows.h"
#include "WarpBoxes.h"

#include "ConstantLanes.h"
#include "SwizzleTable.h"

using namespace weft;

namespace {

class ResultPlacesTest : public ConstantLanes {
protected:
  std::pair<int64_t, int64_t> getPosition(int64_t lane, int64_t number) {
    auto [row, column] = ResultRows::getPosition(lanes, lanes.constant(lane), number);
    return {numberOf(row), numberOf(column)};
  }
  int64_t getBoxPlace(int64_t row, int64_t column, int64_t bytes) {
    return numberOf(WarpBoxes::getPlace(lanes, lanes.constant(row), lanes.constant(column), bytes));
  }
};

// Register Fragments for wgmma.mma_async.m64nNk16, matrix D, of one of the four warps: each thread
// has N / 2 sums.
TEST_F(ResultPlacesTest, SumsOfAllColumns) {
  for (int columns : {8, 48, 192, 256}) {
    std::set<std::pair<int64_t, int64_t>> seen;
    for (int lane = 0; lane != 32; ++lane)
      for (int i = 0; i != columns / 2; ++i) {
        std::pair<int64_t, int64_t> place = {lane / 4 + (i % 4 < 2 ? 0 : 8),
                                             i / 4 * 8 + lane % 4 * 2 + (i & 1)};
        EXPECT_EQ(getPosition(lane, i), place) << columns << " " << lane << " " << i;
        seen.insert(place);
      }
    EXPECT_EQ(seen.size(), size_t(16 * columns));
  }
}

// What `cp.async.bulk.tensor` copies from has the pattern of 128B swizzling, which starts at
// multiples of 1024 bytes.
TEST_F(ResultPlacesTest, BoxesAreSwizzled) {
  EXPECT_EQ(WarpBoxes::kTileBytes % 1024, 0);
  for (int bytes : {2, 4})
    for (int row = 0; row != 16; ++row)
      for (int column = 0; column != 128 / bytes; ++column)
        EXPECT_EQ(getBoxPlace(row, column, bytes), int64_t(getSwizzledPlace(row, column * bytes)))
            << bytes << " " << row << " " << column;
}

// Pairs of 16 bits are a word.
TEST_F(ResultPlacesTest, ShortWordsLieInAllBanks) {
  for (int i = 0; i != 32; i += 2) {
    std::set<int64_t> banks;
    for (int lane = 0; lane != 32; ++lane) {
      auto [row, column] = getPosition(lane, i);
      addBanks(banks, getBoxPlace(row, column, 2), 1);
    }
    EXPECT_EQ(banks.size(), 32u) << i;
  }
}

// Pairs of f32 in rows that are longer than the columns, half a warp at once.
TEST_F(ResultPlacesTest, SumsLieInAllBanks) {
  for (int64_t columns : {16, 32, 64})
    for (int64_t i = 0; i != columns / 2; i += 2)
      for (int64_t half : {0, 16}) {
        std::set<int64_t> banks;
        for (int64_t lane = half; lane != half + 16; ++lane) {
          auto [row, column] = getPosition(lane, i);
          addBanks(banks, (row * ResultRows::getElements(columns) + column) * 4, 2);
        }
        EXPECT_EQ(banks.size(), 32u) << columns << " " << i;
      }
}

} // namespace
