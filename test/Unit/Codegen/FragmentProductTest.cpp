//===- FragmentProductTest.cpp - products of fragments in the emulator ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RunKernel.h"

#include "weft/Codegen/GPU/Fragment.h"

using namespace weft;

namespace {

/// Compares what the threads stored, four sums each, where the manual has them. Elements of A are
/// so much more than usual.
void expectProduct(const std::vector<float> &result, int64_t depth, int more = 0) {
  ASSERT_EQ(result.size(), size_t(128));
  for (int64_t lane = 0; lane != 32; ++lane)
    for (int64_t i = 0; i != 4; ++i) {
      int64_t row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + (i & 1);
      int sum = 0;
      for (int64_t k = 0; k != depth; ++k)
        sum += (valueOf(1, row, k) + more) * valueOf(6, k, column);
      EXPECT_EQ(result[size_t(4 * lane + i)], float(sum)) << lane << " " << i;
    }
}

const char *const kStoreSums = R"(
  %size = arith.constant 16 : i32
  %skip = arith.muli %lane, %size : i32
  %target = llvm.getelementptr %out[%skip] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  llvm.store %d#0, %target : f32, !llvm.ptr<1>
  %t1 = llvm.getelementptr %target[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  llvm.store %d#1, %t1 : f32, !llvm.ptr<1>
  %t2 = llvm.getelementptr %target[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  llvm.store %d#2, %t2 : f32, !llvm.ptr<1>
  %t3 = llvm.getelementptr %target[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  llvm.store %d#3, %t3 : f32, !llvm.ptr<1>
)";

/// Six words of each thread, and what sums begin with.
std::string loadRegisters(const std::string &zero) {
  std::string body = "%six = arith.constant 24 : i32\n%own = arith.muli %lane, %six : i32\n"
                     "%from = llvm.getelementptr %in[%own] : (!llvm.ptr<1>, i32) -> "
                     "!llvm.ptr<1>, i8\n%zero = arith.constant " +
                     zero + "\n";
  for (int i = 0; i != 6; ++i) {
    std::string n = std::to_string(i);
    body += "%p" + n + " = llvm.getelementptr %from[" + std::to_string(4 * i) +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n%r" + n + " = llvm.load %p" + n +
            " : !llvm.ptr<1> -> i32\n";
  }
  return body;
}

/// Threads load their registers as the tables say.
void checkRegisters(const std::string &type, int64_t bits, uint32_t (*code)(int)) {
  std::string body = loadRegisters("0.0 : f32");
  body += "%d:4 = nvx.mma " + type +
          " [%r0, %r1, %r2, %r3] x [%r4, %r5] + [%zero, %zero, %zero, %zero]\n" + kStoreSums;
  std::vector<uint32_t> input;
  for (int64_t lane = 0; lane != kFragmentLanes; ++lane)
    for (Fragment fragment : {Fragment::A, Fragment::B}) {
      int64_t registers = fragment == Fragment::A ? kRegistersA : kRegistersB;
      for (int64_t i = 0; i != registers * 32 / bits; ++i) {
        FragmentElement element = getFragmentElement(fragment, bits, i);
        uint32_t value = code(valueOf(fragment == Fragment::A ? 1 : 6, element.row.at(lane),
                                      element.column.at(lane)));
        if (bits == 32 || i % 2 == 0)
          input.push_back(value);
        else
          input.back() |= value << 16;
      }
    }
  std::string ptx = compile(body);
  ASSERT_NE(ptx, "");
  expectProduct(run(ptx, input, 128), getMmaDepth(bits));
}

TEST(Fragment, ProductsOfRegisters) {
  checkRegisters("bf16", 16, asBF16);
  checkRegisters("f16", 16, asF16);
  checkRegisters("tf32", 32, asTF32);
}

// Matrix Fragments for mma.m16n8k32 of .u8 and .s8: groupID is lane / 4, and a register has four
// neighbours of k from four times threadID_in_group on, lane % 4; of A rows, then halves of k.
// Written out from the manual, not from the tables above.
TEST(Fragment, ProductsOfCodes) {
  std::string body = loadRegisters("0 : i32");
  body += "%e:4 = nvx.mma_codes [%r0, %r1, %r2, %r3] x [%r4, %r5] + [%zero, %zero, %zero, %zero]\n";
  std::string stores = kStoreSums;
  for (int i = 0; i != 4; ++i) {
    std::string n = std::to_string(i);
    body += "%f" + n + " = arith.sitofp %e#" + n + " : i32 to f32\n";
    stores.replace(stores.find("%d#" + n), 4, "%f" + n);
  }
  std::vector<uint32_t> input;
  for (int lane = 0; lane != 32; ++lane)
    for (int i = 0; i != 6; ++i) {
      uint32_t word = 0;
      for (int byte = 0; byte != 4; ++byte) {
        int k = lane % 4 * 4 + byte + (i < 4 ? i / 2 : i - 4) * 16;
        int value = i < 4 ? valueOf(1, lane / 4 + i % 2 * 8, k) + 250 : valueOf(6, k, lane / 4);
        word |= uint32_t(uint8_t(value)) << 8 * byte;
      }
      input.push_back(word);
    }
  std::string ptx = compile(body + stores);
  ASSERT_NE(ptx, "");
  EXPECT_NE(ptx.find("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32"), std::string::npos);
  expectProduct(run(ptx, input, 128), 32, /*more=*/250);
}

/// A by rows and B by columns (or, transposed, by rows) are copied to shared memory and read as
/// matrices; of the second half of k only zeros arrive if `cut`.
void checkMemory(bool transposed, bool cut) {
  std::string body = R"(
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %c512 = arith.constant 512 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %memory = llvm.mlir.addressof @memory : !llvm.ptr<3>
  %own = arith.muli %lane, %c16 : i32
  %fromA = llvm.getelementptr %in[%own] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  %toA = llvm.getelementptr %memory[%own] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %odd = arith.andi %lane, %c1 : i32
  %isOdd = arith.cmpi eq, %odd, %c1 : i32
  %bytes = arith.select %isOdd, )" +
                     std::string(cut ? "%c0" : "%c16") + R"(, %c16 : i32
  nvx.cp_async %toA, %fromA, %bytes
  %half = arith.andi %lane, %c15 : i32
  %ownB = arith.muli %half, %c16 : i32
  %placeB = arith.addi %ownB, %c512 : i32
  %fromB = llvm.getelementptr %in[%placeB] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  %toB = llvm.getelementptr %memory[%placeB] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %isB = arith.cmpi ult, %lane, %c16 : i32
  cf.cond_br %isB, ^copy, ^done
^copy:
  nvx.cp_async %toB, %fromB, %c16
  cf.br ^done
^done:
  nvx.cp_async_commit
  nvx.cp_async_wait 0
  nvx.barrier
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %row2 = arith.muli %half, %c2 : i32
  %second = arith.shrui %lane, %c4 : i32
  %chunk = arith.addi %row2, %second : i32
  %placeRow = arith.muli %chunk, %c16 : i32
  %rowA = llvm.getelementptr %memory[%placeRow] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %a:4 = nvx.ldmatrix %rowA : i32, i32, i32, i32
)";
  // By columns, lanes 0 to 7 have the first half of k, 8 to 15 the second one.
  if (transposed)
    body +=
        "%rowB = llvm.getelementptr %memory[%placeB] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n"
        "%b:2 = nvx.ldmatrix %rowB trans : i32, i32\n";
  else
    body += R"(
  %c7 = arith.constant 7 : i32
  %c3 = arith.constant 3 : i32
  %column = arith.andi %half, %c7 : i32
  %upper = arith.shrui %half, %c3 : i32
  %column2 = arith.muli %column, %c2 : i32
  %chunkB = arith.addi %column2, %upper : i32
  %skipB = arith.muli %chunkB, %c16 : i32
  %restB = arith.addi %skipB, %c512 : i32
  %rowB = llvm.getelementptr %memory[%restB] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %b:2 = nvx.ldmatrix %rowB : i32, i32
)";
  body += "%zero = arith.constant 0.0 : f32\n%d:4 = nvx.mma bf16 [%a#0, %a#1, %a#2, %a#3] x [%b#0, "
          "%b#1] + [%zero, %zero, %zero, %zero]\n";
  std::vector<uint32_t> input;
  auto add = [&](int first, int second) { input.push_back(asBF16(first) | asBF16(second) << 16); };
  for (int row = 0; row != 16; ++row)
    for (int k = 0; k != 16; k += 2)
      add(valueOf(1, row, k), valueOf(1, row, k + 1));
  for (int row = 0; row != (transposed ? 16 : 8); ++row)
    for (int i = 0; i != (transposed ? 8 : 16); i += 2)
      transposed ? add(valueOf(6, row, i), valueOf(6, row, i + 1))
                 : add(valueOf(6, i, row), valueOf(6, i + 1, row));
  std::string ptx = compile(body + kStoreSums);
  ASSERT_NE(ptx, "");
  EXPECT_NE(ptx.find("cp.async.cg.shared.global"), std::string::npos);
  expectProduct(run(ptx, input, 128), cut ? 8 : 16);
}

TEST(Fragment, ProductsOfSharedMemory) {
  checkMemory(/*transposed=*/false, /*cut=*/false);
  checkMemory(/*transposed=*/true, /*cut=*/false);
  checkMemory(/*transposed=*/false, /*cut=*/true);
}

} // namespace
