//===- WorkCount.h - what a kernel does, for any sizes --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Operations and bytes are counted when a model is compiled, as expressions of its run-time
// dimensions, and have values where these have. An expression is a list of steps in postfix form,
// the same in the compiler, in the IR as text and in a compiled model.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_WORKCOUNT_H
#define WEFT_SUPPORT_WORKCOUNT_H

#include "weft/Runtime/weft_model_info.h"
#include "weft/Support/MachineLimits.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace weft {

/// Runs the steps and returns what they leave, with symbol i at sizes[i]. Nothing if they are no
/// program: if one lacks a number or names a symbol that is none.
std::optional<llvm::SmallVector<double, 4>> runCount(llvm::ArrayRef<weft_count_step> steps,
                                                     llvm::ArrayRef<int64_t> sizes);

/// An expression of the values of symbols, which have numbers.
class Count {
public:
  Count(double number = 0) : steps{{WEFT_COUNT_NUMBER, 0, number}} {}
  static Count ofSymbol(int32_t symbol);

  Count operator+(const Count &other) const { return combine(WEFT_COUNT_ADD, other); }
  Count operator*(const Count &other) const { return combine(WEFT_COUNT_MULTIPLY, other); }
  friend Count least(const Count &a, const Count &b) { return a.combine(WEFT_COUNT_LEAST, b); }
  friend Count most(const Count &a, const Count &b) { return a.combine(WEFT_COUNT_MOST, b); }

  double at(llvm::ArrayRef<int64_t> sizes) const { return runCount(steps, sizes)->front(); }
  /// With symbol names[i] in place of number i.
  Count rename(llvm::ArrayRef<int32_t> numbers) const;
  llvm::ArrayRef<weft_count_step> getSteps() const { return steps; }

  /// "2 T * 768 *": numbers, names, `+`, `*`, `<` (the smaller one) and `>`.
  std::string getText(llvm::ArrayRef<llvm::StringRef> names) const;
  /// Nothing if it is no such text.
  static std::optional<Count> parse(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> names);

private:
  Count combine(int32_t kind, const Count &other) const;
  bool operator==(const Count &other) const;

  std::vector<weft_count_step> steps;
};

/// KernelWork for any sizes.
struct WorkCount {
  Count flops, functions, bytes, weights;
  Unit unit = Unit::Elements;
  int passes = 1;

  KernelWork at(llvm::ArrayRef<int64_t> sizes) const {
    return {flops.at(sizes), functions.at(sizes), bytes.at(sizes), weights.at(sizes), unit, passes};
  }
};

} // namespace weft

#endif // WEFT_SUPPORT_WORKCOUNT_H
