//===- BulkLoadTest.cpp - boxes of tensors into shared memory -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Where elements of a box are is written down from PTX ISA 5.5.6 and the programming guide's tables
// of swizzles; then every part of a right kernel is left out.
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace weft;
using namespace weft::test;

namespace {

using emulator::TensorMap;

std::string number(uint64_t value) { return std::to_string(value); }

// Registers as kernelText has them; %rd3 is the map, %r10 and following its coordinates.
std::string kernelOfMap(const std::string &body, const std::vector<int> &coordinates,
                        const std::string &variables) {
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n" + variables +
      ".visible .entry f(.param .align 64 .b8 m[128], .param .u64 p0, .param .u64 p1) {\n"
      ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n"
      "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r0, %tid.x;\n"
      "mov.b64 %rd3, m; cvta.param.u64 %rd3, %rd3;\n";
  for (size_t i = 0; i < coordinates.size(); ++i)
    text += "mov.b32 %r" + number(10 + i) + ", " + std::to_string(coordinates[i]) + ";\n";
  return text + body + "\nret;\n}\n";
}

constexpr const char *memory =
    ".shared .align 1024 .b8 tile[16384];\n.shared .align 8 .b64 full;\n";

// The tile's first bytes, copied to the output by one thread.
std::string copyOut(uint64_t bytes) {
  return "mov.b32 %r1, 0; mov.b32 %r2, tile; mov.b64 %rd5, %rd2;\n"
         "C: add.s32 %r3, %r2, %r1; ld.shared.b32 %r4, [%r3]; st.global.b32 [%rd5], %r4;\n"
         "add.s64 %rd5, %rd5, 4; add.s32 %r1, %r1, 4; setp.lt.u32 %p2, %r1, " +
         number(bytes) + "; @%p2 bra C;\n";
}

// [to], [map, {...}], [barrier] of a rank.
std::string loadOf(uint32_t rank, const std::string &to = "tile") {
  std::string list;
  for (uint32_t i = 0; i < rank; ++i)
    list += (i ? ", %r" : "%r") + number(10 + i);
  return "cp.async.bulk.tensor." + number(rank) +
         "d.shared::cluster.global.mbarrier::complete_tx::bytes [" + to + "], [%rd3, {" + list +
         "}], [full];\n";
}

const std::string start = "mbarrier.init.shared.b64 [full], 1;\n";
const std::string startFence = "fence.mbarrier_init.release.cluster;\n";
std::string expectBytes(uint64_t bytes) {
  return "mbarrier.arrive.expect_tx.shared.b64 _, [full], " + number(bytes) + ";\n";
}
const std::string await = "W: mbarrier.try_wait.parity.shared.b64 %p1, [full], 0;\n@!%p1 bra W;\n";

class BulkLoadTest : public EmulatorTest {
protected:
  /// Element i of the input's 16-bit words is i + 1.
  static std::vector<uint8_t> counted(size_t bytes) {
    std::vector<uint8_t> input(bytes);
    for (size_t i = 0; i < bytes / 2; ++i) {
      auto value = uint16_t(i + 1);
      std::memcpy(&input[2 * i], &value, 2);
    }
    return input;
  }

  std::string problem(const std::string &body, const TensorMap &map, uint32_t threads = 1,
                      std::vector<int> coordinates = {0, 0, 0, 0, 0}) {
    std::string first;
    for (uint64_t seed = 0; seed < 4 && first.empty(); ++seed) {
      std::vector<uint8_t> output(16384);
      emulator::MachineOptions options;
      options.seed = seed;
      first = run(kernelOfMap(body, coordinates, memory), {{1, 1, 1}, {threads, 1, 1}},
                  counted(16384), output, options, {{map}});
    }
    return first;
  }

