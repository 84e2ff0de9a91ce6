//===- Profile.cpp - the time of every kernel -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Report.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace weft;

// "12.3" operations or bytes, 10^9 a second, or "-" where they are not known or there are none.
static std::string rateOf(std::optional<double> amount, double seconds) {
  return amount && *amount > 0 && seconds > 0 ? fmt::format("{:.1f}", 1e-9 * *amount / seconds)
                                              : "-";
}

// What is printed before the name of a kernel, or of all of them.
static std::string numbersOf(const KernelProfile &kernel, double total, bool isPredicted) {
  std::string calls = kernel.calls ? std::to_string(kernel.calls) : "";
  std::string text = fmt::format(
      "{:6.1f} % {:9.3f} {:>8} {:>8} {:>7}", 100 * kernel.seconds / total, 1e3 * kernel.seconds,
      calls, rateOf(kernel.flops, kernel.seconds), rateOf(kernel.bytes, kernel.seconds));
  if (!isPredicted)
    return text;
  std::optional<double> predicted = kernel.prediction();
  std::string time = predicted ? fmt::format("{:.3f}", 1e3 * *predicted) : "-";
  std::string ratio =
      predicted && *predicted > 0 ? fmt::format("{:.2f}", kernel.seconds / *predicted) : "-";
  return text + fmt::format(" {:>10} {:>6}  {:<8}", time, ratio, kernel.limit());
}

// All kernels as if they were one; what one of them lacks all lack.
static KernelProfile sumOf(llvm::ArrayRef<KernelProfile> kernels) {
  KernelProfile sum;
  bool isPredicted = true;
  for (const KernelProfile &kernel : kernels) {
    if (kernel.calls == 0)
      continue;
    sum.seconds += kernel.seconds;
    sum.flops =
        sum.flops && kernel.flops ? std::optional(*sum.flops + *kernel.flops) : std::nullopt;
    sum.bytes =
        sum.bytes && kernel.bytes ? std::optional(*sum.bytes + *kernel.bytes) : std::nullopt;
    isPredicted &= !kernel.predicted.empty();
    for (const auto &[limit, seconds] : kernel.predicted)
      sum.predicted[limit] += seconds;
  }
  if (!isPredicted)
    sum.predicted.clear();
  return sum;
}

// The kernels that ran, the longest first.
static llvm::SmallVector<size_t> orderedByTime(llvm::ArrayRef<KernelProfile> kernels) {
  auto numbers = llvm::filter_to_vector(llvm::seq<size_t>(0, kernels.size()),
                                        [&](size_t i) { return kernels[i].calls > 0; });
  llvm::sort(numbers, [&](size_t a, size_t b) {
    return kernels[a].seconds != kernels[b].seconds ? kernels[a].seconds > kernels[b].seconds
                                                    : a < b;
  });
  return numbers;
}

void weft::printProfile(const CompiledModel &model, llvm::raw_ostream &os) {
  const Profile &profile = *model.getProfile();
  llvm::ArrayRef<KernelProfile> kernels = profile.kernels();
  KernelProfile all = sumOf(kernels);
  bool isPredicted = bool(profile.limits());
  if (isPredicted)
    print(os, "profile: limits {}\n", limitsText(*profile.limits()));
  print(os, "   share        ms    calls  GFLOP/s    GB/s{}  kernel\n",
        isPredicted ? "  predicted  ratio  bound by" : "");
  for (size_t number : orderedByTime(kernels)) {
    const weft_kernel_info &kernel = model.info().kernels[number];
    print(os, "{}  {}{}{}\n", numbersOf(kernels[number], all.seconds, isPredicted), kernel.name,
          *kernel.location ? "  " : "", kernel.location);
  }
  print(os, "{}\n", llvm::StringRef(numbersOf(all, all.seconds, isPredicted)).rtrim());
}

// What is not known is left out.
static llvm::json::Object asJson(const KernelProfile &kernel) {
  llvm::json::Object object{{"ms", 1e3 * kernel.seconds}};
  if (kernel.flops)
    object["flops"] = *kernel.flops;
  if (kernel.bytes)
    object["bytes"] = *kernel.bytes;
  if (std::optional<double> predicted = kernel.prediction()) {
    object["predicted_ms"] = 1e3 * *predicted;
    object["bound_by"] = kernel.limit();
  }
  return object;
}

llvm::json::Object weft::profileAsJson(const CompiledModel &model) {
  const Profile &profile = *model.getProfile();
  llvm::json::Array list;
  for (size_t number : orderedByTime(profile.kernels())) {
    const weft_kernel_info &kernel = model.info().kernels[number];
    llvm::json::Object one = asJson(profile.kernels()[number]);
    one["name"] = kernel.name;
    one["location"] = kernel.location;
    one["calls"] = profile.kernels()[number].calls;
    list.push_back(std::move(one));
  }
  llvm::json::Object object{{"kernels", std::move(list)},
                            {"all", asJson(sumOf(profile.kernels()))}};
  if (profile.limits())
    object["limits"] = llvm::json::fixUTF8(profile.limits()->origin);
  return object;
}
