//===- Measure.h - the time of calls on made-up inputs --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_MEASURE_H
#define WEFT_RUNNER_MEASURE_H

#include "weft/Runner/CompiledModel.h"

namespace weft {

/// The values of a model's symbols for one length: that, or the bound of a symbol if it is less.
llvm::SmallVector<int64_t> sizesAt(const weft_model_info &info, int64_t length);

/// Tensors for a call of an entry, and results. Inputs are random: ids below their bounds, reals in
/// [-1, 1), truth values 1. What may be left out is left out: this is how a model is called as a
/// rule.
struct RandomCall {
  RandomCall(const weft_entry_info &entry, llvm::ArrayRef<int64_t> sizes);

  llvm::SmallVector<int64_t> sizes; ///< of the model's symbols
  std::vector<AlignedBuffer> buffers;
  llvm::SmallVector<const void *> inputs;
  llvm::SmallVector<void *> outputs;
};

/// The times of some calls, ascending.
struct Times {
  std::vector<double> seconds;
  double median() const { return seconds[seconds.size() / 2]; }
  double least() const { return seconds.front(); }
};

/// Calls the entry once without measuring, then `runs` times, or, if that is 0, at least 5 times
/// and for a second.
llvm::Expected<Times> measure(CompiledModel &model, const weft_entry_info &entry,
                              const RandomCall &call, int64_t runs);

} // namespace weft

#endif // WEFT_RUNNER_MEASURE_H