  /// Loads the box of 16-bit elements and compares every one of them.
  void check(const TensorMap &map, const std::vector<int> &at) {
    uint64_t bytes = map.boxBytes();
    std::vector<uint8_t> input = counted(1 << 16), output(bytes);
    std::string text = kernelOfMap(start + startFence + expectBytes(bytes) + loadOf(map.rank) +
                                       await + copyOut(bytes),
                                   at, memory);
    ASSERT_EQ(run(text, {}, input, output, {}, {{map}}), "");
    for (uint64_t i = 0; i < bytes / 2; ++i) {
      uint64_t rest = i, place = map.address;
      bool inside = true;
      for (uint32_t d = 0; d < map.rank; ++d) {
        int64_t x = at[d] + int64_t(rest % map.box[d]);
        rest /= map.box[d];
        inside &= x >= 0 && x < int64_t(map.sizes[d]);
        place += uint64_t(x) * map.strides[d];
      }
      uint16_t value, expected = inside ? uint16_t(place / 2 + 1) : 0;
      std::memcpy(&value, &output[whereIs(2 * i, map.swizzle)], 2);
      EXPECT_EQ(value, expected) << "element " << i;
    }
  }

  // The tables of the guide: in rows of 128, 64 or 32 bytes, unit `c` of row `r` changes places
  // with another unit of the same row.
  static uint64_t whereIs(uint64_t byte, uint32_t span) {
    if (span == 0)
      return byte;
    uint64_t row = byte / span, unit = byte % span / 16;
    uint64_t other = span == 128 ? row % 8 : span == 64 ? row / 2 % 4 : row / 4 % 2;
    return row * span + (unit ^ other) * 16 + byte % 16;
  }

  static TensorMap matrix(uint32_t columns, uint32_t rows, uint32_t boxColumns, uint32_t boxRows,
                          uint32_t swizzle = 0) {
    TensorMap map;
    map.rank = 2;
    map.elementBytes = 2;
    map.sizes = {columns, rows};
    map.strides = {2, (2 * columns + 15) / 16 * 16};
    map.box = {boxColumns, boxRows};
    map.swizzle = swizzle;
    return map;
  }
};

TEST_F(BulkLoadTest, Boxes) {
  check(matrix(64, 32, 16, 8), {0, 0});
  check(matrix(64, 32, 16, 8), {24, 5});
  check(matrix(64, 32, 8, 1), {56, 31});
  TensorMap vector;
  vector.rank = 1;
  vector.elementBytes = 2;
  vector.sizes = {300};
  vector.strides = {2};
  vector.box = {256};
  check(vector, {16});
  TensorMap volume = matrix(40, 12, 24, 3);
  volume.rank = 5;
  volume.sizes = {40, 12, 3, 4, 2};
  volume.strides = {2, 96, 1152, 16, 8192}; // in any order, and overlapping
  volume.box = {24, 3, 2, 4, 2};
  check(volume, {8, 4, 1, 0, 0});
}

TEST_F(BulkLoadTest, OutsideIsZero) {
  check(matrix(44, 20, 16, 8), {32, 15});
  check(matrix(44, 20, 16, 8), {-5, -3});
  check(matrix(44, 20, 16, 8), {100, 0});
  check(matrix(44, 20, 16, 8), {0, -8});
  check(matrix(3, 20, 16, 8), {-1, 0});
  TensorMap volume = matrix(44, 5, 64, 4, 128);
  volume.rank = 3;
  volume.sizes[2] = 3;
  volume.strides[2] = 640;
  volume.box[2] = 2;
  check(volume, {-9, 3, 2});
}

TEST_F(BulkLoadTest, Swizzles) {
  check(matrix(200, 40, 64, 24, 128), {64, 3});
  check(matrix(200, 40, 32, 24, 64), {64, 3});
  check(matrix(200, 40, 16, 24, 32), {64, 3});
  check(matrix(200, 40, 16, 40, 32), {190, 20});
}

TEST_F(BulkLoadTest, RowsOfBytes) {
  std::vector<uint8_t> output(64), input = counted(256);
  std::string text = kernelOfMap(
      start + startFence + expectBytes(64) +
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1+32], "
          "64, [full];\n" +
          await + copyOut(64),
      {}, memory);
  ASSERT_EQ(run(text, {}, input, output, {}, {{matrix(64, 2, 8, 1)}}), "");
  EXPECT_EQ(output, std::vector<uint8_t>(input.begin() + 32, input.begin() + 96));
}

