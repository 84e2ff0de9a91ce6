//===- DeriveStep.cpp - weft-derive-step ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The entry that continues a sequence, from the formulas of the entry that sees all of it. The
// algorithm and its proof are in docs/Decoding.md: StepPlanner.cpp finds what is needed of each
// tensor and proves that nothing looks ahead (Causality.cpp); StepEmitter.cpp and StartEmitter.cpp
// write the functions.
//
//===----------------------------------------------------------------------------------------===//

#include "StepEmitter.h"
#include "StepPlanner.h"
#include "Verify/ToldSymbols.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace weft {
#define GEN_PASS_DEF_DERIVESTEPPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
class DeriveStepPass : public weft::impl::DeriveStepPassBase<DeriveStepPass> {
public:
  using DeriveStepPassBase::DeriveStepPassBase;
  void runOnOperation() override;

private:
  LogicalResult derive(func::FuncOp entry, GenerateAttr generate);
  LogicalResult emitFunctions(func::FuncOp entry, unsigned output, const Positions &positions,
                              StepPlan &plan, StepPlan &lastPlan);
  void finishEntry(func::FuncOp entry, unsigned output, StepFunction &step, func::FuncOp fed);
  void finishLast(func::FuncOp step, func::FuncOp last);
  void finishStart(func::FuncOp entry, StepFunction &step, StartFunction &start);
  LogicalResult refuse(const Refusal &refusal);
  std::string declareCount(const Twine &wanted, int64_t bound);
  LogicalResult checkSymbols(func::FuncOp step, BoundsAttr symbols);
};
} // namespace

LogicalResult DeriveStepPass::refuse(const Refusal &refusal) {
  InFlightDiagnostic diagnostic = require ? emitError(refusal.loc) : emitRemark(refusal.loc);
  diagnostic << refusal.message << (require ? "" : ": generation computes every position again");
  for (const auto &[loc, note] : refusal.notes)
    diagnostic.attachNote(loc) << note;
  return failure();
}

/// Declares a symbol that counts new positions, of the wanted name or one like it that is free.
std::string DeriveStepPass::declareCount(const Twine &wanted, int64_t bound) {
  auto symbols = attrs::Symbols::get(getOperation());
  SmallVector<StringAttr> names(symbols.getSymbols());
  SmallVector<int64_t> bounds(symbols.getBounds());
  auto isTaken = [&](StringRef name) {
    return llvm::any_of(names, [&](StringAttr other) { return other.getValue() == name; });
  };
  std::string count = wanted.str();
  while (isTaken(count))
    count += "_";
  names.push_back(StringAttr::get(&getContext(), count));
  bounds.push_back(bound);
  attrs::Symbols::set(getOperation(), BoundsAttr::get(&getContext(), names, bounds));
  return count;
}

/// New positions can be given in pieces: they are the first dimension of every input and of the
/// output, and there is no other dimension whose size is known at run time only.
static bool isFedByRows(func::FuncOp step) {
  auto isRows = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getRank() > 0 && tensor.isDynamicDim(0) && tensor.getNumDynamicDims() == 1;
  };
  for (unsigned i = 0; i != step.getNumArguments(); ++i)
    if (!attrs::State::getArg(step, i) && !attrs::Given::getArg(step, i) &&
        !isRows(step.getArgumentTypes()[i]))
      return false;
  return isRows(step.getResultTypes().front());
}

/// Makes the emitted function an entry: names, and which arguments and results are its state. Where
/// `fed` can be given pieces, windows are enough.
void DeriveStepPass::finishEntry(func::FuncOp entry, unsigned output, StepFunction &step,
                                 func::FuncOp fed) {
  Builder builder(&getContext());
  func::FuncOp function = step.function;
  function.setPublic();
  attrs::Entry::set(function);
  for (auto [i, origin] : llvm::enumerate(step.origins))
    function.setArgAttrs(i, entry.getArgAttrDict(origin));
  function.setResultAttrs(0, entry.getResultAttrDict(output));
  for (unsigned i = step.origins.size(); i != function.getNumArguments(); ++i)
    attrs::State::setArg(function, i);
  bool isFed = isFedByRows(fed);
  unsigned numCached = 0;
  for (auto [i, part] : llvm::enumerate(step.parts)) {
    unsigned argument = step.origins.size() + i;
    auto name = builder.getStringAttr(part.label + "." + std::to_string(i));
    attrs::Name::setArg(function, argument, name);
    if (!part.isCache)
      continue;
    ++numCached;
    if (part.rowDim == 0 && isWindow(part.reach, part.type.getDimSize(0)) && isFed)
      attrs::Window::setArg(function, argument, part.reach);
    attrs::Name::setResult(function, numCached, name);
    attrs::State::setResult(function, numCached);
  }
}

/// Its function is called like the step, and "_last".
void DeriveStepPass::finishLast(func::FuncOp step, func::FuncOp last) {
  SymbolTable functions(getOperation());
  std::string name = (step.getName() + "_last").str();
  while (functions.lookup(name))
    name += "_";
  last.setName(name);
  attrs::Last::set(last, FlatSymbolRefAttr::get(step));
}

/// Its results have the names of the parts of the state that they are.
void DeriveStepPass::finishStart(func::FuncOp entry, StepFunction &step, StartFunction &start) {
  func::FuncOp function = start.function;
  function.setPublic();
  attrs::Entry::set(function);
  attrs::Start::set(function, FlatSymbolRefAttr::get(step.function));
  for (auto [i, origin] : llvm::enumerate(start.origins))
    function.setArgAttrs(i, entry.getArgAttrDict(origin));
  unsigned next = 0;
  for (auto [i, part] : llvm::enumerate(step.parts)) {
    if (part.isCache)
      continue;
    unsigned argument = step.origins.size() + i;
    attrs::Name::setResult(function, next, attrs::Name::getArg(step.function, argument));
    attrs::State::setResult(function, next++);
  }
}

