//===- ProcessorFeatures.cpp - what a processor may lack --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProcessorFeatures.h"

using namespace weft;

// XCR0: the registers whose content the system keeps when it changes threads.
static constexpr uint32_t kXmm = 0x2, kYmm = 0x4 | kXmm, kZmm = 0xe0 | kYmm, kTiles = 0x60000,
                          kMoreRegisters = 0x80000;

using Word = FeatureWord;

// A field of four bits.
static constexpr ProcessorFeature field(llvm::StringLiteral name, Word word, unsigned bit,
                                        unsigned least = 1) {
  return {name, word, bit, /*state=*/0, least};
}

static constexpr ProcessorFeature features[] = {
    {"sse3", Word::Leaf1Ecx, 0, 0},
    {"ssse3", Word::Leaf1Ecx, 9, 0},
    {"fma", Word::Leaf1Ecx, 12, kYmm},
    {"sse4.1", Word::Leaf1Ecx, 19, 0},
    {"sse4.2", Word::Leaf1Ecx, 20, 0},
    {"movbe", Word::Leaf1Ecx, 22, 0},
    {"popcnt", Word::Leaf1Ecx, 23, 0},
    {"avx", Word::Leaf1Ecx, 28, kYmm},
    {"f16c", Word::Leaf1Ecx, 29, kYmm},
    {"bmi", Word::Leaf7Ebx, 3, 0},
    {"avx2", Word::Leaf7Ebx, 5, kYmm},
    {"bmi2", Word::Leaf7Ebx, 8, 0},
    {"avx512f", Word::Leaf7Ebx, 16, kZmm},
    {"avx512dq", Word::Leaf7Ebx, 17, kZmm},
    {"avx512ifma", Word::Leaf7Ebx, 21, kZmm},
    {"avx512cd", Word::Leaf7Ebx, 28, kZmm},
    {"avx512bw", Word::Leaf7Ebx, 30, kZmm},
    {"avx512vl", Word::Leaf7Ebx, 31, kZmm},
    {"avx512vbmi", Word::Leaf7Ecx, 1, kZmm},
    {"avx512vbmi2", Word::Leaf7Ecx, 6, kZmm},
    {"gfni", Word::Leaf7Ecx, 8, 0},
    {"avx512vnni", Word::Leaf7Ecx, 11, kZmm},
    {"avx512bitalg", Word::Leaf7Ecx, 12, kZmm},
    {"avx512vpopcntdq", Word::Leaf7Ecx, 14, kZmm},
    {"avx512fp16", Word::Leaf7Edx, 23, kZmm},
    {"avxvnni", Word::Leaf71Eax, 4, kYmm},
    {"avx512bf16", Word::Leaf71Eax, 5, kZmm},
    {"avxifma", Word::Leaf71Eax, 23, kYmm},
    {"avxvnniint8", Word::Leaf71Edx, 4, kYmm},
    {"avxneconvert", Word::Leaf71Edx, 5, kYmm},
    {"avxvnniint16", Word::Leaf71Edx, 10, kYmm},
    {"avx10.1", Word::Leaf71Edx, 19, kZmm},
    {"avx10.2", Word::Leaf24Ebx, 0, kZmm, /*least=*/2},
    {"egpr", Word::Leaf71Edx, 21, kMoreRegisters},
    {"lzcnt", Word::ExtendedEcx, 5, 0},
    {"sse4a", Word::ExtendedEcx, 6, 0},
    {"xop", Word::ExtendedEcx, 11, kYmm},
    {"fma4", Word::ExtendedEcx, 16, kYmm},
    {"tbm", Word::ExtendedEcx, 21, 0},
    {"amx-bf16", Word::Leaf7Edx, 22, kTiles},
    {"amx-tile", Word::Leaf7Edx, 24, kTiles},
    {"amx-int8", Word::Leaf7Edx, 25, kTiles},
    {"amx-fp16", Word::Leaf71Eax, 21, kTiles},

    // What not every AArch64 machine with floating point and vectors has. Of what is for
    // cryptography code has the exclusive ors of three alone, which are sha3's; atomics of 128 bits
    // (lse2, lse128) it has none.
    field("fullfp16", Word::ProcessorFeatures0, 20),
    field("sve", Word::ProcessorFeatures0, 32),
    field("sve2", Word::VectorFeatures0, 0),
    field("sve2p1", Word::VectorFeatures0, 0, 2),
    field("sve-b16b16", Word::VectorFeatures0, 24),
    field("lse", Word::Instructions0, 20, 2),
    field("rdm", Word::Instructions0, 28),
    field("sha3", Word::Instructions0, 32),
    field("dotprod", Word::Instructions0, 44),
    field("fp16fml", Word::Instructions0, 48),
    field("flagm", Word::Instructions0, 52),
    field("altnzcv", Word::Instructions0, 52, 2),
    field("complxnum", Word::Instructions1, 16),
    field("rcpc", Word::Instructions1, 20),
    field("rcpc-immo", Word::Instructions1, 20, 2),
    field("rcpc3", Word::Instructions1, 20, 3),
    field("fptoint", Word::Instructions1, 32),
    field("bf16", Word::Instructions1, 44),
    field("i8mm", Word::Instructions1, 52),
    field("mops", Word::Instructions2, 16),
    field("hbc", Word::Instructions2, 20),
    field("cssc", Word::Instructions2, 52),
    field("cmpbr", Word::Instructions2, 52, 2),
    field("faminmax", Word::Instructions3, 4),
    field("lsfe", Word::Instructions3, 16),
    field("fprcvt", Word::Instructions3, 28),
};

llvm::ArrayRef<ProcessorFeature> weft::getProcessorFeatures() { return features; }
