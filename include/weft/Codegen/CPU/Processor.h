//===- Processor.h - what code generation asks of a CPU ------------------------------------===//
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

#ifndef WEFT_CODEGEN_CPU_PROCESSOR_H
#define WEFT_CODEGEN_CPU_PROCESSOR_H

#include "weft/Target/TargetBackend.h"

namespace weft {

/// Whether code uses a unit: by its instructions, or by loops that compute the same.
enum class UnitUse { None, Native, Plain };

/// A processor, as far as kernels depend on it.
struct Processor {
  Machine machine; ///< for LLVM
  /// What not every machine of the architecture has and code may use, as LLVM calls it: what is
  /// checked before it runs. What units need beyond it the code's module says.
  std::vector<std::string> features;

  /// f32 lanes of a vector register: 16, 8 or 4; 1 means scalar code.
  unsigned vectorWidth = 1;
  /// How many vector registers there are.
  unsigned numVectorRegisters = 16;
  /// Tiles of bf16 and codes (AMX); dot products of pairs (AVX-512 BF16) where they are no slower
  /// than the multiply-adds they replace; those of codes (VNNI, of AVX-512 or AVX).
  UnitUse tiles = UnitUse::None, dots = UnitUse::None, codeDots = UnitUse::None;
  /// Whether it rounds to bf16 (AVX-512 BF16), permutes the numbers of a register (AVX2), and
  /// scales by powers of two (AVX-512).
  bool rounds = false, looksUp = false, scales = false;
  /// Whether it adds up products of words of 16 bits in registers of `vectorWidth` (`pmaddwd`).
  bool multipliesWords = false;
  /// Products of bytes added up in words (`pmaddubsw`), where it has no dots of codes.
  UnitUse words = UnitUse::None;
  /// Fewer rows read a panel no slower, or faster, without hints: AMD's cores fetch one stream of
  /// lines by themselves, and lose a quarter of their rate where hints name the same lines. Without
  /// dots that is so of f32 and codes of 8 bits alone.
  int64_t fetchRows = 1;
  /// Bytes of the second data cache of one core.
  int64_t l2Bytes = 1 << 20;
};

/// The processor that `march` names for `triple` (empty: the machine weftc runs on). `march` is
/// `native` (by the processor's features, never by its name), `x86-64`, `x86-64-v2` to
/// `x86-64-v4`, or a processor that LLVM knows ("znver4", "neoverse-n1"); empty is `native` where
/// the triple is the host's, otherwise the architecture's baseline. The error names the flag.
llvm::Expected<Processor> resolveProcessor(llvm::StringRef triple, llvm::StringRef march);

/// The backend for that processor; with `plainUnits` plain loops are written for its units, and for
/// all there are if `march` names no processor.
llvm::Expected<std::unique_ptr<TargetBackend>>
createCPUBackend(llvm::StringRef triple, llvm::StringRef march, bool plainUnits = false);

} // namespace weft

#endif
