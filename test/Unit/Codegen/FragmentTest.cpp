//===- FragmentTest.cpp - the layout of fragments, as the manual has it ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/GPU/Fragment.h"

#include "gtest/gtest.h"

#include <vector>

using namespace weft;

namespace {

using Place = std::pair<int64_t, int64_t>;

std::vector<Place> getPlaces(Fragment fragment, int64_t bits, int64_t lane, int64_t count) {
  std::vector<Place> places;
  for (int64_t i = 0; i != count; ++i) {
    FragmentElement element = getFragmentElement(fragment, bits, i);
    places.emplace_back(element.row.at(lane), element.column.at(lane));
  }
  return places;
}

// From the figures of the manual.
TEST(Fragment, ElementsOf16Bits) {
  using Places = std::vector<Place>;
  EXPECT_EQ(getMmaDepth(16), 16);
  EXPECT_EQ(getPlaces(Fragment::A, 16, 0, 8),
            (Places{{0, 0}, {0, 1}, {8, 0}, {8, 1}, {0, 8}, {0, 9}, {8, 8}, {8, 9}}));
  EXPECT_EQ(getPlaces(Fragment::A, 16, 6, 8),
            (Places{{1, 4}, {1, 5}, {9, 4}, {9, 5}, {1, 12}, {1, 13}, {9, 12}, {9, 13}}));
  EXPECT_EQ(getPlaces(Fragment::A, 16, 31, 8),
            (Places{{7, 6}, {7, 7}, {15, 6}, {15, 7}, {7, 14}, {7, 15}, {15, 14}, {15, 15}}));
  EXPECT_EQ(getPlaces(Fragment::B, 16, 0, 4), (Places{{0, 0}, {1, 0}, {8, 0}, {9, 0}}));
  EXPECT_EQ(getPlaces(Fragment::B, 16, 6, 4), (Places{{4, 1}, {5, 1}, {12, 1}, {13, 1}}));
  EXPECT_EQ(getPlaces(Fragment::B, 16, 31, 4), (Places{{6, 7}, {7, 7}, {14, 7}, {15, 7}}));
}

TEST(Fragment, ElementsOf32Bits) {
  using Places = std::vector<Place>;
  EXPECT_EQ(getMmaDepth(32), 8);
  EXPECT_EQ(getPlaces(Fragment::A, 32, 0, 4), (Places{{0, 0}, {8, 0}, {0, 4}, {8, 4}}));
  EXPECT_EQ(getPlaces(Fragment::A, 32, 6, 4), (Places{{1, 2}, {9, 2}, {1, 6}, {9, 6}}));
  EXPECT_EQ(getPlaces(Fragment::B, 32, 6, 2), (Places{{2, 1}, {6, 1}}));
  EXPECT_EQ(getPlaces(Fragment::B, 32, 31, 2), (Places{{3, 7}, {7, 7}}));
}

TEST(Fragment, ElementsOf8Bits) {
  using Places = std::vector<Place>;
  EXPECT_EQ(getMmaDepth(8), 32);
  EXPECT_EQ(getPlaces(Fragment::A, 8, 6, 16), (Places{{1, 8},
                                                      {1, 9},
                                                      {1, 10},
                                                      {1, 11},
                                                      {9, 8},
                                                      {9, 9},
                                                      {9, 10},
                                                      {9, 11},
                                                      {1, 24},
                                                      {1, 25},
                                                      {1, 26},
                                                      {1, 27},
                                                      {9, 24},
                                                      {9, 25},
                                                      {9, 26},
                                                      {9, 27}}));
  EXPECT_EQ(getPlaces(Fragment::B, 8, 31, 8),
            (Places{{12, 7}, {13, 7}, {14, 7}, {15, 7}, {28, 7}, {29, 7}, {30, 7}, {31, 7}}));
}

TEST(Fragment, Sums) {
  using Places = std::vector<Place>;
  EXPECT_EQ(getPlaces(Fragment::C, 32, 0, 4), (Places{{0, 0}, {0, 1}, {8, 0}, {8, 1}}));
  EXPECT_EQ(getPlaces(Fragment::C, 32, 6, 4), (Places{{1, 4}, {1, 5}, {9, 4}, {9, 5}}));
  EXPECT_EQ(getPlaces(Fragment::C, 32, 31, 4), (Places{{7, 6}, {7, 7}, {15, 6}, {15, 7}}));
}

//===----------------------------------------------------------------------------------------===//
// All elements, by the formulas of the manual
//===----------------------------------------------------------------------------------------===//

struct Formulas {
  int64_t bits, ofA, ofB; ///< of an element; elements of a thread
  Place (*a)(int64_t group, int64_t thread, int64_t i);
  Place (*b)(int64_t group, int64_t thread, int64_t i);
};

// groupID is lane >> 2, threadID_in_group lane % 4.
const Formulas kFormulas[] = {
    // Matrix Fragments for mma.m16n8k8, .tf32.
    {32, 4, 2,
     [](int64_t group, int64_t thread, int64_t i) {
       return Place(i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4);
     },
     [](int64_t group, int64_t thread, int64_t i) {
       return Place(i == 0 ? thread : thread + 4, group);
     }},
    // Matrix Fragments for mma.m16n8k16 with floating point type, .f16 and .bf16.
    {16, 8, 4,
     [](int64_t group, int64_t thread, int64_t i) {
       bool isUpper = i < 2 || (i >= 4 && i < 6);
       return Place(isUpper ? group : group + 8, thread * 2 + (i & 1) + (i >= 4 ? 8 : 0));
     },
     [](int64_t group, int64_t thread, int64_t i) {
       return Place(thread * 2 + (i & 1) + (i >= 2 ? 8 : 0), group);
     }},
    // Matrix Fragments for mma.m16n8k32, .u8 and .s8.
    {8, 16, 8,
     [](int64_t group, int64_t thread, int64_t i) {
       bool isUpper = i < 4 || (i >= 8 && i < 12);
       return Place(isUpper ? group : group + 8, thread * 4 + (i & 3) + (i >= 8 ? 16 : 0));
     },
     [](int64_t group, int64_t thread, int64_t i) {
       return Place(thread * 4 + (i & 3) + (i >= 4 ? 16 : 0), group);
     }},
};

TEST(Fragment, AllElements) {
  for (const Formulas &formulas : kFormulas)
    for (int64_t lane = 0; lane != 32; ++lane) {
      std::vector<Place> a, b;
      for (int64_t i = 0; i != formulas.ofA; ++i)
        a.push_back(formulas.a(lane >> 2, lane % 4, i));
      for (int64_t i = 0; i != formulas.ofB; ++i)
        b.push_back(formulas.b(lane >> 2, lane % 4, i));
      EXPECT_EQ(getPlaces(Fragment::A, formulas.bits, lane, formulas.ofA), a) << lane;
      EXPECT_EQ(getPlaces(Fragment::B, formulas.bits, lane, formulas.ofB), b) << lane;
    }
}

// C and D are the same for all of them.
TEST(Fragment, AllSums) {
  for (int64_t lane = 0; lane != 32; ++lane) {
    std::vector<Place> c;
    for (int64_t i = 0; i != 4; ++i)
      c.emplace_back((lane >> 2) + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1));
    EXPECT_EQ(getPlaces(Fragment::C, 32, lane, 4), c) << lane;
  }
}

} // namespace