/// The result of `entry` that generates: needed in rows, along its first dimension of positions.
static std::optional<unsigned> findOutput(func::FuncOp entry, StringRef name,
                                          const Positions &positions) {
  for (unsigned i = 0; i != entry.getNumResults(); ++i)
    if (attrs::Name::getResultText(entry, i) == name &&
        !positions.getDims(entry.getResultTypes()[i]).empty())
      return i;
  return std::nullopt;
}

/// The arguments that new positions bring along.
static SmallVector<bool> findFreshArguments(func::FuncOp entry, const Positions &positions) {
  SmallVector<bool> fresh;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    // Whether an input of the new positions is given is new with every call, too.
    bool follows = i && attrs::Given::getArg(entry, i);
    fresh.push_back(follows ? fresh.back() : !positions.getDims(type).empty());
  }
  return fresh;
}

/// Whether the entry reads what an earlier call of it wrote: an input with the name and type of an
/// output, of a shape without positions. Such a model goes on from there by itself.
static bool carriesState(func::FuncOp entry, const Positions &positions) {
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    for (auto [j, written] : llvm::enumerate(entry.getResultTypes()))
      if (attrs::Name::getArg(entry, i) == attrs::Name::getResult(entry, j) && type == written &&
          positions.getDims(type).empty())
        return true;
  return false;
}

LogicalResult DeriveStepPass::derive(func::FuncOp entry, GenerateAttr generate) {
  StringRef position = generate.getAlong();
  StepPlanner planner(position);
  const Positions &positions = planner.getPositions();
  if (!require && carriesState(entry, positions))
    return success();
  std::optional<unsigned> output = findOutput(entry, generate.getOutput(), positions);
  if (!output)
    return refuse(
        {entry.getLoc(),
         ("the length '" + position + "' is fixed, so no step along it can be derived").str()});
  auto outputType = cast<RankedTensorType>(entry.getResultTypes()[*output]);
  SmallVector<Demand> rows(entry.getNumResults()), last = rows;
  rows[*output].rows = last[*output].last = true;
  rows[*output].rowDim = last[*output].rowDim = positions.getDims(outputType).front();
  SmallVector<bool> fresh = findFreshArguments(entry, positions);
  StepPlan *plan = planner.plan(entry, fresh, rows);
  StepPlan *lastPlan = plan ? planner.plan(entry, fresh, last) : nullptr;
  if (!lastPlan)
    return refuse(*planner.getRefusal());
  return emitFunctions(entry, *output, positions, *plan, *lastPlan);
}

/// The step, what it computes for the last position only, and the start of both. They share what
/// their plans share, so all layers but the last.
LogicalResult DeriveStepPass::emitFunctions(func::FuncOp entry, unsigned output,
                                            const Positions &positions, StepPlan &plan,
                                            StepPlan &lastPlan) {
  BoundsAttr symbols = attrs::Symbols::get(getOperation());
  int64_t bound =
      getBound(cast<RankedTensorType>(entry.getResultTypes()[output]), plan.results[output].rowDim);
  std::string count = declareCount("N", bound), lastCount = declareCount(count + "_last", bound);
  StepTypes types(positions, count, lastCount);
  StepEmitter emitter(getOperation(), types);
  StepFunction &step = emitter.emit(plan), &last = emitter.emit(lastPlan);
  for (const auto &[function, counted] : {std::pair(&step, count), std::pair(&last, lastCount)}) {
    attrs::Step::set(function->function, FlatSymbolRefAttr::get(entry), positions.getSymbol(),
                     counted);
    finishEntry(entry, output, *function, /*fed=*/step.function);
  }
  finishLast(step.function, last.function);
  ++numDerived;
  numCaches += llvm::count_if(step.parts, [](const StateTensor &part) { return part.isCache; });
  if (plan.hasStart)
    finishStart(entry, step, emitter.emitStart(plan));
  return checkSymbols(step.function, symbols);
}

/// The inputs that a step or its start need may tell less than those of the whole entry. Then the
/// module becomes what it was, with `symbols`.
LogicalResult DeriveStepPass::checkSymbols(func::FuncOp step, BoundsAttr symbols) {
  SmallVector<func::FuncOp> derived = {step};
  auto name = FlatSymbolRefAttr::get(step);
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (attrs::Start::get(function) == name || attrs::Last::get(function) == name)
      derived.push_back(function);
  for (func::FuncOp function : derived)
    if (std::optional<UntoldSymbol> untold = findUntoldSymbol(function)) {
      Refusal refusal{untold->op->getLoc(), "no input of '" + function.getName().str() +
                                                "' tells the size of '" + untold->symbol + "'"};
      for (func::FuncOp other : derived)
        other.erase();
      OpPassManager eraseUncalled(ModuleOp::getOperationName());
      eraseUncalled.addPass(createSymbolDCEPass());
      if (failed(runPipeline(eraseUncalled, getOperation())))
        return failure();
      attrs::Symbols::set(getOperation(), symbols);
      return refuse(refusal);
    }
  return success();
}

void DeriveStepPass::runOnOperation() {
  bool found = false;
  for (auto entry : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
    GenerateAttr generate = attrs::Generate::get(entry);
    if (!generate)
      continue;
    found = true;
    if (failed(derive(entry, generate)) && require)
      return signalPassFailure();
  }
  if (found || !require)
    return;
  getOperation().emitError("no entry says 'generate', so there is no step to derive");
  signalPassFailure();
}
