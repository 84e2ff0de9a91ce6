//===- Profile.cpp - the time of every kernel -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Report.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

namespace {

struct Line {
  const weft_kernel_info *kernel;
  int64_t calls;
  double seconds;
};

} // namespace

std::optional<int64_t> weft::lengthOf(const weft_model_info &info, llvm::ArrayRef<int64_t> sizes) {
  for (const weft_kernel_info &kernel : llvm::ArrayRef(info.kernels, info.kernel_count))
    if (kernel.flops_symbol >= 0)
      return sizes[kernel.flops_symbol];
  return std::nullopt;
}

// "12.3" GFLOP/s, or "-" where the arithmetic is not known or there is none.
static std::string rateOf(const Line &line, std::optional<int64_t> length) {
  const weft_kernel_info &kernel = *line.kernel;
  bool depends = kernel.flops_symbol >= 0 && (kernel.flops[1] != 0 || kernel.flops[2] != 0);
  double flops = flopsAt(kernel.flops, kernel.flops_symbol, length.value_or(0));
  if ((depends && !length) || flops <= 0 || line.seconds <= 0)
    return "-";
  return fmt::format("{:.1f}", 1e-9 * flops * double(line.calls) / line.seconds);
}

void weft::printProfile(const CompiledModel &model, std::optional<int64_t> length,
                        llvm::raw_ostream &os) {
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

  print(os, "   share       ms    calls  GFLOP/s  kernel\n");
  for (const Line &line : lines)
    print(os, "{:6.1f} % {:8.3f} {:8} {:>8}  {}{}{}\n", 100 * line.seconds / total,
          1e3 * line.seconds, line.calls, rateOf(line, length), line.kernel->name,
          *line.kernel->location ? "  " : "", line.kernel->location);
  print(os, "{:6.1f} % {:8.3f}\n", 100.0, 1e3 * total);
}
