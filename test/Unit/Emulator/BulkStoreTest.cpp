//===- BulkStoreTest.cpp - boxes of tensors out of shared memory ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace weft;
using namespace weft::test;

namespace {

using emulator::TensorMap;

constexpr uint32_t threads = 64;

// Every thread writes a word of the tile, its number and 7; the first one stores a box of it.
struct Parts {
  std::string write = "shl.b32 %r1, %r0, 2; mov.b32 %r2, tile; add.s32 %r2, %r2, %r1;\n"
                      "add.s32 %r3, %r0, 7; st.shared.b32 [%r2], %r3;\n";
  std::string fence = "fence.proxy.async.shared::cta;\n", barrier = "bar.sync 0;\n";
  std::string others = "setp.ne.u32 %p1, %r0, 0; @%p1 bra E;\n";
  std::string store = "mov.b32 %r10, 0; mov.b32 %r11, 0;\n"
                      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd3, {%r10, "
                      "%r11}], [tile];\n";
  std::string commit = "cp.async.bulk.commit_group;\n", wait = "cp.async.bulk.wait_group 0;\n";
  std::string after;

  std::string text() const {
    return ".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 tile[2048];\n"
           ".visible .entry f(.param .align 64 .b8 m[128], .param .u64 p0, .param .u64 p1) {\n"
           ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n"
           "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r0, %tid.x;\n"
           "mov.b64 %rd3, m; cvta.param.u64 %rd3, %rd3;\n" +
           write + fence + barrier + others + store + commit + wait + after + "E: ret;\n}\n";
  }
};

class BulkStoreTest : public EmulatorTest {
protected:
  // A box of 8 rows of 32 bytes, in a tensor of 12 columns of words and 7 rows.
  static BufferMap box(uint32_t swizzle = 0) {
    TensorMap map;
    map.rank = 2;
    map.elementBytes = 4;
    map.sizes = {12, 7};
    map.strides = {4, 64};
    map.box = {8, 8};
    map.swizzle = swizzle;
    return {map, true};
  }

  std::string problem(const Parts &parts) {
    std::string first;
    for (uint64_t seed = 0; seed < 6 && first.empty(); ++seed) {
      std::vector<uint8_t> output(512);
      emulator::MachineOptions options;
      options.seed = seed;
      first = run(parts.text(), {{1, 1, 1}, {threads, 1, 1}}, {}, output, options, {box()});
    }
    return first;
  }

