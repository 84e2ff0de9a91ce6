//===- TargetInfo.h - what code generation asks of a CPU ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The few facts about the target that decide how a kernel becomes loops. They come from CPUID
// features or from the name given by the user, never from the name of the host's CPU alone.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_CPU_TARGETINFO_H
#define WEFT_CODEGEN_CPU_TARGETINFO_H

#include <cstdint>
#include <string>

namespace weft {

/// A processor, as far as kernels depend on it.
struct TargetInfo {
  std::string triple;   ///< as LLVM spells it; empty: the host's
  std::string cpu;      ///< LLVM's name of the processor, e.g. "x86-64-v3"
  std::string features; ///< LLVM's feature string, e.g. "+avx512f,+fma"

  /// f32 lanes of a vector register: 16, 8 or 4; 1 means scalar code.
  unsigned vectorWidth = 1;
  /// How many vector registers there are.
  unsigned numVectorRegisters = 16;
  /// Bytes of the second data cache of one core.
  int64_t l2Bytes = 1 << 20;
  /// Threads the compiled code may use: 1 means that it never calls `weft_parallel_for`, 0 that
  /// their number is not known.
  unsigned threads = 1;
  /// 0: the plain loop nest of every formula, without vectors and packed weights.
  unsigned optLevel = 2;

  /// Lanes that kernels use: 1 at -O0.
  unsigned getWidth() const { return optLevel == 0 ? 1 : vectorWidth; }
  /// nr, the panel width of packed weights `[ceil(N/nr)][K][nr]`: two registers. 0: do not pack.
  int64_t getPanelWidth() const { return getWidth() == 1 ? 0 : 2 * getWidth(); }
};

} // namespace weft

#endif
