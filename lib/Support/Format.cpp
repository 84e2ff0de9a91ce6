//===- Format.cpp - text for people ---------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Format.h"

#include <cmath>

using namespace weft;

void weft::printFormatted(llvm::raw_ostream &os, fmt::string_view text,
                          fmt::format_args arguments) {
  fmt::memory_buffer buffer;
  fmt::vformat_to(fmt::appender(buffer), text, arguments);
  os.write(buffer.data(), buffer.size());
}

std::string weft::printableText(llvm::StringRef message) {
  std::string text;
  for (char c : message) {
    auto code = static_cast<unsigned char>(c);
    bool isControl = (code < 0x20 && c != '\n' && c != '\t') || code == 0x7f;
    text += isControl ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return text;
}

std::string weft::sizeText(int64_t bytes) {
  if (bytes > -1000 && bytes < 1000)
    return fmt::format("{} B", bytes);
  double size = double(bytes) / 1000;
  const char *unit = "kMGTPE";
  // 999.95 would be printed as 1000.0.
  while (std::fabs(size) >= 999.95) {
    size /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}B", size, *unit);
}

// Three digits: 1.25, 12.5, 125.
static std::string threeDigits(double value) {
  int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string weft::timeText(double seconds) {
  if (seconds >= 99.95) {
    auto whole = int64_t(std::llround(seconds));
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  if (seconds >= 0.9995)
    return threeDigits(seconds) + " s";
  if (seconds >= 0.9995e-3)
    return threeDigits(1e3 * seconds) + " ms";
  return threeDigits(1e6 * seconds) + " µs";
}

std::string weft::rateText(double flops, double seconds) {
  double rate = 1e-9 * flops / seconds;
  return fmt::format("{:.{}f} GFLOP/s", rate, rate < 1 ? 2 : 1);
}
