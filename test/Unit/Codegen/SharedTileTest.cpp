//===- SharedTileTest.cpp - where chunks of a tile lie in shared memory ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes: eight chunks of 16 bytes are read at once if they differ
// in their place within 128 bytes.
//
//===----------------------------------------------------------------------------------------===//

#include "SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace weft;

namespace {

class SharedTileTest : public testing::Test {
protected:
  SharedTileTest() : builder(&context) {
    context.loadDialect<arith::ArithDialect>();
    module = ModuleOp::create(builder, builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
  }

  int64_t getPlace(const SharedTile &tile, int64_t row, int64_t chunk) {
    LaneBuilder lanes(builder, builder.getUnknownLoc(), /*width=*/1);
    return tile.getPlace(lanes, lanes.constant(row), lanes.constant(chunk)).getConstant().value();
  }

  /// How many banks some chunks have, those of one being counted once.
  size_t countBanks(const SharedTile &tile, int64_t rows, int64_t chunks, int64_t firstRow,
                    int64_t firstChunk) {
    std::set<int64_t> banks;
    for (int64_t row = firstRow; row != firstRow + rows; ++row)
      for (int64_t chunk = firstChunk; chunk != firstChunk + chunks; ++chunk)
        banks.insert(getPlace(tile, row, chunk) / 16 % 8);
    return banks.size();
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

constexpr int64_t kWidths[] = {4, 8, 16, 32};

TEST_F(SharedTileTest, EveryChunkHasItsPlace) {
  for (int64_t spread : {1, 2})
    for (int64_t chunks : kWidths) {
      SharedTile tile{/*rows=*/32, chunks, spread};
      std::set<int64_t> places;
      for (int64_t row = 0; row != tile.rows; ++row)
        for (int64_t chunk = 0; chunk != chunks; ++chunk)
          places.insert(getPlace(tile, row, chunk));
      EXPECT_EQ(places.size(), size_t(tile.rows * chunks)) << chunks;
      EXPECT_EQ(*places.begin(), 0);
      EXPECT_EQ(*places.rbegin(), tile.getBytes() - 16);
    }
}

// A matrix of eight rows of a chunk, as ldmatrix reads it.
TEST_F(SharedTileTest, MatricesLieInAllBanks) {
  for (int64_t chunks : kWidths)
    for (int64_t row = 0; row != 32; row += 8)
      for (int64_t chunk = 0; chunk != chunks; ++chunk)
        EXPECT_EQ(countBanks({32, chunks}, 8, 1, row, chunk), 8u) << chunks << " " << row;
}

// Four rows of eight elements of 32 bits.
TEST_F(SharedTileTest, PairsOfChunksLieInAllBanks) {
  for (int64_t chunks : {8, 16, 32})
    for (int64_t row = 0; row != 32; row += 4)
      for (int64_t chunk = 0; chunk != chunks; chunk += 2)
        EXPECT_EQ(countBanks({32, chunks, /*spread=*/2}, 4, 2, row, chunk), 8u)
            << chunks << " " << row;
}

// Eight threads copy what lies side by side, rows of half as much two by two.
TEST_F(SharedTileTest, CopiesLieInAllBanks) {
  EXPECT_EQ(countBanks({32, 4}, 2, 4, 2, 0), 8u);
  for (int64_t row = 0; row != 8; ++row)
    EXPECT_EQ(countBanks({32, 16}, 1, 8, row, 8), 8u);
}

} // namespace
