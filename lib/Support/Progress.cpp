//===- Progress.cpp - a line that says how far a long piece of work is ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/Progress.h"

#include "weft/Support/Format.h"

#include "llvm/Support/Process.h"

using namespace weft;

/// Often enough for a reader.
static constexpr std::chrono::milliseconds interval(100);

Progress::Progress(llvm::StringRef what, uint64_t totalBytes, double afterSeconds)
    : what(what.str()), total(totalBytes), isTerminal(llvm::sys::Process::StandardErrIsDisplayed()),
      start(Clock::now()), next(start + std::chrono::milliseconds(int64_t(1e3 * afterSeconds))) {}

Progress::~Progress() {
  if (width)
    llvm::errs() << "\r" << std::string(width, ' ') << "\r";
}

void Progress::update(uint64_t bytes) {
  if (!isTerminal)
    return;
  Clock::time_point now = Clock::now();
  if (now < next)
    return;
  next = now + interval;
  show(bytes, std::chrono::duration<double>(now - start).count());
}

void Progress::show(uint64_t bytes, double seconds) {
  std::string line =
      fmt::format("{} {} of {}", what, sizeText(int64_t(bytes)), sizeText(int64_t(total)));
  double rate = seconds > 0 ? double(bytes) / seconds : 0;
  if (rate >= 1)
    line += fmt::format(", {}/s, {} left", sizeText(int64_t(rate)),
                        timeText(double(total - bytes) / rate));
  // Spaces cover what a longer line has left.
  llvm::errs() << "\r" << line << std::string(width > line.size() ? width - line.size() : 0, ' ');
  width = std::max(width, line.size());
}
