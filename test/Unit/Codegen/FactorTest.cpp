//===- FactorTest.cpp - sums of a product as a factor of the next -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RunKernel.h"

#include "SharedTile.h"

using namespace weft;

namespace {

constexpr int kTiles = 4; ///< of eight columns

/// Sums that name their place in a matrix of sixteen rows, where the manual has those of C.
std::vector<uint32_t> getSums(int (*nameOf)(int row, int column)) {
  std::vector<uint32_t> sums;
  for (int lane = 0; lane != 32; ++lane)
    for (int i = 0; i != 4 * kTiles; ++i) {
      int row = lane / 4 + (i % 4 < 2 ? 0 : 8), column = i / 4 * 8 + lane % 4 * 2 + (i & 1);
      sums.push_back(asTF32(nameOf(row, column)));
    }
  return sums;
}

/// The words of all threads behind each other.
std::vector<uint32_t> getWords(bool isWide, int (*nameOf)(int row, int column)) {
  const int ofThread = 4 * kTiles / (isWide ? 1 : 2);
  auto emit = [&](LaneBuilder &lanes, mlir::Value in, mlir::Value out, mlir::Value lane) {
    mlir::OpBuilder &b = lanes.b;
    auto at = [&](mlir::Value base, int count, int i) {
      return emitPlace(lanes, base, lane, count, i);
    };
    llvm::SmallVector<mlir::Value> sums;
    for (int i = 0; i != 4 * kTiles; ++i)
      sums.push_back(
          mlir::LLVM::LoadOp::create(b, lanes.loc, b.getF32Type(), at(in, 4 * kTiles, i)));
    mlir::Type element = isWide ? mlir::Type(b.getF32Type()) : b.getBF16Type();
    for (auto [i, word] : llvm::enumerate(asFactor(lanes, sums, element)))
      mlir::LLVM::StoreOp::create(b, lanes.loc, word, at(out, ofThread, int(i)));
  };
  std::string ptx = compile("", "sm_80", 1024, emit);
  EXPECT_NE(ptx, "");
  std::vector<float> numbers = run(ptx, getSums(nameOf), size_t(32 * ofThread));
  std::vector<uint32_t> words(numbers.size());
  std::memcpy(words.data(), numbers.data(), 4 * words.size());
  return words;
}

// Names are whole numbers of eight bits, which bf16 has. Matrix Fragments for mma.m16n8k16, and
// those of wgmma.mma_async.m64nNk16 of a warp, matrix A.
TEST(Factor, WordsOf16Bits) {
  for (auto nameOf : {+[](int row, int column) { return 16 * row + column % 16; },
                      +[](int row, int column) { return 32 * (row % 8) + column; }}) {
    std::vector<uint32_t> words = getWords(/*isWide=*/false, nameOf);
    ASSERT_EQ(words.size(), size_t(64 * kTiles));
    for (int lane = 0; lane != 32; ++lane)
      for (int i = 0; i != 2 * kTiles; ++i) {
        int row = lane / 4 + (i % 4 == 1 || i % 4 == 3 ? 8 : 0);
        int k = i / 4 * 16 + lane % 4 * 2 + (i % 4 >= 2 ? 8 : 0);
        uint32_t pair = asBF16(nameOf(row, k)) | asBF16(nameOf(row, k + 1)) << 16;
        EXPECT_EQ(words[size_t(2 * kTiles * lane + i)], pair) << lane << " " << i;
      }
  }
}

// Matrix Fragments for mma.m16n8k8, .tf32: of eight values of k, the even columns come first.
TEST(Factor, WordsOf32Bits) {
  auto nameOf = [](int row, int column) { return 100 * row + column; };
  std::vector<uint32_t> words = getWords(/*isWide=*/true, nameOf);
  ASSERT_EQ(words.size(), size_t(128 * kTiles));
  constexpr int kColumns[] = {0, 2, 4, 6, 1, 3, 5, 7};
  for (int lane = 0; lane != 32; ++lane)
    for (int i = 0; i != 4 * kTiles; ++i) {
      int row = lane / 4 + (i % 4 == 1 || i % 4 == 3 ? 8 : 0);
      int k = lane % 4 + (i % 4 >= 2 ? 4 : 0), column = i / 4 * 8 + kColumns[k];
      EXPECT_EQ(words[size_t(4 * kTiles * lane + i)], asTF32(nameOf(row, column)))
          << lane << " " << i;
    }
}

} // namespace
