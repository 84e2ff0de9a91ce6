//===- ComputationPlan.cpp - how a step computes one formula --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ComputationPlan.h"
#include "KeyProof.h"
#include "PredicateBounds.h"
#include "weft/Dialect/Weft/IR/AccessRange.h"

using namespace mlir;
using namespace weft;

/// Where dimension `dim` is read, as an expression of the reader's indices; null if it is none.
static AffineExpr getCoordinate(const TensorRead &read, unsigned dim) {
  if (!read.at)
    return read.map.getResult(dim);
  return getIndexExpr(read.at.getCoordinates()[dim]);
}

namespace {
/// Plans the reads of one formula or check.
class ComputationPlanner {
public:
  ComputationPlanner(StepPlan &plan, const Positions &positions, IndexedOpInterface op,
                     ComputedRows rows)
      : plan(plan), positions(positions), op(op), row(rows.row), proof(op, row, positions),
        computation{rows, {}} {}
  std::optional<Refusal> run();

private:
  std::optional<Refusal> planRead(const TensorRead &read);
  PlannedRead findForm(const TensorRead &read);
  std::optional<Refusal> planCacheRead(const TensorRead &read, Demand &demand);
  int64_t getReach(const TensorRead &read, unsigned dim);

  StepPlan &plan;
  const Positions &positions;
  IndexedOpInterface op;
  std::optional<unsigned> row;
  CausalityProof proof;
  Computation computation;
};
} // namespace

/// The rows that are computed, if it is read at their very position.
PlannedRead ComputationPlanner::findForm(const TensorRead &read) {
  SmallVector<unsigned> dims = positions.getDims(read.tensor.getType());
  for (unsigned dim : dims)
    if (row && read.isExactly(dim, *row))
      return {read, computation.getForm(), dim};
  return {read, dims.empty() ? Form::Whole : Form::Full, 0};
}

/// How far behind the row a tensor is read at dimension `dim`. Of the keys of an attention those
/// are read that its bounds hold in reach; otherwise the ranges of the other indices tell.
int64_t ComputationPlanner::getReach(const TensorRead &read, unsigned dim) {
  AffineExpr coordinate = getCoordinate(read, dim);
  if (!row || !coordinate)
    return Demand::kUnbounded;
  auto attention = dyn_cast<AttentionOp>(op.getOperation());
  if (attention && coordinate == getAffineDimExpr(attention.getKeyIndex(), op->getContext()))
    return getVisitedReach(attention, *row).value_or(Demand::kUnbounded);
  std::optional<int64_t> nearest =
      getMinimum(-getDistance(op, *row, coordinate), op.getIndexList());
  return nearest ? std::max<int64_t>(-*nearest, 0) : Demand::kUnbounded;
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
      if (planned.form == Form::Full || dim != planned.rowDim)
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

//===----------------------------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------------------------===//

namespace {
/// A read by a formula or a check that is computed for the rows of an index.
struct RowRead {
  IndexedOpInterface op;
  std::optional<unsigned> row;
  TensorRead read;

  /// How far dimension `dim` is read behind the row, if that is one number.
  std::optional<int64_t> getDistanceAt(unsigned dim) const {
    AffineExpr coordinate = getCoordinate(read, dim);
    if (!row || !coordinate)
      return std::nullopt;
    auto distance = dyn_cast<AffineConstantExpr>(getDistance(op, *row, coordinate));
    return distance ? std::optional(distance.getValue()) : std::nullopt;
  }

  /// Whether `other` may be of the same element, seen from its row.
  bool mayBe(const RowRead &other, const Positions &positions) const {
    return read.tensor == other.read.tensor &&
           llvm::none_of(positions.getDims(read.tensor.getType()), [&](unsigned dim) {
             std::optional<int64_t> mine = getDistanceAt(dim), its = other.getDistanceAt(dim);
             return mine && its && *mine != *its;
           });
  }
};
} // namespace

bool weft::isReadThrough(const StepPlan &plan, const Positions &positions, CheckOp check,
                         std::optional<unsigned> row) {
  SmallVector<RowRead> checked = llvm::map_to_vector(
      getReads(check), [&](const TensorRead &read) { return RowRead{check, row, read}; });
  auto isChecked = [&](const RowRead &read) {
    return llvm::any_of(checked,
                        [&](const RowRead &element) { return element.mayBe(read, positions); });
  };
  // What is computed may be computed again in its readers, which then do not read it.
  if (llvm::any_of(checked, [](const RowRead &element) {
        return isa_and_nonnull<FormulaOpInterface>(element.read.tensor.getDefiningOp());
      }))
    return true;
  for (const auto &[op, computations] : plan.computations)
    for (const Computation &computation : computations)
      for (const PlannedRead &planned : computation.reads)
        if (!isa<CheckOp>(op) &&
            isChecked({cast<IndexedOpInterface>(op), computation.row, planned.read}))
          return true;
  return llvm::any_of(plan.callees, [&](const auto &callee) {
    return llvm::any_of(checked, [&](const RowRead &element) {
      return llvm::is_contained(callee.first->getOperands(), element.read.tensor);
    });
  });
}

std::optional<Refusal> weft::planComputation(StepPlan &plan, const Positions &positions,
                                             IndexedOpInterface op, ComputedRows rows) {
  return ComputationPlanner(plan, positions, op, rows).run();
}
