//===- SharedTileTest.cpp - where chunks of a tile lie in shared memory -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes, of which an access of a warp should have each once: eight
// threads with 16 bytes each, sixteen with 8, or thirty-two with 4.
//
//===----------------------------------------------------------------------------------------===//

#include "SharedTile.h"

#include "ConstantLanes.h"

using namespace weft;

namespace {

class SharedTileTest : public ConstantLanes {
protected:
  int64_t getPlace(const SharedTile &tile, int64_t row, int64_t chunk) {
    return numberOf(tile.getPlace(lanes, lanes.constant(row), lanes.constant(chunk)));
  }

  /// How many banks the words have that are at `row` and `column`, counted in words, for so many
  /// threads.
  template <typename Row, typename Column>
  size_t countBanks(const SharedTile &tile, int64_t threads, int64_t words, Row row,
                    Column column) {
    std::set<int64_t> banks;
    for (int64_t thread = 0; thread != threads; ++thread) {
      int64_t word = column(thread);
      addBanks(banks, getPlace(tile, row(thread), word / 4) + word % 4 * 4, words);
    }
    return banks.size();
  }
};

constexpr int64_t kRows = 16;
// Of codes a row has a chunk or two, of a head of 256 elements of f32 it has 64.
constexpr int64_t kWidths[] = {1, 2, 4, 8, 16, 32, 64};

TEST_F(SharedTileTest, EveryChunkHasItsPlace) {
  for (int64_t spread : {1, 2, 4, 5})
    for (int64_t chunks : kWidths) {
      SharedTile tile{kRows, chunks, spread};
      std::set<int64_t> places;
      for (int64_t row = 0; row != kRows; ++row)
        for (int64_t chunk = 0; chunk != chunks; ++chunk) {
          int64_t place = getPlace(tile, row, chunk);
          EXPECT_EQ(place / (16 * chunks), row) << chunks; // a row stays a row
          places.insert(place);
        }
      EXPECT_EQ(places.size(), size_t(kRows * chunks)) << chunks;
      EXPECT_EQ(*places.begin(), 0);
      EXPECT_EQ(*places.rbegin(), tile.getBytes() - 16);
    }
}

// Code that goes on by a distance, to later chunks or eight rows on, finds the same places.
TEST_F(SharedTileTest, DistancesAreTheSameForAllRows) {
  for (int64_t spread : {1, 2, 4, 5})
    for (int64_t chunks : kWidths) {
      SharedTile tile{kRows, chunks, spread};
      for (int64_t row = 0; row != 8; ++row)
        for (int64_t chunk = 0; chunk != chunks; ++chunk) {
          Lanes first = lanes.constant(chunk % 2);
          Lanes place = tile.getPlace(lanes, lanes.constant(row), first, chunk - chunk % 2);
          EXPECT_EQ(numberOf(place), getPlace(tile, row, chunk)) << chunks;
          EXPECT_EQ(getPlace(tile, row + 8, chunk) - getPlace(tile, row, chunk),
                    tile.getRowsBytes(8));
        }
    }
}

// ldmatrix: lane 8 m + r names row r of matrix m. Matrices are the registers of A, which are upper
// and lower rows, then the same of the other half of k; and of B: halves of k, then the same of the
// next eight columns. A matrix is read at once.
TEST_F(SharedTileTest, MatricesLieInAllBanks) {
  for (int64_t chunks : kWidths)
    for (int64_t first = 0; first + 1 < chunks; first += 2)
      for (int64_t matrix = 0; matrix != 4; ++matrix) {
        SharedTile tile{kRows, chunks};
        std::set<int64_t> ofA, ofB;
        for (int64_t row = 0; row != 8; ++row) {
          Lanes lane = lanes.constant(8 * matrix + row);
          int64_t a = numberOf(tile.getPlaceA(lanes, lane, first));
          int64_t b = numberOf(tile.getPlaceB(lanes, lane, first));
          EXPECT_EQ(a, getPlace(tile, row + matrix % 2 * 8, first + matrix / 2));
          EXPECT_EQ(b, getPlace(tile, row + matrix / 2 * 8, first + matrix % 2));
          addBanks(ofA, a, 4);
          addBanks(ofB, b, 4);
        }
        EXPECT_EQ(ofA.size(), 32u) << chunks << " " << first;
        EXPECT_EQ(ofB.size(), 32u) << chunks << " " << first;
      }
}

// Neighbouring threads copy neighbouring chunks.
TEST_F(SharedTileTest, CopiesLieInAllBanks) {
  for (int64_t spread : {1, 2, 4, 5})
    for (int64_t chunks : kWidths)
      for (int64_t first = 0; first != kRows * chunks; first += 8)
        EXPECT_EQ(countBanks(
                      {kRows, chunks, spread}, 8, 4,
                      [&](int64_t thread) { return (first + thread) / chunks; },
                      [&](int64_t thread) { return (first + thread) % chunks * 4; }),
                  32u)
            << chunks << " " << first;
}

// B of f32 with columns side by side: thread t of group g has row t, column g.
TEST_F(SharedTileTest, ColumnsLieInAllBanks) {
  for (int64_t chunks : {16, 32})
    for (int64_t row = 0; row != kRows; row += 4)
      for (int64_t column = 0; column != 4 * chunks; column += 8)
        EXPECT_EQ(countBanks(
                      {kRows, chunks, /*spread=*/2}, 32, 1,
                      [&](int64_t lane) { return row + lane % 4; },
                      [&](int64_t lane) { return column + lane / 4; }),
                  32u)
            << chunks << " " << row << " " << column;
}

// Values of f32, whose rows 2 t, then 2 t + 1, a thread has; and their copies, as many chunks as
// there are elements.
TEST_F(SharedTileTest, ValuesLieInAllBanks) {
  for (int64_t elements : {16, 32, 64, 128, 256}) {
    SharedTile tile = SharedTile::forSecondRows(kRows, elements);
    EXPECT_GE(4 * tile.chunks, elements);
    for (int64_t row : {0, 1, 8, 9})
      for (int64_t column = 0; column != elements; column += 8)
        EXPECT_EQ(countBanks(
                      tile, 32, 1, [&](int64_t lane) { return row + lane % 4 * 2; },
                      [&](int64_t lane) { return column + lane / 4; }),
                  32u)
            << elements << " " << row << " " << column;
    for (int64_t first = 0; first != kRows * elements / 4; first += 8)
      EXPECT_EQ(countBanks(
                    tile, 8, 4, [&](int64_t thread) { return (first + thread) / (elements / 4); },
                    [&](int64_t thread) { return (first + thread) % (elements / 4) * 4; }),
                32u)
          << elements << " " << first;
  }
}

// A of f32 beside reals of a table: thread t of group g has a chunk of row g, the one that is t
// behind the first of sixteen elements.
TEST_F(SharedTileTest, ChunksLieInAllBanks) {
  for (int64_t chunks : {4, 8, 16})
    for (int64_t row = 0; row != kRows; row += 2)
      for (int64_t column = 0; column != 4 * chunks; column += 16)
        EXPECT_EQ(countBanks(
                      SharedTile::forPairsOfRows(kRows, chunks), 8, 4,
                      [&](int64_t thread) { return row + thread / 4; },
                      [&](int64_t thread) { return column + thread % 4 * 4; }),
                  32u)
            << chunks << " " << row << " " << column;
}

// Sums of f32 in boxes: pairs, of half a warp at once.
TEST_F(SharedTileTest, SumsLieInAllBanks) {
  for (int64_t row = 0; row != kRows; row += 4)
    for (int64_t column = 0; column != 32; column += 8)
      EXPECT_EQ(countBanks(
                    {kRows, 8, /*spread=*/2}, 16, 2, [&](int64_t lane) { return row + lane / 4; },
                    [&](int64_t lane) { return column + lane % 4 * 2; }),
                32u)
          << row << " " << column;
}

// Numbers of 4 bits: a thread of four has a quarter of a row, 8 bytes or 16.
TEST_F(SharedTileTest, QuartersLieInAllBanks) {
  for (int64_t chunks : {2, 4})
    for (int64_t row = 0; row != 8; row += 8 / chunks)
      EXPECT_EQ(countBanks(
                    {kRows, chunks}, 32 / chunks, chunks,
                    [&](int64_t lane) { return row + lane / 4; },
                    [&](int64_t lane) { return lane % 4 * chunks; }),
                32u)
          << chunks << " " << row;
}

} // namespace