  std::vector<uint32_t> words(const Parts &parts, uint32_t swizzle = 0) {
    return words(parts, box(swizzle), 128);
  }
  std::vector<uint32_t> words(const Parts &parts, const BufferMap &map, size_t count) {
    std::vector<uint8_t> output(4 * count);
    EXPECT_EQ(run(parts.text(), {{1, 1, 1}, {threads, 1, 1}}, {}, output, {}, {map}), "");
    std::vector<uint32_t> result(count);
    std::memcpy(result.data(), output.data(), 4 * count);
    return result;
  }
};

TEST_F(BulkStoreTest, Boxes) {
  std::vector<uint32_t> result = words(Parts());
  for (uint32_t row = 0; row < 8; ++row)
    for (uint32_t column = 0; column < 16; ++column) {
      bool stored = row < 7 && column < 8;
      EXPECT_EQ(result[16 * row + column], stored ? 8 * row + column + 7 : ~0u);
    }
}

TEST_F(BulkStoreTest, OutsideIsNotWritten) {
  Parts parts;
  parts.store.replace(parts.store.find("%r10, 0"), 7, "%r10, 8");
  parts.store.replace(parts.store.find("%r11, 0"), 7, "%r11, -2");
  std::vector<uint32_t> result = words(parts);
  for (uint32_t row = 0; row < 8; ++row)
    for (uint32_t column = 0; column < 16; ++column) {
      bool stored = row < 6 && column >= 8 && column < 12;
      EXPECT_EQ(result[16 * row + column], stored ? 8 * (row + 2) + column - 8 + 7 : ~0u);
    }
}

TEST_F(BulkStoreTest, Swizzled) {
  // In rows of 32 bytes the two units change places in rows 4 to 7 of eight.
  std::vector<uint32_t> result = words(Parts(), 32);
  for (uint32_t row = 0; row < 7; ++row)
    for (uint32_t column = 0; column < 8; ++column)
      EXPECT_EQ(result[16 * row + column], 8 * row + (column ^ (row >= 4 ? 4 : 0)) + 7);
}

// The figure of 128B swizzling: where unit `c` of row `r` of eight is.
constexpr uint32_t unitPlaces[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                       {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                       {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                                       {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};

TEST_F(BulkStoreTest, SwizzledRowsOf128Bytes) {
  BufferMap wide = box(128);
  wide.map.sizes = {32, 16};
  wide.map.strides = {4, 128};
  wide.map.box = {32, 16};
  Parts parts;
  for (uint32_t i = 1; i < 8; ++i)
    parts.write += "add.s32 %r3, %r3, 64; st.shared.b32 [%r2+" + number(256 * i) + "], %r3;\n";
  std::vector<uint32_t> result = words(parts, wide, 512);
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t column = 0; column < 32; ++column) {
      uint32_t place = 32 * row + 4 * unitPlaces[row % 8][column / 4] + column % 4;
      EXPECT_EQ(result[32 * row + column], place + 7) << row << " " << column;
    }
}

TEST_F(BulkStoreTest, RowsOfBytes) {
  Parts parts;
  parts.store = "cp.async.bulk.global.shared::cta.bulk_group [%rd2+16], [tile+32], 48;\n";
  std::vector<uint32_t> result = words(parts);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(result[i], i >= 4 && i < 16 ? i + 4 + 7 : ~0u);
}

TEST_F(BulkStoreTest, FencesAndBarriers) {
  auto with = [&](auto change) {
    Parts parts;
    change(parts);
    return problem(parts);
  };
  EXPECT_EQ(with([](Parts &) {}), "");
  EXPECT_EQ(with([](Parts &p) { p.fence = "fence.proxy.async;"; }), "");
  EXPECT_PART(with([](Parts &p) { p.fence = ""; }), "without a fence.proxy.async");
  EXPECT_PART(with([](Parts &p) { p.fence = "fence.proxy.async.global;"; }),
              "without a fence.proxy.async");
  EXPECT_PART(with([](Parts &p) { std::swap(p.fence, p.write); }), "without a fence.proxy.async");
  EXPECT_PART(with([](Parts &p) { std::swap(p.fence, p.barrier); }), "without a fence.proxy.async");
  EXPECT_NE(with([](Parts &p) { p.barrier = ""; }), "");
  EXPECT_NE(with([](Parts &p) { p.barrier = "bar.warp.sync -1;"; }), "");
  EXPECT_NE(with([](Parts &p) { p.others = ""; }), ""); // all threads store the same
}

TEST_F(BulkStoreTest, Waits) {
  auto with = [&](const std::string &wait, const std::string &after = "", bool commits = true) {
    Parts parts;
    parts.wait = wait;
    parts.after = after;
    if (!commits)
      parts.commit = "";
    return problem(parts);
  };
  const std::string whole = "cp.async.bulk.wait_group 0;\n";
  const std::string read = "cp.async.bulk.wait_group.read 0;\n";
  const std::string reuse = "st.shared.b32 [tile], %r0;\n", use = "ld.global.b32 %r5, [%rd2];\n";
  // What is stored is there when the kernel ends, if shared memory was read before.
  EXPECT_EQ(with(read), "");
  EXPECT_EQ(with(read, reuse), "");
  EXPECT_EQ(with(whole, reuse + use), "");
  EXPECT_EQ(with(read + whole, use), "");
  EXPECT_PART(with(""), "it ends before this copy has read shared memory");
  EXPECT_PART(with(whole, "", false), "it ends before this copy has read shared memory");
  EXPECT_PART(with("cp.async.bulk.wait_group 1;\n"), "it ends before this copy has read");
  EXPECT_PART(with("", reuse + whole), "that a bulk copy reads and whose end it does not know of");
  EXPECT_PART(with(read, use), "that a bulk copy writes and whose end it does not know of");
  EXPECT_PART(with("cp.async.bulk.wait_group 1;\n", use), "that a bulk copy writes");
  // Another thread must hear of the end.
  Parts parts;
  parts.others = "setp.ne.u32 %p1, %r0, 0; @%p1 bra J;\n";
  parts.after = "J: bar.sync 0; setp.ne.u32 %p2, %r0, 63; @%p2 ret;\n" + reuse + use;
  EXPECT_EQ(problem(parts), "");
  parts.wait = read;
  EXPECT_PART(problem(parts), "that a bulk copy writes");
  parts.after = "J: setp.ne.u32 %p2, %r0, 63; @%p2 ret;\n" + reuse;
  EXPECT_NE(problem(parts), "");
}

} // namespace
