//===- Layout.h - what compiled code and the machine agree on -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_LAYOUT_H
#define WEFT_LIB_EMULATOR_MACHINE_LAYOUT_H

#include <cstdint>

namespace weft::emulator {

// The windows of generic addresses. An address of the shared or local space is its distance from
// the start of the window. No window is where a program on the host has memory.
inline constexpr uint64_t kSharedWindow = uint64_t(1) << 40;
inline constexpr uint64_t kLocalWindow = uint64_t(2) << 40;
inline constexpr uint64_t kParamWindow = uint64_t(3) << 40;
inline constexpr uint64_t kGlobalWindow = uint64_t(13) << 40;
inline constexpr uint64_t kWindowBytes = uint64_t(1) << 40;

/// Shared memory does not start at address 0, as on sm_90, so that a null pointer is found.
inline constexpr uint64_t kSharedStart = 1024;

/// Strong accesses (.relaxed, .volatile) do not race with each other and with atomics; what is read
/// by .nc (ReadOnly) is constant for the whole launch.
enum class AccessKind : uint32_t { Read, ReadOnly, StrongRead, Write, StrongWrite, Atomic };

inline bool isWrite(AccessKind kind) { return kind >= AccessKind::Write; }
inline bool isStrong(AccessKind kind) {
  return kind == AccessKind::StrongRead || kind >= AccessKind::StrongWrite;
}

/// What compiled code reads of its thread, by offset.
struct ThreadRegisters {
  uint32_t tid[3] = {}, ntid[3] = {}, ctaid[3] = {}, nctaid[3] = {};
  uint32_t lane = 0, warp = 0;
  uint32_t sharedBytes = 0, dynamicSharedBytes = 0;
  uint32_t fences = 0;   ///< wgmma.fence, how many it has passed
  int64_t stepsLeft = 0; ///< jumps backwards until the machine is asked
  const uint8_t *parameters = nullptr;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_LAYOUT_H
