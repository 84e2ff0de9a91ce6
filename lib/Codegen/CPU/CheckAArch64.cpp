//===- CheckAArch64.cpp - what an AArch64 machine has ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The registers that identify a processor are the system's. Linux (4.11 and later) reads them for a
// process, and says what all cores have and the system keeps. getauxval would need a libc, which
// the code otherwise does without, and a new bit for what a register names anyway.
//
//===----------------------------------------------------------------------------------------===//

#include "CheckWriter.h"

#include <map>

using namespace mlir;
using namespace weft;

/// The register's name by its encoding, so that any assembler knows it.
static StringRef getRegister(FeatureWord word) {
  switch (word) {
  case FeatureWord::ProcessorFeatures0:
    return "S3_0_C0_C4_0";
  case FeatureWord::VectorFeatures0:
    return "S3_0_C0_C4_4";
  case FeatureWord::Instructions0:
    return "S3_0_C0_C6_0";
  case FeatureWord::Instructions1:
    return "S3_0_C0_C6_1";
  case FeatureWord::Instructions2:
    return "S3_0_C0_C6_2";
  case FeatureWord::Instructions3:
    return "S3_0_C0_C6_3";
  default:
    llvm_unreachable("a word of CPUID");
  }
}

void weft::requireOfAArch64(CheckWriter &writer, ArrayRef<ProcessorFeature> features) {
  std::map<FeatureWord, std::map<unsigned, unsigned>> words; // the least number of each field
  for (const ProcessorFeature &feature : features) {
    unsigned &least = words[feature.word][feature.bit];
    least = std::max(least, feature.least);
  }
  for (const auto &[word, fields] : words) {
    Value all =
        writer.assembly(writer.b.getI64Type(), {}, ("mrs $0, " + getRegister(word)).str(), "=r");
    for (auto [bit, least] : fields) {
      // The field at the top: what is below it is less than one. Floating point and vectors have
      // 15, which is -1, for none at all; other fields have no signs.
      bool isSigned = word == FeatureWord::ProcessorFeatures0 && bit < 24;
      unsigned places = 60 - bit;
      Value field = LLVM::ShlOp::create(writer.b, writer.loc, all, writer.constant(64, places));
      writer.goOnIf(isSigned ? LLVM::ICmpPredicate::sge : LLVM::ICmpPredicate::uge, field,
                    writer.constant(64, int64_t(least) << 60));
    }
  }
}
