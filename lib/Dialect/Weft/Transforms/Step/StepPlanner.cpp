//===- StepPlanner.cpp - makes the plan of a step -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StepPlanner.h"

#include "ComputationPlan.h"
#include "FreshTensors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------------------------===//

namespace weft {
/// Walks a function backwards, from what its caller needs.
class FunctionPlanner {
public:
  FunctionPlanner(StepPlanner &planner, StepPlan &plan)
      : planner(planner), positions(planner.positions), plan(plan) {}
  LogicalResult run();

private:
  LogicalResult planOp(Operation &op);
  LogicalResult planCheck(CheckOp check);
  // In a step.
  using RowIndices = SmallVector<ComputedRows>;
  LogicalResult planFormula(FormulaOpInterface op);
  LogicalResult planResult(OpResult result, RowIndices &rows);
  LogicalResult planCall(func::CallOp call);
  FailureOr<Demand> planCallResult(func::CallOp call, Value result);
  LogicalResult compute(IndexedOpInterface op, ComputedRows rows) {
    return succeedUnless(planComputation(plan, positions, op, rows));
  }
  // When a sequence starts.
  void keep(Operation &op);
  LogicalResult planStart(Operation *op);
  LogicalResult proveFixed(Operation *op);
  // What an entry is given.
  void planEntryArguments();

  bool isNeededInStep(Value value) const {
    Demand demand = plan.getDemand(value);
    return plan.isKept(value) ? demand.hasRows() : demand.any();
  }
  LogicalResult need(Operation *op, Value value, const Demand &demand) {
    return succeedUnless(plan.need(op, value, demand));
  }
  LogicalResult refuse(Operation *op, const Twine &message) {
    return succeedUnless(Refusal{op->getLoc(), message.str()});
  }
  LogicalResult succeedUnless(std::optional<Refusal> refusal);

  StepPlanner &planner;
  const Positions &positions;
  StepPlan &plan;
};
} // namespace weft

LogicalResult FunctionPlanner::succeedUnless(std::optional<Refusal> refusal) {
  if (!refusal)
    return success();
  planner.refusal = std::move(refusal);
  return failure();
}

//===----------------------------------------------------------------------------------------===//
// When a sequence starts
//===----------------------------------------------------------------------------------------===//

/// What no new position changes is made once: whatever has no dimension of positions, and what is
/// read in full and costs more than arithmetic on indices.
void FunctionPlanner::keep(Operation &op) {
  if (llvm::any_of(op.getResults(), [&](Value value) { return plan.isFresh(value); }))
    return;
  for (Value value : op.getResults())
    if (Demand demand = plan.getDemand(value); demand.whole || (demand.full && !isa<MapOp>(op)))
      plan.kept.insert(value);
}

/// Nothing in `op` depends on how long the sequence is.
LogicalResult FunctionPlanner::proveFixed(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (func::FuncOp callee = getCallee(call))
      for (Operation &inner : callee.getBody().front())
        if (failed(proveFixed(&inner)))
          return failure();
    return success();
  }
  auto indexed = dyn_cast<IndexedOpInterface>(op);
  if (!indexed)
    return success();
  return succeedUnless(CausalityProof(indexed, std::nullopt, positions).proveFormula());
}

