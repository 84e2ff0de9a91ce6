//===- StartEmitter.cpp - writes what is done when a sequence starts ------------------------===//

#include "StepEmitter.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weft;

namespace {
/// Writes one function: copies of the formulas that no position changes.
class StartFunctionEmitter {
public:
  StartFunctionEmitter(StepEmitter &emitter, StepPlan &plan, StartFunction &result)
      : emitter(emitter), plan(plan), result(result), builder(plan.function.getContext()) {}
  void run();

private:
  void emitOp(Operation &op);
  void emitLayer(StepPlan &callee, func::CallOp call);
  bool isNeeded(Operation &op);

  StepEmitter &emitter;
  StepPlan &plan;
  StartFunction &result;
  OpBuilder builder;
  IRMapping mapping;
  SmallVector<Value> parts;
};
} // namespace

bool StartFunctionEmitter::isNeeded(Operation &op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return llvm::none_of(getReads(check),
                         [&](const TensorRead &read) { return plan.isFresh(read.tensor); });
  if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>))
    return !isa<func::ReturnOp>(op); // a scalar
  return llvm::any_of(op.getResults(), [&](Value value) {
    return plan.getDemand(value).start || plan.isKept(value);
  });
}

/// The part of a layer that no position changes.
void StartFunctionEmitter::emitLayer(StepPlan &callee, func::CallOp call) {
  StartFunction &start = emitter.emitStart(callee);
  SmallVector<Value> operands;
  for (unsigned origin : start.origins)
    operands.push_back(mapping.lookup(call.getOperand(origin)));
  auto clone = func::CallOp::create(builder, call.getLoc(), start.function, operands);
  llvm::append_range(parts, clone.getResults());
}

void StartFunctionEmitter::emitOp(Operation &op) {
  if (StepPlan *callee = plan.callees.lookup(&op); callee && callee->hasStart)
    return emitLayer(*callee, cast<func::CallOp>(op));
  if (!isNeeded(op))
    return;
  builder.clone(op, mapping);
  for (Value value : op.getResults())
    if (plan.isKept(value))
      parts.push_back(mapping.lookup(value));
}

void StartFunctionEmitter::run() {
  func::FuncOp source = plan.function;
  OpBuilder at(source);
  at.setInsertionPointAfter(source);
  result.function = func::FuncOp::create(
      at, source.getLoc(), (source.getSymName() + "_start").str(), at.getFunctionType({}, {}));
  result.function.setPrivate();
  SymbolTable(emitter.getModule()).insert(result.function);
  Block *body = result.function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  for (BlockArgument argument : source.getArguments()) {
    if (!plan.getDemand(argument).start)
      continue;
    mapping.map(argument, body->addArgument(argument.getType(), argument.getLoc()));
    result.origins.push_back(argument.getArgNumber());
    if (plan.isKept(argument))
      parts.push_back(mapping.lookup(argument));
  }
  for (Operation &op : source.getBody().front().without_terminator())
    emitOp(op);
  func::ReturnOp::create(builder, source.getLoc(), parts);
  result.function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), ValueRange(parts).getTypes()));
}

StartFunction &StepEmitter::emitStart(StepPlan &plan) {
  std::unique_ptr<StartFunction> &slot = starts[&plan];
  if (!slot) {
    auto function = std::make_unique<StartFunction>();
    StartFunctionEmitter(*this, plan, *function).run();
    starts[&plan] = std::move(function);
  }
  return *starts[&plan];
}
