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
};

llvm::ArrayRef<ProcessorFeature> weft::getProcessorFeatures() { return features; }
