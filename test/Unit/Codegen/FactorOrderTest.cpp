//===- FactorOrderTest.cpp - values of k of expanded codes, as the manual has slots ---------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// In which order products add values of k up is free, as long as a slot of a product has the same k
// of A and B, and each k has one slot. Slots are those of the manual: groupID is lane / 4,
// threadID_in_group lane % 4.
//
//===----------------------------------------------------------------------------------------===//

#include "FactorOrder.h"
#include "RunKernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <set>

using namespace weft;

namespace {

constexpr int kMatricesA = 2, kMatricesB = 3;

/// Each thread of a group has so many neighbouring values of k of its rows and columns, of which a
/// word has `ofWord`, and a product takes two words.
void checkOrder(int ofThread, int ofWord) {
  std::set<int> seen;
  int products = ofThread / ofWord / 2;
  for (int product = 0; product != products; ++product)
    for (int slot = 0; slot != 8 * ofWord; ++slot) {
      // mma.m16n8k32, .s8, and mma.m16n8k8, .tf32, matrix B: b0 has the first half of the slots.
      int thread = slot / ofWord % 4, inWord = slot % ofWord, isUpper = slot >= 4 * ofWord;
      int firstK = thread * ofThread;
      auto [column, wordB] = getWordOfB(isUpper, product);
      EXPECT_EQ(column, 0);
      int k = firstK + int(wordB) * ofWord + inWord;
      EXPECT_TRUE(seen.insert(k).second) << k;
      for (int matrix = 0; matrix != kMatricesB; ++matrix) {
        auto [line, word] = getWordOfB(2 * matrix + isUpper, product);
        EXPECT_EQ(line, matrix); // columns groupID + 8 matrix
        EXPECT_EQ(word, wordB);
      }
      // Matrix A: a0 and a2 have row groupID, a1 and a3 groupID + 8; a2 and a3 the second half.
      for (int matrix = 0; matrix != kMatricesA; ++matrix)
        for (int half : {0, 1}) {
          auto [line, word] = getWordOfA(4 * matrix + 2 * isUpper + half, product);
          EXPECT_EQ(8 * line, 16 * matrix + 8 * half);
          EXPECT_EQ(firstK + word * ofWord + inWord, k) << product << " " << slot;
        }
    }
  EXPECT_EQ(seen.size(), size_t(4 * ofThread));
  EXPECT_EQ(*seen.rbegin(), 4 * ofThread - 1);
}

TEST(FactorOrder, NumbersOf4Bits) {
  for (int ofThread : {8, 16, 32}) // steps of 32, 64 and 128
    checkOrder(ofThread, /*ofWord=*/4);
}

TEST(FactorOrder, Reals) { checkOrder(/*ofThread=*/4, /*ofWord=*/1); }

// Of eight numbers byte k % 4 has those with k % 8 < 4 in the lower half (CodeFormat.h); a register
// of B has four neighbours of k, of .s8.
TEST(FactorOrder, BytesOfNumbers) {
  constexpr int kWords = 32;
  auto numberOf = [](int word, int k) { return (word * 5 + k * 7 + word * k) % 16; };
  auto factorOf = [](int word) { return word % 8 + 1; };
  auto zeroOf = [](int word) { return word % 2 ? 8 : 7; };
  std::vector<uint32_t> input;
  for (int word = 0; word != kWords; ++word) {
    uint32_t bits = 0;
    for (int k = 0; k != 8; ++k)
      bits |= uint32_t(numberOf(word, k)) << (k % 4 * 8 + k / 4 * 4);
    uint32_t start = 0x01010101u * uint32_t(128 - zeroOf(word) * factorOf(word));
    input.insert(input.end(), {bits, uint32_t(factorOf(word)), start});
  }
  auto emit = [&](LaneBuilder &lanes, mlir::Value in, mlir::Value out, mlir::Value lane) {
    mlir::OpBuilder &b = lanes.b;
    auto at = [&](mlir::Value base, int count, int i) {
      return emitPlace(lanes, base, lane, count, i);
    };
    mlir::Value words[3];
    for (int i = 0; i != 3; ++i)
      words[i] = mlir::LLVM::LoadOp::create(b, lanes.loc, b.getI32Type(), at(in, 3, i));
    auto [first, second] = expandNumbers(lanes, words[0], words[1], words[2]);
    mlir::LLVM::StoreOp::create(b, lanes.loc, first, at(out, 2, 0));
    mlir::LLVM::StoreOp::create(b, lanes.loc, second, at(out, 2, 1));
  };
  std::string ptx = compile("", "sm_80", 1024, emit);
  ASSERT_NE(ptx, "");
  std::vector<float> result = run(ptx, input, 2 * kWords);
  ASSERT_EQ(result.size(), size_t(2 * kWords));
  std::vector<int8_t> bytes(8 * kWords);
  std::memcpy(bytes.data(), result.data(), bytes.size());
  for (int word = 0; word != kWords; ++word)
    for (int k = 0; k != 8; ++k)
      EXPECT_EQ(bytes[size_t(8 * word + k)], (numberOf(word, k) - zeroOf(word)) * factorOf(word))
          << word << " " << k;
}

} // namespace
