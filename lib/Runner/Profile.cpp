//===- Profile.cpp - what kernels did, and what they could have done ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Profile.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace weft;

std::optional<double> KernelProfile::prediction() const {
  if (predicted.empty())
    return std::nullopt;
  double sum = 0;
  for (const auto &[limit, seconds] : predicted)
    sum += seconds;
  return sum;
}

llvm::StringRef KernelProfile::limit() const {
  auto most = llvm::max_element(predicted,
                                [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == predicted.end() ? llvm::StringRef() : most->first;
}

std::optional<KernelWork> weft::workOf(const weft_model_info &info, size_t kernel,
                                       llvm::ArrayRef<int64_t> sizes) {
  if (info.abi_version < 5 || !info.kernel_counts)
    return std::nullopt;
  const weft_kernel_counts &counts = info.kernel_counts[kernel];
  auto values = runCount({counts.steps, size_t(counts.step_count)}, sizes);
  bool isUnit = counts.unit >= WEFT_UNIT_NONE && counts.unit <= WEFT_UNIT_INT8;
  if (!values || values->size() != 4 || !isUnit)
    return std::nullopt;
  return KernelWork{(*values)[0], (*values)[1],      (*values)[2],
                    (*values)[3], Unit(counts.unit), counts.passes};
}

Profile::Profile(const weft_model_info &info, std::optional<MachineLimits> machine)
    : info(info), machine(std::move(machine)) {
  reset();
}

void Profile::reset() { list.assign(size_t(info.kernel_count), KernelProfile()); }

static void addTo(std::optional<double> &sum, std::optional<double> more) {
  if (sum && more)
    *sum += *more;
  else
    sum.reset();
}

/// Models of older versions count operations alone.
void Profile::addWork(KernelProfile &kernel, size_t number, int64_t calls,
                      llvm::ArrayRef<int64_t> sizes) {
  auto times = double(calls);
  std::optional<KernelWork> work = workOf(info, number, sizes);
  if (!work) {
    const weft_kernel_info &old = info.kernels[number];
    int64_t length = old.flops_symbol >= 0 ? sizes[size_t(old.flops_symbol)] : 0;
    addTo(kernel.flops, times * flopsAt(old.flops, old.flops_symbol, length));
    return kernel.bytes.reset();
  }
  addTo(kernel.flops, times * work->flops);
  addTo(kernel.bytes, times * work->bytes);
  if (!machine)
    return;
  Prediction one = predictTime(*machine, *work, double(info.weights_bytes));
  kernel.predicted[one.limit] += times * one.seconds;
}

void Profile::add(llvm::ArrayRef<Total> totals, llvm::ArrayRef<int64_t> sizes) {
  for (auto [i, kernel] : llvm::enumerate(list)) {
    int64_t calls = totals[i].calls - kernel.calls;
    if (calls == 0)
      continue;
    addWork(kernel, i, calls, sizes);
    kernel.calls = totals[i].calls;
    kernel.seconds = totals[i].seconds;
  }
}