/// Needs what `op` reads when a sequence starts.
LogicalResult FunctionPlanner::planStart(Operation *op) {
  plan.hasStart = true;
  plan.startOps.insert(op);
  auto call = dyn_cast<func::CallOp>(op);
  if (call && (!getCallee(call) ||
               llvm::any_of(call.getResults(), [&](Value value) { return plan.isFresh(value); })))
    return refuse(op, "a layer makes what all positions see together with what new ones change");
  if (failed(proveFixed(op)))
    return failure();
  SmallVector<Value> operands(op->getOperands());
  if (auto indexed = dyn_cast<IndexedOpInterface>(op))
    operands =
        llvm::map_to_vector(getReads(indexed), [](const TensorRead &read) { return read.tensor; });
  Demand demand;
  demand.start = true;
  for (Value operand : operands)
    if (failed(need(op, operand, demand)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------------------------===//

/// Adds what has to be computed for the sake of `result`.
LogicalResult FunctionPlanner::planResult(OpResult result, RowIndices &rows) {
  Operation *op = result.getOwner();
  Demand &demand = plan.demands[result];
  SmallVector<unsigned> dims = positions.getDims(result.getType());
  if (dims.empty()) {
    rows.push_back({});
    return success();
  }
  // What follows from the inputs is made row by row, also where it is needed in full.
  bool isCached = demand.full && plan.isFresh(result);
  if (isCached) {
    if (dims.size() > 1)
      return refuse(op, nameOfFormula(op) +
                            " is a tensor of position pairs that is read across positions");
    if (demand.hasRows() && demand.rowDim != dims.front())
      return refuse(op, nameOfFormula(op) + " is read along two of its dimensions");
    demand.rowDim = dims.front();
  }
  if (demand.full && !isCached && !plan.isKept(result))
    rows.push_back({});
  // Of what is made in rows, the last one is taken.
  if (demand.rows || isCached)
    rows.push_back({getRowIndex(result, demand.rowDim)});
  else if (demand.last)
    rows.push_back({getRowIndex(result, demand.rowDim), /*last=*/true});
  return success();
}

/// The dimensions of what the formula makes are in the order of its indices.
static bool isStoredInOrder(FormulaOpInterface op) {
  return llvm::all_of(op.getOutputIndexingMaps(),
                      [](AffineMap map) { return llvm::is_sorted(getDistinctDims(map).value()); });
}

/// One computation serves all results that are needed in the same rows.
LogicalResult FunctionPlanner::planFormula(FormulaOpInterface op) {
  if (!isStoredInOrder(op))
    return refuse(op, nameOfFormula(op) + " is stored in another order already");
  RowIndices rows;
  for (OpResult result : op->getResults())
    if (isNeededInStep(result) && failed(planResult(result, rows)))
      return failure();
  llvm::sort(rows); // all rows of an index before the last one
  rows.erase(llvm::unique(rows, [](auto &a, auto &b) { return a.row == b.row; }), rows.end());
  for (ComputedRows computed : rows)
    if (failed(compute(op, computed)))
      return failure();
  return success();
}

/// What the callee has to make of a result: the rows are its work, the cache is the caller's.
FailureOr<Demand> FunctionPlanner::planCallResult(func::CallOp call, Value result) {
  Demand &demand = plan.demands[result];
  if (!demand.full || !plan.isFresh(result)) {
    Demand made = demand;
    made.last &= !made.rows; // it is taken from these
    return made;
  }
  SmallVector<unsigned> dims = positions.getDims(result.getType());
  if (dims.size() > 1)
    return refuse(call, "a tensor of position pairs is read across positions");
  demand.rowDim = dims.front();
  Demand rows;
  rows.rows = true;
  rows.rowDim = demand.rowDim;
  rows.start = demand.start;
  return rows;
}

LogicalResult FunctionPlanner::planCall(func::CallOp call) {
  func::FuncOp callee = getCallee(call);
  if (!callee)
    return refuse(call, "it calls a function without a body");
  SmallVector<Demand> results;
  for (Value result : call.getResults()) {
    FailureOr<Demand> demand = planCallResult(call, result);
    if (failed(demand))
      return failure();
    results.push_back(*demand);
  }
  SmallVector<bool> fresh =
      llvm::map_to_vector(call.getOperands(), [&](Value operand) { return plan.isFresh(operand); });
  StepPlan *calleePlan = planner.plan(callee, fresh, results);
  if (!calleePlan) {
    planner.refusal->notes.push_back({call.getLoc(), "the layer is called here"});
    return failure();
  }
  plan.callees[call] = calleePlan;
  plan.hasStart |= calleePlan->hasStart;
  for (auto [operand, argument] : llvm::zip_equal(call.getOperands(), callee.getArguments())) {
    Demand demand = calleePlan->getDemand(argument);
    if (demand.full && plan.isFresh(operand))
      plan.addExtents(operand, AffineMap());
    if ((demand.any() || demand.start) && failed(need(call, operand, demand)))
      return failure();
  }
  return success();
}

/// What no new position changes is checked at the start, what a step reads with it, and what each
/// position decides (a place that is counted from it) as positions come: the start knows of none.
LogicalResult FunctionPlanner::planCheck(CheckOp check) {
  SmallVector<TensorRead> reads = getReads(check);
  std::optional<unsigned> row = getRowIndex(check, positions);
  bool isFresh =
      llvm::any_of(reads, [&](const TensorRead &read) { return plan.isFresh(read.tensor); });
  if (!isFresh && !row)
    return planStart(check);
  if (isFresh && !isReadThrough(plan, positions, check, row))
    return success();
  return compute(check, {row});
}

LogicalResult FunctionPlanner::planOp(Operation &op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return planCheck(check);
  auto call = dyn_cast<func::CallOp>(op);
  auto formula = dyn_cast<FormulaOpInterface>(op);
  if (call || formula)
    keep(op);
  bool isStep = false, isStart = false;
  for (Value value : op.getResults()) {
    isStep |= isNeededInStep(value);
    isStart |= plan.isKept(value) || plan.getDemand(value).start;
  }
  if (!call && !formula) { // a weight, or arithmetic
    if (isStart)
      plan.startOps.insert(&op);
    return success();
  }
  if (isStart && failed(planStart(&op)))
    return failure();
  if (!isStep)
    return success();
  return call ? planCall(call) : planFormula(formula);
}

LogicalResult FunctionPlanner::run() {
  Block &body = plan.function.getBody().front();
  for (auto [operand, demand] : llvm::zip_equal(body.getTerminator()->getOperands(), plan.results))
    if (demand.any() && failed(need(body.getTerminator(), operand, demand)))
      return failure();
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (failed(planOp(op)))
      return failure();
  if (plan.isEntry())
    planEntryArguments();
  return success();
}

/// What an entry is given for all positions is given when a sequence starts. Whether it is given an
/// input is told by passing the input, so who needs the one needs the other.
void FunctionPlanner::planEntryArguments() {
  for (BlockArgument argument : plan.function.getArguments()) {
    if (!plan.isFresh(argument) && plan.getDemand(argument).any()) {
      plan.kept.insert(argument);
      plan.demands[argument].start = plan.hasStart = true;
    }
    if (plan.isFresh(argument) && plan.getDemand(argument).last)
      plan.demands[argument].rows = true; // all new positions are given
    Demand demand = plan.getDemand(argument);
    if (!attrs::Given::getArg(plan.function, argument.getArgNumber()) ||
        (!demand.any() && !demand.start))
      continue;
    Value input = plan.function.getArgument(argument.getArgNumber() - 1);
    Demand &passed = plan.demands[input];
    if (!plan.isFresh(input)) {
      passed.start = true;
    } else if (!passed.any()) {
      passed.rows = true;
      passed.rowDim = positions.getDims(input.getType()).front();
    }
  }
}

//===----------------------------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------------------------===//

StepPlan *StepPlanner::plan(func::FuncOp function, ArrayRef<bool> freshArguments,
                            ArrayRef<Demand> results) {
  Key key{function.getSymName().str(),
          std::vector<bool>(freshArguments.begin(), freshArguments.end()),
          std::vector<Demand>(results.begin(), results.end())};
  if (auto known = plans.find(key); known != plans.end())
    return known->second.get();
  auto plan = std::make_unique<StepPlan>();
  plan->function = function;
  plan->results.assign(results.begin(), results.end());
  plan->fresh = findFresh(function, freshArguments);
  if (failed(FunctionPlanner(*this, *plan).run()))
    return nullptr;
  return (plans[key] = std::move(plan)).get();
}
