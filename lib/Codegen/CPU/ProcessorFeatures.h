//===- ProcessorFeatures.h - what a processor may lack ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_PROCESSORFEATURES_H
#define WEFT_LIB_CODEGEN_CPU_PROCESSORFEATURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace weft {

/// The words in which a machine says what it has: answers of CPUID, identification registers.
enum class FeatureWord {
  Leaf1Ecx,
  Leaf7Ebx,
  Leaf7Ecx,
  Leaf7Edx,
  Leaf71Eax, ///< leaf 7, subleaf 1
  Leaf71Edx,
  ExtendedEcx, ///< leaf 0x80000001
  Leaf24Ebx,   ///< the version of AVX10

  ProcessorFeatures0, ///< of AArch64, from here on: ID_AA64PFR0_EL1
  VectorFeatures0,    ///< ID_AA64ZFR0_EL1
  Instructions0,      ///< ID_AA64ISAR0_EL1, and what follows it
  Instructions1,
  Instructions2,
  Instructions3,
};

/// arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA) of Linux: how a process asks for tiles.
inline constexpr long kArchPrctl = 158, kRequestPermission = 0x1023, kTileData = 18;

/// A feature that a machine may lack and code may use: a number in a word, which is large enough.
struct ProcessorFeature {
  llvm::StringLiteral name; ///< as LLVM calls it
  FeatureWord word;
  /// Of x86-64 a bit, but for versions, which are bytes; of AArch64 the first of four.
  unsigned bit;
  /// The state that the system has to save for it, as bits of XCR0.
  uint32_t state = 0;
  unsigned least = 1;

  /// Whether a process has to ask for it, too.
  bool isOfTiles() const { return name.starts_with("amx-"); }
  bool isOfAArch64() const { return word >= FeatureWord::ProcessorFeatures0; }
};

/// Those that LLVM's code generator uses by itself, of x86-64 and of AArch64, and the units of
/// tiles.
llvm::ArrayRef<ProcessorFeature> getProcessorFeatures();

} // namespace weft

#endif
