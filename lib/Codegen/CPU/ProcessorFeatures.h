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

/// The words in which an x86-64 machine says what it has.
enum class FeatureWord {
  Leaf1Ecx,
  Leaf7Ebx,
  Leaf7Ecx,
  Leaf7Edx,
  Leaf71Eax, ///< leaf 7, subleaf 1
  Leaf71Edx,
  ExtendedEcx, ///< leaf 0x80000001
};

/// A feature that a machine may lack and code may use.
struct ProcessorFeature {
  llvm::StringLiteral name; ///< as LLVM calls it
  FeatureWord word;
  unsigned bit;
  /// The state that the system has to save for it, as bits of XCR0.
  uint32_t state;

  /// Whether a process has to ask for it, too.
  bool isOfTiles() const { return name.starts_with("amx-"); }
};

/// Of x86-64: those that LLVM's code generator uses by itself, and the units of tiles.
llvm::ArrayRef<ProcessorFeature> getProcessorFeatures();

} // namespace weft

#endif
