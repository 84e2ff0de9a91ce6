//===- PredictionTest.cpp - what is counted of a kernel's PTX -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Prediction/GpuRoofline.h"

#include "gtest/gtest.h"

#include <sstream>

using namespace weft;

static constexpr int kTimes = 64;

/// The cycles in which instructions begin, of one block of a warp that does the same many times.
static double getIssueCycles(const std::string &body) {
  std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k(.param .u64 k_param_0)\n{\n"
                     ".reg .b32 %r<5>;\n.reg .b64 %rd<2>;\n"
                     "ld.param.u64 %rd1, [k_param_0];\nld.global.b32 %r1, [%rd1];\n";
  for (int i = 0; i != kTimes; ++i) {
    std::string copy = body;
    for (size_t at = 0; (at = copy.find('#', at)) != std::string::npos;)
      copy.replace(at, 1, std::to_string(i));
    text.insert(text.find(".reg .b32"),
                ".reg .b32 %a" + std::to_string(i) + ", %b" + std::to_string(i) + ";\n");
    text += copy;
  }
  text += "ret;\n}\n";
  GpuProgram program{"y", {}, {}};
  GpuLaunch launch;
  launch.name = launch.entry = "k";
  launch.calls = launch.blocks = 1;
  launch.threads = 32;
  program.launches.push_back(launch);
  std::string report;
  llvm::raw_string_ostream os(report);
  llvm::Error error = printGpuRoofline(program, text, *findGpuDevice("sm_80"), os);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  std::istringstream line(report.substr(report.find("of roof")));
  std::string word;
  for (int i = 0; i != 3; ++i) // of roof, kernel
    line >> word;
  double value = 0;
  for (int i = 0; i != 7; ++i)
    line >> value;
  return value; // ms, calls, blocks, matrix, special, shared, issue
}

/// Four schedulers begin an instruction each.
static double getInstructions(const std::string &body) {
  return (getIssueCycles(body) * 4 - getIssueCycles("") * 4) / kTimes;
}

TEST(PredictionTest, MergesLogic) {
  const std::string store = "st.global.b32 [%rd1], %b#;\n";
  EXPECT_NEAR(getInstructions("and.b32 %a#, %r1, 15;\nor.b32 %b#, %a#, 64;\n" + store), 2, 0.1);
  // Not what something else reads, too, no arithmetic, and one for each.
  const std::string again = "st.global.b32 [%rd1], %a#;\n";
  EXPECT_NEAR(getInstructions("and.b32 %a#, %r1, 15;\nor.b32 %b#, %a#, 64;\n" + store + again), 4,
              0.1);
  EXPECT_NEAR(getInstructions("and.b32 %a#, %r1, 15;\nadd.u32 %b#, %a#, 64;\n" + store), 3, 0.1);
  EXPECT_NEAR(getInstructions("and.b32 %a#, %r1, 15;\nor.b32 %b#, %a#, 64;\n"
                              "xor.b32 %r2, %b#, 3;\nst.global.b32 [%rd1], %r2;\n"),
              3, 0.1);
}
