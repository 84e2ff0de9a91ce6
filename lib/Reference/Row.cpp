//===- Row.cpp - rows with their statistics, one after the other ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Formula.h"

#include "ScalarReduction.h"

using namespace mlir;
using namespace weft;
using namespace weft::reference;

namespace {
/// The regions of a row, compiled, and the statistics of the row at the formula's point.
class RowEvaluation {
public:
  RowEvaluation(RowOp op, Formula &f) : op(op), f(f) {}

  llvm::Error compile(const Environment &environment);
  void run();

private:
  /// Calls `visit` after `program` ran, for every element of the row.
  void forEachElement(ScalarProgram &program, llvm::function_ref<void()> visit);

  RowOp op;
  Formula &f;
  SmallVector<ScalarProgram, 0> reductions, element;
  SmallVector<Scalar> statistics;
};
} // namespace

llvm::Error RowEvaluation::compile(const Environment &environment) {
  auto add = [&](Region &region, SmallVectorImpl<ScalarProgram> &programs) -> llvm::Error {
    auto program = ScalarProgram::compile(region, f.extents.size(), environment);
    if (program)
      programs.push_back(std::move(*program));
    return program.takeError();
  };
  for (Region &region : op.getReductions())
    if (llvm::Error error = add(region, reductions))
      return error;
  return add(op.getElement(), element);
}

void RowEvaluation::forEachElement(ScalarProgram &program, llvm::function_ref<void()> visit) {
  unsigned axis = op.getAxis();
  for (f.point[axis] = 0; f.point[axis] < f.extents[axis]; ++f.point[axis]) {
    for (auto [i, statistic] : llvm::enumerate(statistics))
      program.argument(i) = statistic;
    f.loadArguments(program, /*first=*/0, /*argument=*/statistics.size());
    program.run();
    visit();
  }
  f.point[axis] = 0;
}

void RowEvaluation::run() {
  statistics.clear();
  for (auto [i, program] : llvm::enumerate(reductions)) {
    ScalarReduction reduction(op.getKind(i), /*isReal=*/true);
    forEachElement(program, [&, &program = program] { reduction.add(program.result()); });
    statistics.push_back(reduction.result());
  }
  forEachElement(element[0], [&] {
    for (unsigned i = 0; i != f.outputs.size(); ++i)
      f.store(element[0].result(i), i);
  });
}

llvm::Error weft::reference::evaluate(RowOp op, Formula &f, const Environment &environment) {
  RowEvaluation row(op, f);
  if (llvm::Error error = row.compile(environment))
    return error;
  SmallVector<int64_t> rows(f.extents);
  rows[op.getAxis()] = 1;
  forEachPoint(rows, 0, f.point, [&] { row.run(); });
  return llvm::Error::success();
}
