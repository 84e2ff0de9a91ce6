//===- BulkKernel.h - a kernel that loads a box of a tensor ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_EMULATOR_BULKKERNEL_H
#define WEFT_TEST_UNIT_EMULATOR_BULKKERNEL_H

#include "EmulatorTest.h"

namespace weft::test {

using emulator::TensorMap;

// Registers as kernelText has them; %rd3 is the map, %r10 and following its coordinates.
inline std::string kernelOfMap(const std::string &body, const std::vector<int> &coordinates,
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

inline constexpr const char *memory =
    ".shared .align 1024 .b8 tile[16384];\n.shared .align 8 .b64 full;\n";

// The tile's first bytes, copied to the output by one thread.
inline std::string copyOut(uint64_t bytes) {
  return "mov.b32 %r1, 0; mov.b32 %r2, tile; mov.b64 %rd5, %rd2;\n"
         "C: add.s32 %r3, %r2, %r1; ld.shared.b32 %r4, [%r3]; st.global.b32 [%rd5], %r4;\n"
         "add.s64 %rd5, %rd5, 4; add.s32 %r1, %r1, 4; setp.lt.u32 %p2, %r1, " +
         number(bytes) + "; @%p2 bra C;\n";
}

// [to], [map, {...}], [barrier] of a rank.
inline std::string loadOf(uint32_t rank, const std::string &to = "tile") {
  std::string list;
  for (uint32_t i = 0; i < rank; ++i)
    list += (i ? ", %r" : "%r") + number(10 + i);
  return "cp.async.bulk.tensor." + number(rank) +
         "d.shared::cluster.global.mbarrier::complete_tx::bytes [" + to + "], [%rd3, {" + list +
         "}], [full];\n";
}

inline const std::string start = "mbarrier.init.shared.b64 [full], 1;\n";
inline const std::string startFence = "fence.mbarrier_init.release.cluster;\n";
inline std::string expectBytes(uint64_t bytes) {
  return "mbarrier.arrive.expect_tx.shared.b64 _, [full], " + number(bytes) + ";\n";
}
inline const std::string await =
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [full], 0;\n@!%p1 bra W;\n";

class BulkTest : public EmulatorTest {
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

} // namespace weft::test

#endif // WEFT_TEST_UNIT_EMULATOR_BULKKERNEL_H
