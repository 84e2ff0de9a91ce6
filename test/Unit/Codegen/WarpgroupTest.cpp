//===- WarpgroupTest.cpp - matrices of products of four warps, as the manual has them -------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Everything here is written out from the PTX manual, and shares nothing with the emitters but the
// descriptor that is tested.
//
//===----------------------------------------------------------------------------------------===//

#include "RunKernel.h"
#include "SwizzleTable.h"

#include "weft/Codegen/GPU/MatrixDescriptor.h"

#include "gtest/gtest.h"

using namespace weft;

namespace {

// Matrix Descriptor Format: bits 0 to 13 the address, 16 to 29 the leading, 32 to 45 the stride
// dimension byte offset, all without their lowest four bits; 49 to 51 the base offset; 62 and 63
// the swizzle, 1 for 128 bytes.
TEST(MatrixDescriptor, Bits) {
  EXPECT_EQ(getMatrixDescriptor(0), 0x4000004000010000u);
  EXPECT_EQ(getMatrixDescriptor(8192), 0x4000004002000000u);
  EXPECT_EQ(getMatrixDescriptor(0) + inChunks(0x12340), 0x4000004000011234u);
}

struct Form {
  std::string type;
  int bytes;
  uint32_t (*code)(int);
  bool transposed;
  int columns;
  bool registers = false; ///< have A, whose elements have 16 bits
};

constexpr int kRows = 64, kPanelsAt = kRows * 128;

/// What copies of boxes leave in shared memory: A, then B.
std::vector<uint8_t> layOut(const Form &form) {
  int depth = 128 / form.bytes;
  int panels = form.transposed ? form.columns * form.bytes / 128 : 1;
  int rowsB = form.transposed ? depth : form.columns;
  std::vector<uint8_t> memory(size_t(kPanelsAt + panels * rowsB * 128));
  auto put = [&](size_t place, int value) {
    uint32_t code = form.code(value);
    std::memcpy(memory.data() + place, &code, size_t(form.bytes));
  };
  for (int row = 0; row != kRows; ++row)
    for (int k = 0; k != depth; ++k)
      put(getSwizzledPlace(row, k * form.bytes), valueOf(1, row, k));
  for (int k = 0; k != depth; ++k)
    for (int column = 0; column != form.columns; ++column) {
      int inPanel = column % (128 / form.bytes), panel = column / (128 / form.bytes);
      size_t place = form.transposed
                         ? size_t(panel * rowsB * 128) + getSwizzledPlace(k, inPanel * form.bytes)
                         : getSwizzledPlace(column, k * form.bytes);
      put(size_t(kPanelsAt) + place, valueOf(6, k, column));
    }
  return memory;
}

// Register Fragments for wgmma.mma_async.m64nNk16, matrix A: rows as of D; pairs of k, those of the
// upper half of k behind those of the lower one.
std::vector<uint32_t> getRegistersA(const Form &form, int step) {
  std::vector<uint32_t> words;
  for (int thread = 0; thread != 128; ++thread)
    for (int i = 0; i != 4; ++i) {
      int row = thread / 32 * 16 + thread % 32 / 4 + (i % 2 != 0 ? 8 : 0);
      int k = 16 * step + thread % 4 * 2 + (i >= 2 ? 8 : 0);
      words.push_back(form.code(valueOf(1, row, k)) | form.code(valueOf(1, row, k + 1)) << 16);
    }
  return words;
}

std::string list(const std::string &prefix, int count) {
  std::string text;
  for (int i = 0; i != count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(i);
  return text;
}

std::string repeat(const std::string &word, int count) {
  std::string text;
  for (int i = 0; i != count; ++i)
    text += (i ? ", " : "") + word;
  return text;
}

/// Four words of each thread.
std::string loadRegistersA(const std::string &step, size_t place) {
  std::string text = "%q" + step + " = llvm.getelementptr %in[" + std::to_string(place) +
                     "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n%m" + step +
                     " = arith.muli %own, %four : i32\n%p" + step + " = llvm.getelementptr %q" +
                     step + "[%m" + step + "] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n";
  for (int i = 0; i != 4; ++i) {
    std::string n = step + "x" + std::to_string(i);
    text += "%p" + n + " = llvm.getelementptr %p" + step + "[" + std::to_string(4 * i) +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n%r" + n + " = llvm.load %p" + n +
            " : !llvm.ptr<1> -> i32\n";
  }
  return text + "%s" + step + ":4 = nvx.wgmma_fence [" + list("%r" + step + "x", 4) +
         "] : " + repeat("i32", 4) + "\n";
}

/// The image goes to shared memory as it is; four products of 32 bytes of k; a thread stores its
/// sums behind each other.
std::string write(const Form &form, size_t words) {
  std::string text =
      "%memory = llvm.mlir.addressof @memory : !llvm.ptr<3>\n"
      "%zero = arith.constant 0.0 : f32\n%four = arith.constant 4 : i32\n"
      "%own = arith.muli %lane, %four : i32\n"
      "%from = llvm.getelementptr %in[%own] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
      "%to = llvm.getelementptr %memory[%own] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n";
  for (size_t i = 0; i != words / 128; ++i) {
    std::string n = std::to_string(i), skip = std::to_string(512 * i);
    text += "%f" + n + " = llvm.getelementptr %from[" + skip +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n" + "%w" + n + " = llvm.load %f" + n +
            " : !llvm.ptr<1> -> i32\n" + "%t" + n + " = llvm.getelementptr %to[" + skip +
            "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n" + "llvm.store %w" + n + ", %t" + n +
            " : i32, !llvm.ptr<3>\n";
  }
  text += "llvm.inline_asm has_side_effects \"fence.proxy.async.shared::cta;\", \"~{memory}\" : () "
          "-> ()\n"
          "nvx.barrier\n%address = llvm.ptrtoint %memory : !llvm.ptr<3> to i64\n"
          "%shift = arith.constant 4 : i64\n%chunks = arith.shrui %address, %shift : i64\n";
  int sums = form.columns / 2, panel = form.transposed ? 128 / form.bytes * 128 : 0;
  std::string types = repeat("f32", sums);
  text += "%d0:" + std::to_string(sums) + " = nvx.wgmma_fence [" + repeat("%zero", sums) +
          "] : " + types + "\n";
  for (int step = 0; form.registers && step != 4; ++step)
    text += loadRegistersA(std::to_string(step), 4 * words + size_t(2048 * step));
  for (int step = 0; step != 4; ++step) {
    std::string n = std::to_string(step), next = std::to_string(step + 1);
    int64_t skipA = 32 * step, skipB = form.transposed ? 32 / form.bytes * 128 * step : 32 * step;
    auto constant = [&](const std::string &name, uint64_t value) {
      text += name + " = arith.constant " + std::to_string(int64_t(value)) + " : i64\n";
    };
    constant("%ca" + n, getMatrixDescriptor(0) + inChunks(skipA));
    constant("%cb" + n, getMatrixDescriptor(panel) + inChunks(kPanelsAt + skipB));
    text += "%a" + n + " = arith.addi %chunks, %ca" + n + " : i64\n%b" + n +
            " = arith.addi %chunks, %cb" + n + " : i64\n" + "%d" + next + ":" +
            std::to_string(sums) + " = nvx.wgmma " + form.type + " [" +
            (form.registers ? list("%s" + n + "#", 4) : "%a" + n) + "] x %b" + n + " + [" +
            list("%d" + n + "#", sums) + "]" + (form.transposed ? " {trans}" : "") + " : " +
            (form.registers ? repeat("i32", 4) : "i64") + " -> " + types + "\n";
  }
  text += "nvx.wgmma_commit\n%r:" + std::to_string(sums) + " = nvx.wgmma_wait 0 [" +
          list("%d4#", sums) + "] : " + types + "\n%size = arith.constant " +
          std::to_string(4 * sums) +
          " : i32\n%skip = arith.muli %lane, %size : i32\n"
          "%target = llvm.getelementptr %out[%skip] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n";
  for (int i = 0; i != sums; ++i) {
    std::string n = std::to_string(i);
    text += "%o" + n + " = llvm.getelementptr %target[" + std::to_string(4 * i) +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\nllvm.store %r#" + n + ", %o" + n +
            " : f32, !llvm.ptr<1>\n";
  }
  return text;
}

// Register Fragments for wgmma.mma_async.m64nNk16, matrix D: row 16 warp + lane / 4 and eight more,
// pairs of columns.
void check(const Form &form) {
  std::vector<uint8_t> image = layOut(form);
  std::vector<uint32_t> input(image.size() / 4);
  std::memcpy(input.data(), image.data(), image.size());
  int sums = form.columns / 2, depth = 128 / form.bytes;
  std::string ptx = compile(write(form, input.size()), "sm_90a", int64_t(image.size()));
  for (int step = 0; form.registers && step != 4; ++step)
    llvm::append_range(input, getRegistersA(form, step));
  ASSERT_NE(ptx, "");
  std::vector<float> result = run(ptx, input, size_t(128 * sums), 128);
  ASSERT_EQ(result.size(), size_t(128 * sums));
  for (int thread = 0; thread != 128; ++thread)
    for (int i = 0; i != sums; ++i) {
      int row = thread / 32 * 16 + thread % 32 / 4 + (i % 4 >= 2 ? 8 : 0);
      int column = i / 4 * 8 + thread % 4 * 2 + i % 2, sum = 0;
      for (int k = 0; k != depth; ++k)
        sum += valueOf(1, row, k) * valueOf(6, k, column);
      ASSERT_EQ(result[size_t(thread * sums + i)], float(sum)) << thread << " " << i;
    }
}

TEST(Warpgroup, Products) {
  check({"bf16", 2, asBF16, false, 16});
  check({"f16", 2, asF16, false, 64});
  check({"tf32", 4, asTF32, false, 32});
}

// Columns side by side, in one panel and in several.
TEST(Warpgroup, ProductsOfPanels) {
  check({"bf16", 2, asBF16, true, 64});
  check({"f16", 2, asF16, true, 128});
  check({"bf16", 2, asBF16, true, 192});
}

// As tiles of keys and of columns are, up to the widest.
TEST(Warpgroup, SumsOfManyColumns) {
  check({"bf16", 2, asBF16, false, 48});
  check({"f16", 2, asF16, false, 192});
  check({"bf16", 2, asBF16, false, 256});
}

// Weights of an attention, which stay where they were made.
TEST(Warpgroup, ProductsOfRegisters) {
  check({"bf16", 2, asBF16, false, 48, true});
  check({"f16", 2, asF16, true, 64, true});
}

} // namespace
