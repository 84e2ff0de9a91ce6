//===- HeaderTest.cpp - the C header of a compiled model ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Set HEADER_OUT to a file name to see the header of the test's model; header.test compiles it.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Target/Header.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace weft;

namespace {

ModelDescription makeModel() {
  ModelDescription model;
  model.name = "tiny";
  model.compiler = "weftc 0.1";
  model.target = "x86-64-v3";
  model.weightsBytes = int64_t(5) << 30;
  model.parameterCount = 1342177280;
  model.peakBytes = model.weightsBytes + 4096;
  model.threaded = true;
  model.symbols = {{"T", 1024}, {"S", 512}, {"unused", 7}};
  EntryDescription entry;
  entry.name = "logits";
  entry.scratchBytes = 4096;
  entry.inputs = {{"input_ids", ElementType::I32, {-1}, {0}, false, 0, 50257},
                  {"memory", ElementType::F32, {-1, 16}, {1, -1}},
                  {"attention.mask", ElementType::Bool, {-1}, {0}, true, 1, 0},
                  {"scratch", ElementType::F32, {}, {}},
                  {"positions", ElementType::I32, {-1}, {0}, true, 0, 1024, true}};
  entry.outputs = {{"float", ElementType::F32, {-1, 50257}, {0, -1}}};
  entry.flops = {{0, 1e6, 1e3}, 0};
  model.entries.push_back(entry);
  return model;
}

std::string headerOf(const ModelDescription &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeHeader(model, os);
  return text;
}

void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
}

TEST(Header, TypedPrototypeAndComments) {
  std::string text = headerOf(makeModel());
  expectContains(text, "int tiny_logits(const void *weights,\n"
                       "                void *scratch,\n"
                       "                int64_t T,\n"
                       "                int64_t S,\n"
                       "                const int32_t *input_ids,\n"
                       "                const float *memory,\n"
                       "                const uint8_t *attention_mask,\n"
                       "                const float *scratch_,\n"
                       "                const int32_t *positions,\n"
                       "                float *float_);\n");
  expectContains(text, "T               from 1 to tiny_T_max\n");
  expectContains(text, "input_ids       in: int32_t [T], each from 0 to 50256\n");
  expectContains(text, "attention_mask  in: uint8_t [T], each 0 or 1; null: all 1\n");
  expectContains(text, "scratch_        in: float, one\n");
  expectContains(text, "positions       in: int32_t [T], each from 0 to 1023; null: computed\n");
  expectContains(text, "float_          out: float [T, 50257]\n");
  expectContains(text, "About 2.07 GFLOP at T = 1024.");
}

TEST(Header, LargeSizesAreMacros) {
  std::string text = headerOf(makeModel());
  expectContains(text, "  tiny_T_max = 1024,\n");
  expectContains(text, "  tiny_logits_scratch_bytes = 4096,\n");
  expectContains(text, "#define tiny_weights_bytes INT64_C(5368709120)\n");
}

TEST(Header, Identifiers) {
  EXPECT_EQ(cIdentifier("a.b-c"), "a_b_c");
  EXPECT_EQ(cIdentifier("2d"), "_2d");
  EXPECT_EQ(cIdentifier("class"), "class_");
  EXPECT_EQ(cIdentifier(""), "_");
}

TEST(Header, WrittenForTheCompilerTest) {
  if (const char *path = std::getenv("HEADER_OUT")) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    ASSERT_FALSE(error);
    os << headerOf(makeModel());
  }
}

} // namespace
