//===- StepEmitter.cpp - writes the functions of a step -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StepEmitter.h"

#include "RowFormula.h"
#include "StepState.h"

using namespace mlir;
using namespace weft;

namespace {
/// Writes one function.
class FunctionEmitter {
public:
  FunctionEmitter(StepEmitter &emitter, const StepPlan &plan, StepFunction &result)
      : emitter(emitter), types(emitter.getTypes()), plan(plan), result(result),
        builder(result.function.getContext()), state(builder, types, plan, result) {}
  void run();

private:
  void addArguments();
  void addForms(BlockArgument argument);
  void takeKept(Value original);
  void takeLast(Value original);
  void emitOp(Operation &op);
  void emitFormula(IndexedOpInterface op);
  void addResult(OpResult original, Value result, const ComputedRows &rows);
  void emitCall(func::CallOp call, StepPlan &calleePlan);
  void emitReturn(func::ReturnOp ret);

  StepEmitter &emitter;
  const StepTypes &types;
  const StepPlan &plan;
  StepFunction &result;
  OpBuilder builder;
  StepState state;
  FormMap forms;
  IRMapping scalars;
};
} // namespace

//===----------------------------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------------------------===//

/// The forms of an argument that are given. What an entry is given for new positions are rows; a
/// layer gets the caches that its caller keeps.
void FunctionEmitter::addForms(BlockArgument argument) {
  Demand demand = plan.getDemand(argument);
  if (plan.ownsCache(argument)) {
    demand.full = false;
    demand.rows = true;
    demand.rowDim = types.getPositions().getDims(argument.getType()).front();
  }
  if (plan.isEntry())
    demand.last = false; // of the rows
  bool isFresh = plan.isFresh(argument);
  TensorForms &form = forms[argument];
  demand.forEachForm([&](Form which) {
    Type type = types.get(argument.getType(), which, demand.rowDim, isFresh);
    form[which] = result.function.getBody().addArgument(type, argument.getLoc());
    result.origins.push_back(argument.getArgNumber());
  });
  if (demand.full && isFresh)
    form.order = getOrder(cast<RankedTensorType>(argument.getType()).getRank(),
                          types.getPositions().getDims(argument.getType()).front(), /*to=*/0);
}

void FunctionEmitter::takeKept(Value original) {
  if (plan.isKept(original))
    forms[original].whole = forms[original].full = state.takeKept(original);
}

/// Of what is made in rows, or given so.
void FunctionEmitter::takeLast(Value original) {
  Demand demand = plan.getDemand(original);
  TensorForms &form = forms[original];
  if (demand.last && !form.last && form.rows)
    form.last = emitLast(builder, types, form.rows, demand.rowDim);
}

void FunctionEmitter::addArguments() {
  for (BlockArgument argument : plan.function.getArguments())
    if (!plan.isKept(argument))
      addForms(argument);
  for (BlockArgument argument : plan.function.getArguments())
    takeKept(argument);
  for (BlockArgument argument : plan.function.getArguments())
    if (plan.ownsCache(argument))
      state.append(argument, forms[argument]);
  for (BlockArgument argument : plan.function.getArguments())
    takeLast(argument);
}

//===----------------------------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------------------------===//

/// Rows of another index than it is needed along are of no use.
void FunctionEmitter::addResult(OpResult original, Value result, const ComputedRows &rows) {
  Form form = types.getPositions().getDims(original.getType()).empty() ? Form::Whole : Form::Full;
  if (rows.row && form == Form::Full) {
    if (getRowIndex(original, plan.getDemand(original).rowDim) != *rows.row)
      return;
    form = rows.getForm();
  }
  forms[original][form] = result;
}

void FunctionEmitter::emitFormula(IndexedOpInterface op) {
  for (const Computation &computation : plan.computations.lookup(op)) {
    Operation *copy = emitComputation(builder, types, forms, scalars, op, computation);
    for (auto [original, result] : llvm::zip_equal(op->getResults(), copy->getResults()))
      addResult(original, result, computation);
  }
}

void FunctionEmitter::emitCall(func::CallOp call, StepPlan &calleePlan) {
  StepFunction &callee = emitter.emit(calleePlan);
  SmallVector<Value> operands;
  for (auto [operand, argument] :
       llvm::zip_equal(call.getOperands(), calleePlan.function.getArguments()))
    calleePlan.getDemand(argument).forEachForm(
        [&, from = Value(operand)](Form form) { operands.push_back(forms[from][form]); });
  llvm::append_range(operands, state.takeParts(callee, call.getLoc()));
  auto copy = func::CallOp::create(builder, call.getLoc(), callee.function, operands);
  unsigned next = 0;
  for (auto [original, demand] : llvm::zip_equal(call.getResults(), calleePlan.results))
    demand.forEachForm([&, original = Value(original)](Form form) {
      forms[original][form] = copy.getResult(next++);
    });
  state.addAppended(copy.getResults().drop_front(next));
}

void FunctionEmitter::emitReturn(func::ReturnOp ret) {
  SmallVector<Value> values;
  for (auto [value, demand] : llvm::zip_equal(ret.getOperands(), plan.results))
    demand.forEachForm(
        [&, value = Value(value)](Form form) { values.push_back(forms[value][form]); });
  llvm::append_range(values, state.getAppended());
  func::ReturnOp::create(builder, ret.getLoc(), values);
}

void FunctionEmitter::emitOp(Operation &op) {
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return emitReturn(ret);
  for (Value value : op.getResults())
    takeKept(value);
  if (auto indexed = dyn_cast<IndexedOpInterface>(op))
    emitFormula(indexed);
  else if (StepPlan *callee = plan.callees.lookup(&op))
    emitCall(cast<func::CallOp>(op), *callee);
  else if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>))
    builder.clone(op, scalars);
  else if (!isa<func::CallOp>(op) && plan.getDemand(op.getResult(0)).any()) // a weight
    forms[op.getResult(0)].whole = builder.clone(op)->getResult(0);
  for (Value value : op.getResults()) {
    if (plan.ownsCache(value))
      state.append(value, forms[value]);
    takeLast(value);
  }
}

void FunctionEmitter::run() {
  Block &body = *result.function.addEntryBlock();
  builder.setInsertionPointToEnd(&body);
  addArguments();
  for (Operation &op : plan.function.getBody().front())
    emitOp(op);
  result.function.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
}

//===----------------------------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------------------------===//

StepFunction &StepEmitter::emit(StepPlan &plan) {
  return functions.get(plan.function, &plan, [&](StepFunction &function) {
    FunctionEmitter(*this, plan, function).run();
  });
}
