//===- WarpgroupKernel.h - a kernel of one product of a warpgroup ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Matrices are laid out in shared memory by the manual's pictures of core matrices (PTX ISA
// 9.7.15.5.1.2) and its tables of swizzles.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_EMULATOR_WARPGROUPKERNEL_H
#define WEFT_TEST_UNIT_EMULATOR_WARPGROUPKERNEL_H

#include "EmulatorTest.h"

namespace weft::test {

/// The codes of 0 to 5.
struct Format {
  const char *name;
  int bytes, k;
  uint32_t codes[6];
  uint32_t sign;
};
inline const Format bf16 = {"bf16", 2, 16, {0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0}, 0x8000};
inline const Format f16 = {"f16", 2, 16, {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500}, 0x8000};
// The lower 13 bits do not count.
inline const Format tf32 = {
    "tf32", 4, 8, {0xabc, 0x3f800abc, 0x40000001, 0x40400000, 0x40801fff, 0x40a00000}, 0x80000000};
inline const Format e4m3 = {"e4m3", 1, 32, {0, 0x38, 0x40, 0x44, 0x48, 0x4a}, 0x80};
inline const Format e5m2 = {"e5m2", 1, 32, {0, 0x3c, 0x40, 0x42, 0x44, 0x45}, 0x80};
inline const Format s8 = {"s8", 1, 32, {0, 0xff, 0xfe, 0xfd, 0xfc, 0xfb}, 0}; // of 0 to -5
inline const Format u8 = {"u8", 1, 32, {250, 251, 252, 253, 254, 255}, 0};

/// A value and its code, different in every place.
inline int valueOf(const Format &format, int seed, int row, int k) {
  int value = (seed + 7 * row + 3 * k) % 11 - 5, size = std::abs(value);
  if (!format.sign)
    return format.codes[0] ? 250 + size : -size;
  return value;
}
inline uint32_t codeOf(const Format &format, int seed, int row, int k) {
  int value = (seed + 7 * row + 3 * k) % 11 - 5;
  return format.codes[std::abs(value)] | (value < 0 ? format.sign : 0);
}

/// How a matrix lies in shared memory: the span of its swizzle, 0 for none, and whether rows lie
/// side by side. `step`: which part of 32 bytes of a row of the swizzle, for rows of k.
struct Layout {
  int span = 0;
  bool transposed = false;
  int step = 0;
  int firstLine = 0; ///< of 128 bytes: where the tile and its pattern start

  /// The distance of an element from the tile's start.
  int place(const Format &format, int row, int k) const {
    if (span == 0) { // core matrices of 128 bytes, those of the other k behind all of a k
      int major = (transposed ? row : k) * format.bytes, minor = transposed ? k : row;
      int core =
          transposed ? row * format.bytes / 16 * 2 + k / 8 : k * format.bytes / 16 * 32 + row / 8;
      return core * 128 + minor % 8 * 16 + major % 16;
    }
    int byte = (transposed ? row : k) * format.bytes + step * 32, line = transposed ? k : row;
    int block = byte / span; // 16 lines of a transposed matrix
    int unit = byte % span / 16;
    int swizzled = span == 128  ? unit ^ line % 8
                   : span == 64 ? unit ^ line / 2 % 4
                                : unit ^ line / 4 % 2;
    return firstLine * 128 + block * 16 * span + line * span + swizzled * 16 + byte % 16;
  }
  /// What a descriptor has besides the address.
  uint64_t descriptor() const {
    uint64_t leading = span == 0 ? (transposed ? 128 : 4096) : transposed ? 16 * span : 16;
    uint64_t stride = span == 0 ? (transposed ? 256 : 128) : 8 * span;
    uint64_t mode = span == 0 ? 0 : span == 128 ? 1 : span == 64 ? 2 : 3;
    return leading >> 4 << 16 | stride >> 4 << 32 | mode << 62 | uint64_t(firstLine) << 49 |
           uint64_t(step * 2 + firstLine * 8);
  }
};

inline constexpr int tileBytes = 32768, threads = 128;

/// A product, and how the parts of its kernel read.
struct Parts {
  std::string factors = ".f32.bf16.bf16", a = "%rd5", tail = ", 1, 1, 0, 0";
  int n = 16, k = 16, sums = 8;
  std::string proxy = "fence.proxy.async;\n", barrier = "bar.sync 0;\n";
  std::string fence = "wgmma.fence.sync.aligned;\n", adds = "0", before, between;
  std::string commit = "wgmma.commit_group.sync.aligned;\n";
  std::string wait = "wgmma.wait_group.sync.aligned 0;\n", after;
  Layout layoutA{128}, layoutB{128};

  std::string product() const {
    std::string list;
    for (int i = 0; i < sums; ++i)
      list += (i ? ", %d" : "%d") + number(i);
    return "wgmma.mma_async.sync.aligned.m64n" + number(n) + "k" + number(k) + factors + " {" +
           list + "}, " + a + ", %rd6, " + adds + tail + ";\n";
  }
  // Both tiles are copied to shared memory, D starts as 1.
  std::string text() const {
    std::string start, end;
    for (int i = 0; i < sums; ++i) {
      start += "mov.b32 %d" + number(i) + ", %r9;\n";
      end += "st.global.b32 [%rd8+" + number(4 * i) + "], %d" + number(i) + ";\n";
    }
    return ".version 8.0\n.target sm_90a\n.address_size 64\n"
           ".visible .entry f(.param .u64 p0, .param .u64 p1) .maxntid 128 {\n"
           ".reg .pred %p<9>; .reg .b32 %r<40>, %a<4>, %d<128>; .reg .b64 %rd<20>;\n"
           ".shared .align 1024 .b8 tiles[65536];\n"
           "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r0, %tid.x;\n"
           "mul.wide.u32 %rd3, %r0, 16; add.s64 %rd3, %rd1, %rd3; shl.b32 %r1, %r0, 4;\n"
           "mov.b32 %r2, tiles; add.s32 %r3, %r2, %r1; mov.b32 %r4, 0;\n"
           "L: ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%rd3];\n"
           "st.shared.v4.b32 [%r3], {%r5, %r6, %r7, %r8};\n"
           "add.s64 %rd3, %rd3, 2048; add.s32 %r3, %r3, 2048; add.s32 %r4, %r4, 2048;\n"
           "setp.lt.u32 %p1, %r4, 65536; @%p1 bra L;\n"
           "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rd3]; ld.global.b32 %r9, [%rd1+67584];\n" +
           proxy + barrier +
           "shr.u32 %r5, %r2, 4; cvt.u64.u32 %rd5, %r5; add.s64 %rd6, %rd5, 2048;\n"
           "add.s64 %rd5, %rd5, " +
           number(layoutA.descriptor()) +
           ";\n"
           "add.s64 %rd6, %rd6, " +
           number(layoutB.descriptor()) +
           ";\n"
           "mul.lo.s32 %r6, %r0, " +
           number(4 * sums) +
           "; cvt.u64.u32 %rd8, %r6;\n"
           "add.s64 %rd8, %rd2, %rd8;\n" +
           start + fence + before + product() + between + commit + wait + after + end + "ret;\n}\n";
  }
};

} // namespace weft::test

#endif // WEFT_TEST_UNIT_EMULATOR_WARPGROUPKERNEL_H