TEST_F(BulkLoadTest, WaitsAndBytes) {
  TensorMap map = matrix(64, 32, 16, 8);
  const std::string load = loadOf(2), out = copyOut(256), bytes = expectBytes(256);
  const std::string first = start + startFence;
  EXPECT_EQ(problem(first + bytes + load + await + out, map), "");
  EXPECT_EQ(problem(first + "mbarrier.expect_tx.relaxed.cta.shared.b64 [full], 256;\n" + load +
                        "mbarrier.arrive.shared.b64 _, [full];\n" + await + out,
                    map),
            "");
  // The copy may begin before it is announced.
  EXPECT_EQ(problem(first + load + bytes + await + out, map), "");
  EXPECT_PART(problem(first + bytes + load + out, map),
              "that a bulk copy writes and whose end it does not know of");
  // A question is no wait.
  EXPECT_PART(
      problem(first + bytes + load + "mbarrier.try_wait.parity.shared.b64 %p1, [full], 0;\n" + out,
              map),
      "that a bulk copy writes and whose end it does not know of");
  EXPECT_PART(problem(first + bytes + load, map), "the block ends while this copy");
  EXPECT_PART(problem(first + bytes + load + "mbarrier.inval.shared.b64 [full];", map),
              "given up while bulk copies");
  // Bytes that are not announced, too few, too many.
  EXPECT_PART(problem(first + "mbarrier.arrive.shared.b64 _, [full];" + load + await + out, map),
              "that a bulk copy writes and whose end it does not know of");
  EXPECT_PART(problem(first + load + "mbarrier.arrive.shared.b64 _, [full];" + await + out, map),
              "bulk copies of 256 bytes to an mbarrier that expects 0");
  EXPECT_PART(problem(first + expectBytes(240) + load + await + out, map),
              "bulk copies of 256 bytes to an mbarrier that expects 240");
  EXPECT_PART(problem(first + expectBytes(512) + load + await + out, map),
              "misses 0 arrivals and 256 bytes");
  EXPECT_PART(problem(first + bytes + load + load + await + out, map), "that a bulk copy writes");
  EXPECT_PART(problem(first + load + await + out, map), "misses 1 arrivals and -256 bytes");
}

TEST_F(BulkLoadTest, OtherThreadsWaitToo) {
  TensorMap map = matrix(64, 32, 16, 8);
  auto with = [&](const std::string &others) {
    return problem("setp.ne.u32 %p4, %r0, 0; @%p4 bra J;\n" + start + startFence +
                       "J: bar.sync 0; @%p4 bra O;\n" + expectBytes(256) + loadOf(2) + "O:\n" +
                       others + "setp.ne.u32 %p5, %r0, 63; @%p5 ret;\n" + copyOut(256),
                   map, 64);
  };
  EXPECT_EQ(with(await), "");
  EXPECT_EQ(with("@%p4 bra N;\n" + await + "N: bar.sync 0;"), "");
  EXPECT_NE(with("@%p4 bra N;\n" + await + "N:"), "");
}

