//===- StartEmitter.cpp - writes what is done when a sequence starts ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StepEmitter.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;

namespace {
/// Writes one function: copies of the formulas that no position changes.
class StartFunctionEmitter {
public:
  StartFunctionEmitter(StepEmitter &emitter, const StepPlan &plan, StartFunction &result)
      : emitter(emitter), plan(plan), result(result), builder(plan.function.getContext()) {}
  void run();

private:
  void addArgument(BlockArgument argument);
  void emitOp(Operation &op);
  void emitLayer(StepPlan &callee, func::CallOp call);
  void keep(Value original);

  StepEmitter &emitter;
  const StepPlan &plan;
  StartFunction &result;
  OpBuilder builder;
  IRMapping mapping;
  SmallVector<Value> parts;
};
} // namespace

void StartFunctionEmitter::keep(Value original) {
  if (plan.isKept(original))
    parts.push_back(mapping.lookup(original));
}

void StartFunctionEmitter::addArgument(BlockArgument argument) {
  if (!plan.getDemand(argument).start)
    return;
  mapping.map(argument,
              result.function.getBody().addArgument(argument.getType(), argument.getLoc()));
  result.origins.push_back(argument.getArgNumber());
  keep(argument);
}

/// The part of a layer that no position changes.
void StartFunctionEmitter::emitLayer(StepPlan &callee, func::CallOp call) {
  StartFunction &start = emitter.emitStart(callee);
  SmallVector<Value> operands;
  for (unsigned origin : start.origins)
    operands.push_back(mapping.lookup(call.getOperand(origin)));
  auto copy = func::CallOp::create(builder, call.getLoc(), start.function, operands);
  llvm::append_range(parts, copy.getResults());
}

/// In the order of a step: what is kept of the results, then the state of the layer.
void StartFunctionEmitter::emitOp(Operation &op) {
  bool isScalar =
      !isa<CheckOp>(op) && llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
  if (isScalar || plan.startOps.contains(&op))
    builder.clone(op, mapping);
  for (Value value : op.getResults())
    keep(value);
  if (StepPlan *callee = plan.callees.lookup(&op); callee && callee->hasStart)
    emitLayer(*callee, cast<func::CallOp>(op));
}

void StartFunctionEmitter::run() {
  Block *body = result.function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  for (BlockArgument argument : plan.function.getArguments())
    addArgument(argument);
  for (Operation &op : plan.function.getBody().front().without_terminator())
    emitOp(op);
  func::ReturnOp::create(builder, plan.function.getLoc(), parts);
  result.function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), ValueRange(parts).getTypes()));
}

StartFunction &StepEmitter::emitStart(StepPlan &plan) {
  return starts.get(plan.function, &plan, [&](StartFunction &function) {
    StartFunctionEmitter(*this, plan, function).run();
  });
}
