//===- ComputationPlan.cpp - how a step computes one formula --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ComputationPlan.h"
#include "KeyProof.h"

using namespace mlir;
using namespace weft;

namespace {
/// Plans the reads of one formula or check.
class ComputationPlanner {
public:
  ComputationPlanner(StepPlan &plan, const Positions &positions, Operation *op,
                     std::optional<unsigned> row)
      : plan(plan), positions(positions), op(op), row(row), proof(op, row, positions) {}
  std::optional<Refusal> run();

private:
  std::optional<Refusal> planRead(const TensorRead &read);
  PlannedRead findForm(const TensorRead &read);
  std::optional<Refusal> planCacheRead(const TensorRead &read, Demand &demand);
  int64_t getReach(const TensorRead &read, unsigned dim);

  StepPlan &plan;
  const Positions &positions;
  Operation *op;
  std::optional<unsigned> row;
  CausalityProof proof;
  Computation computation{row, {}};
};
} // namespace

/// Rows if it is read at the very position that is computed.
PlannedRead ComputationPlanner::findForm(const TensorRead &read) {
  SmallVector<unsigned> dims = positions.getDims(read.tensor.getType());
  for (unsigned dim : dims)
    if (row && read.isExactly(dim, *row))
      return {read, Form::Rows, dim};
  return {read, dims.empty() ? Form::Whole : Form::Full, 0};
}

/// How far behind the row a tensor is read at dimension `dim`: only an attention visits no keys but
/// those in reach.
int64_t ComputationPlanner::getReach(const TensorRead &read, unsigned dim) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || !row || read.at ||
      read.map.getResult(dim) != getAffineDimExpr(attention.getKeyIndex(), op->getContext()))
    return Demand::kUnbounded;
  return getVisitedReach(attention, *row).value_or(Demand::kUnbounded);
}

/// A fresh tensor is read at other positions than the row: from its cache.
std::optional<Refusal> ComputationPlanner::planCacheRead(const TensorRead &read, Demand &demand) {
  SmallVector<unsigned> dims = positions.getDims(read.tensor.getType());
  if (dims.size() > 1)
    return Refusal{op->getLoc(),
                   nameOfFormula(op) +
                       " reads a tensor of position pairs across positions, which no cache holds",
                   {{read.tensor.getLoc(), "the tensor is made here"}}};
  demand.reach = getReach(read, dims.front());
  plan.addExtents(read.tensor, read.map);
  return std::nullopt;
}

std::optional<Refusal> ComputationPlanner::planRead(const TensorRead &read) {
  PlannedRead planned = findForm(read);
  computation.reads.push_back(planned);
  Demand demand;
  demand.add(planned.form);
  demand.rowDim = planned.rowDim;
  if (plan.isFresh(read.tensor)) {
    for (unsigned dim : positions.getDims(read.tensor.getType()))
      if (planned.form != Form::Rows || dim != planned.rowDim)
        if (std::optional<Refusal> refusal = proof.proveRead(read, dim))
          return refusal;
    if (planned.form == Form::Full)
      if (std::optional<Refusal> refusal = planCacheRead(read, demand))
        return refusal;
  }
  return plan.need(op, read.tensor, demand);
}

std::optional<Refusal> ComputationPlanner::run() {
  if (std::optional<Refusal> refusal = proof.proveFormula())
    return refusal;
  for (const TensorRead &read : getReads(op))
    if (std::optional<Refusal> refusal = planRead(read))
      return refusal;
  plan.computations[op].push_back(std::move(computation));
  return std::nullopt;
}

std::optional<Refusal> weft::planComputation(StepPlan &plan, const Positions &positions,
                                             Operation *op, std::optional<unsigned> row) {
  return ComputationPlanner(plan, positions, op, row).run();
}
