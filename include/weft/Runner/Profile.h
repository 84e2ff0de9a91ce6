//===- Profile.h - what kernels did, and what they could have done --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The runtime adds up the time of each kernel; what it did follows from the sizes of the calls of
// entries, which are known where these are made.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_PROFILE_H
#define WEFT_RUNNER_PROFILE_H

#include "weft/Runner/Interface.h"
#include "weft/Support/WorkCount.h"

#include <map>

namespace weft {

/// A kernel in all of its calls.
struct KernelProfile {
  int64_t calls = 0;
  double seconds = 0; ///< measured
  /// Of the work; nothing where the model does not say it, or for older ones bytes alone.
  std::optional<double> flops = 0, bytes = 0;
  /// Seconds that machine limits allow for, with what binds; empty where there are none.
  std::map<std::string, double> predicted;

  std::optional<double> prediction() const;
  /// What binds for the longest time.
  llvm::StringRef limit() const;
};

class Profile {
public:
  Profile(const weft_model_info &info, std::optional<MachineLimits> machine);

  /// After a call of an entry with these sizes: the totals of all kernels.
  struct Total {
    int64_t calls;
    double seconds;
  };
  void add(llvm::ArrayRef<Total> totals, llvm::ArrayRef<int64_t> sizes);
  void reset();

  /// By the numbers of weft_kernel_info.
  llvm::ArrayRef<KernelProfile> kernels() const { return list; }
  const std::optional<MachineLimits> &limits() const { return machine; }

private:
  void addWork(KernelProfile &kernel, size_t number, int64_t calls, llvm::ArrayRef<int64_t> sizes);

  const weft_model_info &info;
  std::optional<MachineLimits> machine;
  std::vector<KernelProfile> list;
};

/// What a kernel does; nothing if the model does not say it.
std::optional<KernelWork> workOf(const weft_model_info &info, size_t kernel,
                                 llvm::ArrayRef<int64_t> sizes);

} // namespace weft

#endif // WEFT_RUNNER_PROFILE_H