TEST_F(BulkLoadTest, Fences) {
  TensorMap map = matrix(64, 32, 16, 8);
  const std::string load = loadOf(2) + await + copyOut(256), bytes = expectBytes(256);
  EXPECT_PART(problem(start + bytes + load, map), "without a fence.mbarrier_init");
  EXPECT_EQ(problem(start + "fence.proxy.async;" + bytes + load, map), "");
  EXPECT_EQ(problem(start + "fence.proxy.async.shared::cta;" + bytes + load, map), "");
  EXPECT_PART(problem(start + "fence.proxy.async.global;" + bytes + load, map),
              "without a fence.mbarrier_init");
  // What the copy overwrites or reads was written by the thread.
  const std::string inTile = start + startFence + bytes + "st.shared.b32 [tile+4], %r0;";
  EXPECT_PART(problem(inTile + load, map), "without a fence.proxy.async");
  EXPECT_PART(problem(inTile + startFence + load, map), "without a fence.proxy.async");
  EXPECT_EQ(problem(inTile + "fence.proxy.async.shared::cta;" + load, map), "");
  const std::string inGlobal = start + startFence + bytes + "st.global.b32 [%rd1+4], %r0;";
  EXPECT_PART(problem(inGlobal + load, map), "without a fence.proxy.async");
  EXPECT_PART(problem(inGlobal + "fence.proxy.async.shared::cta;" + load, map),
              "without a fence.proxy.async");
  EXPECT_EQ(problem(inGlobal + "fence.proxy.async.global;" + load, map), "");
  // The one who writes has to pass the fence, and the other one to know of it.
  auto byOther = [&](const std::string &writer, const std::string &issuer) {
    return problem("setp.ne.u32 %p4, %r0, 0; @%p4 bra J;\n" + start + startFence + bytes +
                       "bra K;\nJ: setp.ne.u32 %p5, %r0, 32; @%p5 bra K; st.shared.b32 [tile], "
                       "%r0;\n" +
                       writer + "K: bar.sync 0; @%p4 ret;\n" + issuer + load,
                   map, 64);
  };
  EXPECT_EQ(byOther("fence.proxy.async;", ""), "");
  EXPECT_PART(byOther("", "fence.proxy.async;"), "after thread 32 wrote them without a fence");
}

TEST_F(BulkLoadTest, WrongMapsAndPlaces) {
  TensorMap map = matrix(64, 32, 16, 8), wide = matrix(4096, 32, 16, 8);
  const std::string first = start + startFence + expectBytes(256);
  EXPECT_PART(problem(first + loadOf(3), map), "a copy of 3 dimensions by a map of 2");
  EXPECT_PART(problem(first + loadOf(2, "tile+64"), map), "no multiple of 128");
  EXPECT_PART(problem(first + loadOf(2, "tile+16256"), map), "of shared memory");
  EXPECT_PART(problem(first + loadOf(2), wide), "outside every allocation");
  EXPECT_PART(problem(first + "add.s64 %rd3, %rd3, 8;" + loadOf(2), map), "no multiple of 64");
  EXPECT_PART(problem(first + "mov.b64 %rd3, %rd1;" + loadOf(2), map), "there is no tensor map at");
  EXPECT_PART(problem("prefetch.tensormap [%rd1];", map), "there is no tensor map at");
  EXPECT_EQ(problem("prefetch.tensormap [%rd3];", map), "");
  EXPECT_PART(problem(first + "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                              "complete_tx::bytes.multicast::cluster [tile], [%rd3, {%r10, %r11}], "
                              "[full], %r1;",
                      map),
              "clusters of several blocks are not known");
  EXPECT_PART(problem(first + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                              "[tile], [%rd1+8], 64, [full];",
                      map),
              "multiples of 16 are expected");
}

TEST_F(BulkLoadTest, BadMaps) {
  auto problemOf = [](auto change) {
    TensorMap map = matrix(64, 32, 16, 8);
    change(map);
    return emulator::findBadTensorMap(map);
  };
  EXPECT_EQ(problemOf([](TensorMap &) {}), "");
  EXPECT_PART(problemOf([](TensorMap &m) { m.rank = 6; }), "1 to 5 dimensions");
  EXPECT_PART(problemOf([](TensorMap &m) { m.address = 8; }), "no multiple of 16");
  EXPECT_PART(problemOf([](TensorMap &m) { m.sizes[1] = 0; }), "1 to 2^32 elements");
  EXPECT_PART(problemOf([](TensorMap &m) { m.strides[1] = 120; }), "a multiple of 16 bytes");
  EXPECT_PART(problemOf([](TensorMap &m) { m.box[1] = 257; }), "1 to 256 elements");
  EXPECT_PART(problemOf([](TensorMap &m) { m.box[0] = 12; }), "a multiple of 16 is expected");
  EXPECT_PART(problemOf([](TensorMap &m) { m.box[0] = 128, m.swizzle = 128; }), "at most 128");
  EXPECT_PART(problemOf([](TensorMap &m) { m.swizzle = 128; }), "is not known here");
}

} // namespace
