//===- TensorPartTest.cpp - what of a tensor belongs to some positions ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/TensorPart.h"

#include "gtest/gtest.h"

#include <vector>

using namespace weft;
using Dim = TensorPart::Dim;

namespace {

using Places = std::vector<int64_t>;

// The places in the whole, in the order of the part's elements.
Places placesOf(const TensorPart &part) {
  Places places;
  part.forEach([&](int64_t whole, int64_t element) {
    EXPECT_EQ(element, int64_t(places.size()));
    places.push_back(whole);
  });
  return places;
}

TEST(TensorPart, TakesNewRows) {
  TensorPart part({Dim::New, Dim::Whole}, {5, 2}, 2, 2);
  EXPECT_EQ(part.shape(), llvm::ArrayRef<int64_t>({2, 2}));
  EXPECT_EQ(placesOf(part), Places({4, 5, 6, 7}));
}

// A table of queries and keys: new queries see the keys so far.
TEST(TensorPart, TakesKeysUpToTheLastRow) {
  TensorPart part({Dim::New, Dim::Seen}, {4, 4}, 1, 2);
  EXPECT_EQ(part.shape(), llvm::ArrayRef<int64_t>({2, 3}));
  EXPECT_EQ(placesOf(part), Places({4, 5, 6, 8, 9, 10}));
}

TEST(TensorPart, TakesAllOfWhatHasNoPositions) {
  TensorPart part({Dim::Whole, Dim::Whole}, {2, 3}, 7, 1);
  EXPECT_EQ(placesOf(part), Places({0, 1, 2, 3, 4, 5}));
}

TEST(TensorPart, TakesAScalar) {
  TensorPart part({}, {}, 3, 4);
  EXPECT_EQ(part.size(), 1);
  EXPECT_EQ(placesOf(part), Places({0}));
}

TEST(TensorPart, MayBeEmpty) {
  TensorPart part({Dim::New, Dim::Whole}, {5, 2}, 2, 0);
  EXPECT_EQ(part.size(), 0);
  EXPECT_EQ(placesOf(part), Places());
}

} // namespace
