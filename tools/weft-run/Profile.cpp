//===- Profile.cpp - the time of every kernel -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

namespace {

struct Line {
  const weft_kernel_info *kernel;
  int64_t calls;
  double seconds;
};

} // namespace

void weft::printProfile(const Model &model, int64_t length, llvm::raw_ostream &os) {
  std::vector<Line> lines;
  double total = 0;
  for (int32_t i = 0; i < model.info().kernel_count; ++i) {
    Line line = {&model.info().kernels[i], 0, 0};
    model.readProfile(i, line.calls, line.seconds);
    total += line.seconds;
    if (line.calls > 0)
      lines.push_back(line);
  }
  llvm::sort(lines, [](const Line &a, const Line &b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.kernel < b.kernel;
  });

  os << "   share       ms    calls  GFLOP/s  kernel\n";
  for (const Line &line : lines) {
    double flops = flopsAt(line.kernel->flops, line.kernel->flops_symbol, length);
    os << llvm::format("%6.1f %% %8.3f %8lld ", 100 * line.seconds / total, 1e3 * line.seconds,
                       static_cast<long long>(line.calls));
    if (length > 0 && flops > 0)
      os << llvm::format("%8.1f", 1e-9 * flops * double(line.calls) / line.seconds);
    else
      os << "       -";
    os << "  " << line.kernel->name;
    if (*line.kernel->location)
      os << "  " << line.kernel->location;
    os << "\n";
  }
  os << llvm::format("%6.1f %% %8.3f\n", 100.0, 1e3 * total);
}
