//===- FormatTest.cpp - text for people -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Format.h"

#include <gtest/gtest.h>
#include <limits>

using namespace weft;

static std::string printed(double number, llvm::StringRef name, int64_t count) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, "{:8.2f}|{:>6}|{:<4}|", number, name, count);
  return text;
}

TEST(Format, Columns) {
  EXPECT_EQ(printed(3.14159, "ab", 7), "    3.14|    ab|7   |");
  // A part of a longer text, which does not end with a zero.
  EXPECT_EQ(printed(-0.5, llvm::StringRef("attention").take_front(3), -1), "   -0.50|   att|-1  |");
}

TEST(Format, Sizes) {
  EXPECT_EQ(sizeText(0), "0 B");
  EXPECT_EQ(sizeText(999), "999 B");
  EXPECT_EQ(sizeText(1000), "1.0 kB");
  EXPECT_EQ(sizeText(1349), "1.3 kB");
  EXPECT_EQ(sizeText(999949), "999.9 kB");
  EXPECT_EQ(sizeText(999950), "1.0 MB");
  EXPECT_EQ(sizeText(1600000000000), "1.6 TB");
  EXPECT_EQ(sizeText(std::numeric_limits<int64_t>::max()), "9.2 EB");
  EXPECT_EQ(sizeText(-512), "-512 B");
  EXPECT_EQ(sizeText(std::numeric_limits<int64_t>::min()), "-9.2 EB");
}

TEST(Format, Times) {
  EXPECT_EQ(timeText(0), "0.00 µs");
  EXPECT_EQ(timeText(35e-6), "35.0 µs");
  EXPECT_EQ(timeText(0.9994e-3), "999 µs");
  EXPECT_EQ(timeText(0.9996e-3), "1.00 ms");
  EXPECT_EQ(timeText(0.01252), "12.5 ms");
  EXPECT_EQ(timeText(9.999), "10.0 s");
  EXPECT_EQ(timeText(99.9), "99.9 s");
  EXPECT_EQ(timeText(99.96), "1 min 40 s");
  EXPECT_EQ(timeText(125.4), "2 min 05 s");
}

TEST(Format, WhatATerminalWouldObey) {
  EXPECT_EQ(printableText("a.json:1:2: error: 'x\x1b[31m\r\x7f'\n\tµ"),
            "a.json:1:2: error: 'x\\x1b[31m\\x0d\\x7f'\n\tµ");
}

TEST(Format, Rates) {
  EXPECT_EQ(rateText(12.34e9, 1), "12.3 GFLOP/s");
  EXPECT_EQ(rateText(1e6, 1e-2), "0.10 GFLOP/s");
}
