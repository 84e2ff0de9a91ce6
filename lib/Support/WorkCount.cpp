//===- WorkCount.cpp - what a kernel does, for any sizes ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/WorkCount.h"

#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace weft;

/// The words of steps that combine two numbers.
static constexpr std::pair<int32_t, llvm::StringLiteral> words[] = {
    {WEFT_COUNT_ADD, "+"},
    {WEFT_COUNT_MULTIPLY, "*"},
    {WEFT_COUNT_LEAST, "<"},
    {WEFT_COUNT_MOST, ">"},
};

static double apply(int32_t kind, double a, double b) {
  switch (kind) {
  case WEFT_COUNT_ADD:
    return a + b;
  case WEFT_COUNT_MULTIPLY:
    return a * b;
  case WEFT_COUNT_LEAST:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

std::optional<llvm::SmallVector<double, 4>> weft::runCount(llvm::ArrayRef<weft_count_step> steps,
                                                           llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<double, 4> stack;
  for (const weft_count_step &step : steps) {
    if (step.kind == WEFT_COUNT_NUMBER) {
      stack.push_back(step.number);
    } else if (step.kind == WEFT_COUNT_SYMBOL) {
      if (step.symbol < 0 || size_t(step.symbol) >= sizes.size())
        return std::nullopt;
      stack.push_back(double(sizes[size_t(step.symbol)]));
    } else if (stack.size() < 2 || step.kind < 0 || step.kind > WEFT_COUNT_MOST) {
      return std::nullopt;
    } else {
      double last = stack.pop_back_val();
      stack.back() = apply(step.kind, stack.back(), last);
    }
  }
  return stack;
}

Count Count::ofSymbol(int32_t symbol) {
  Count count;
  count.steps = {{WEFT_COUNT_SYMBOL, symbol, 0}};
  return count;
}

bool Count::operator==(const Count &other) const {
  return llvm::equal(steps, other.steps, [](const weft_count_step &a, const weft_count_step &b) {
    return a.kind == b.kind && a.symbol == b.symbol && a.number == b.number;
  });
}

/// What need not be computed again in each run is left out.
Count Count::combine(int32_t kind, const Count &other) const {
  auto isNumber = [](const Count &count, double number) { return count == Count(number); };
  auto isAnyNumber = [](const Count &count) {
    return count.steps.size() == 1 && count.steps.front().kind == WEFT_COUNT_NUMBER;
  };
  if (isAnyNumber(*this) && isAnyNumber(other))
    return Count(apply(kind, steps.front().number, other.steps.front().number));
  if (kind == WEFT_COUNT_MULTIPLY && (isNumber(*this, 0) || isNumber(other, 0)))
    return 0;
  double neutral = kind == WEFT_COUNT_MULTIPLY ? 1 : 0; // counts are not negative
  if (kind != WEFT_COUNT_LEAST && isNumber(*this, neutral))
    return other;
  if (kind != WEFT_COUNT_LEAST && isNumber(other, neutral))
    return *this;
  bool isChoice = kind == WEFT_COUNT_LEAST || kind == WEFT_COUNT_MOST;
  if (isChoice && *this == other)
    return *this;
  Count result = *this;
  result.steps.insert(result.steps.end(), other.steps.begin(), other.steps.end());
  result.steps.push_back({kind, 0, 0});
  return result;
}

Count Count::rename(llvm::ArrayRef<int32_t> numbers) const {
  Count result = *this;
  for (weft_count_step &step : result.steps)
    if (step.kind == WEFT_COUNT_SYMBOL)
      step.symbol = numbers[size_t(step.symbol)];
  return result;
}

std::string Count::getText(llvm::ArrayRef<llvm::StringRef> names) const {
  return llvm::join(llvm::map_range(steps,
                                    [&](const weft_count_step &step) {
                                      if (step.kind == WEFT_COUNT_NUMBER)
                                        return fmt::format("{}", step.number);
                                      if (step.kind == WEFT_COUNT_SYMBOL)
                                        return names[size_t(step.symbol)].str();
                                      return llvm::find_if(words,
                                                           [&](const auto &word) {
                                                             return word.first == step.kind;
                                                           })
                                          ->second.str();
                                    }),
                    " ");
}

std::optional<Count> Count::parse(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> names) {
  Count count;
  count.steps.clear();
  for (llvm::StringRef word : llvm::split(text, ' ')) {
    const auto *known = llvm::find_if(words, [&](const auto &one) { return one.second == word; });
    const auto *name = llvm::find(names, word);
    double number = 0;
    if (known != std::end(words))
      count.steps.push_back({known->first, 0, 0});
    else if (name != names.end())
      count.steps.push_back({WEFT_COUNT_SYMBOL, int32_t(name - names.begin()), 0});
    else if (!word.getAsDouble(number) && number >= 0 && std::isfinite(number))
      count.steps.push_back({WEFT_COUNT_NUMBER, 0, number});
    else
      return std::nullopt;
  }
  auto left = runCount(count.steps, llvm::SmallVector<int64_t>(names.size(), 1));
  return left && left->size() == 1 ? std::optional(count) : std::nullopt;
}
