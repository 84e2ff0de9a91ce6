//===- QueryPlacesTest.cpp - queries in shared memory, as the manual has them -----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "QueryPlaces.h"

#include "ConstantLanes.h"
#include "SwizzleTable.h"

using namespace weft;

namespace {

using QueryPlacesTest = ConstantLanes;

// Two groups of 64 rows, whose rows of 96 elements are two panels. What a thread has is matrix A of
// Matrix Fragments for mma.m16n8k16: groupID is lane / 4, threadID_in_group lane % 4.
TEST_F(QueryPlacesTest, PanelsAreSwizzled) {
  constexpr int kRows = 64, kDepth = 96, kPanels = 2, kOfGroup = kPanels * kRows * 128;
  std::set<int64_t> places;
  for (int warp = 0; warp != 8; ++warp)
    for (int lane = 0; lane != 32; ++lane) {
      QueryPlaces queries(lanes, lanes.constant(warp), lanes.constant(lane), kOfGroup);
      for (int first = 0; first != kDepth; first += 16)
        for (int i = 0; i != 4; ++i) {
          int row = 16 * (warp % 4) + lane / 4 + (i == 1 || i == 3 ? 8 : 0);
          int k = first + lane % 4 * 2 + (i >= 2 ? 8 : 0), group = warp / 4;
          auto inPanel = int64_t(getSwizzledPlace(row, k % 64 * 2));
          int64_t place = group * kOfGroup + k / 64 * kRows * 128 + inPanel;
          EXPECT_EQ(numberOf(queries.get(first, i)), place) << warp << " " << lane << " " << i;
          places.insert(place);
        }
    }
  EXPECT_EQ(places.size(), size_t(2 * kRows * kDepth / 2));
}

TEST_F(QueryPlacesTest, WordsLieInAllBanks) {
  for (int first : {0, 16, 64})
    for (int i = 0; i != 4; ++i) {
      std::set<int64_t> banks;
      for (int lane = 0; lane != 32; ++lane) {
        QueryPlaces queries(lanes, lanes.constant(5), lanes.constant(lane), 16384);
        addBanks(banks, numberOf(queries.get(first, i)), 1);
      }
      EXPECT_EQ(banks.size(), 32u) << first << " " << i;
    }
}

} // namespace
