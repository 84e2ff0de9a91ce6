//===- RoundedRuns.cpp - runs as compiled code computes them -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RoundedRuns.h"

#include <cmath>

using namespace mlir;
using namespace weft;

RoundedRuns::RoundedRuns(func::FuncOp entry, const ValidRun &run, const VerifyOptions &options,
                         ArrayRef<TensorRef> computed)
    : entry(entry), run(run), options(options) {
  for (auto [value, tensor, mine] :
       llvm::zip(entry.front().getTerminator()->getOperands(), computed, run.results))
    if (value.getDefiningOp<FormulaOpInterface>() && tensor->shape() == mine->shape())
      given[value] = tensor;
}

/// A run in which rounding makes an index leave its tensor decides nothing.
void RoundedRuns::compute() {
  runs.emplace();
  for (Arithmetic arithmetic : {Arithmetic::Exact, Arithmetic::Nearest, Arithmetic::Down,
                                Arithmetic::Up, Arithmetic::Mixed, Arithmetic::Opposite}) {
    if (arithmetic == Arithmetic::Exact && given.empty())
      continue; // it is the run itself
    InterpreterOptions interpreter;
    interpreter.given = given;
    interpreter.symbols = run.symbols;
    interpreter.weights = options.weights;
    interpreter.arithmetic = arithmetic;
    auto results = interpret(entry, run.inputs, interpreter);
    if (results)
      runs->push_back(std::move(*results));
    else
      llvm::consumeError(results.takeError());
  }
}

/// Whether a number is among those that rounding makes of element `i`, or as near to them as they
/// are to each other.
static bool mayBe(double number, llvm::ArrayRef<const Tensor *> all, int64_t i, double limit) {
  double least = INFINITY, most = -INFINITY;
  for (const Tensor *tensor : all) {
    double one = numberAt(*tensor, i);
    if (one == number)
      return true; // infinities, too
    least = std::min(least, one);
    most = std::max(most, one);
  }
  double room = most - least + limit;
  return number >= least - room && number <= most + room;
}

RoundedRuns::Verdict RoundedRuns::judge(unsigned result, const Tensor &actual, double tolerance) {
  const Tensor &exact = *run.results[result];
  if (exact.shape() != actual.shape())
    return Verdict::Differs;
  std::optional<Difference> difference = compare(exact, actual, tolerance);
  if (!difference)
    return Verdict::Agrees;
  if (!runs)
    compute();
  std::vector<const Tensor *> all = {&exact};
  for (const std::vector<TensorRef> &rounded : *runs) {
    if (!compare(*rounded[result], actual, tolerance))
      return Verdict::Agrees;
    all.push_back(rounded[result].get());
  }
  for (int64_t i = 0, end = exact.size(); i != end; ++i)
    if (!mayBe(numberAt(actual, i), all, i, difference->limit))
      return Verdict::Differs;
  return Verdict::Undecided;
}

bool RoundedRuns::explains(unsigned result, const Tensor &actual, double tolerance,
                           VerifyReport &report) {
  Verdict verdict = judge(result, actual, tolerance);
  if (verdict == Verdict::Differs)
    return false;
  report.undecided += verdict == Verdict::Undecided;
  report.difference.reset();
  return true;
}
