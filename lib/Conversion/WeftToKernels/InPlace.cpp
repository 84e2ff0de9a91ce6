//===- InPlace.cpp - arguments that may be one buffer ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InPlace.h"

#include "weft/Dialect/Weft/IR/Kernels.h"

using namespace mlir;
using namespace weft;

static unsigned numberOf(Value argument) { return cast<BlockArgument>(argument).getArgNumber(); }

/// Whether the step has the buffer in one place, and all others that have it are steps of the
/// function behind it, or in front of it: a part of the buffer may be used on either side.
static bool isOnOneSide(Operation *step, Value buffer, bool isBehind) {
  return llvm::count(step->getOperands(), buffer) == 1 &&
         llvm::all_of(buffer.getUsers(), [&](Operation *user) {
           return user == step ||
                  (user->getBlock() == step->getBlock() && !getFunctionOfStep(user).empty() &&
                   step->isBeforeInBlock(user) == isBehind);
         });
}

func::FuncOp Arguments::getCallee(Operation *step) const {
  StringRef name = getFunctionOfStep(step);
  return name.empty() ? func::FuncOp() : functions.lookup<func::FuncOp>(name);
}

/// What the epilogue of a kernel that is one product reads where it stores.
Arguments::Uses Arguments::ofKernel(func::FuncOp kernel) {
  Uses uses;
  auto formulas = llvm::to_vector(kernel.getOps<FormulaOpInterface>());
  for (FormulaOpInterface formula : formulas)
    for (Value output : formula.getOutputs())
      if (isa<BlockArgument>(output))
        uses.written.insert(numberOf(output));
  auto product = formulas.size() == 1 ? dyn_cast<ContractOp>(*formulas.front()) : ContractOp();
  if (!product || uses.written.size() != 1)
    return uses;
  FormulaOpInterface formula = formulas.front();
  Value result = formula.getOutputs().front();
  for (unsigned i = product.getFirstElementInput(); i < product.getInputs().size(); ++i) {
    Value input = product.getInputs()[i];
    if (isa<BlockArgument>(input) && input.hasOneUse() && input.getType() == result.getType() &&
        formula.getInputMap(i) == formula.getOutputIndexingMap(0))
      uses.inPlace.push_back({numberOf(input), numberOf(result)});
  }
  return uses;
}

Arguments::Uses Arguments::ofSteps(func::FuncOp function) {
  Uses uses;
  for (Operation &op : function.front()) {
    auto slot = dyn_cast<SlotOp>(op); // a part of a cache, for new rows
    func::FuncOp callee = getCallee(&op);
    for (auto [number, operand] : llvm::enumerate(op.getOperands()))
      if (isa<BlockArgument>(operand) && (slot || (callee && isWritten(callee, number))))
        uses.written.insert(numberOf(operand));
  }
  eachInPlace(function, *this, [&](Value read, Value written) {
    if (isa<BlockArgument>(read) && isa<BlockArgument>(written))
      uses.inPlace.push_back({numberOf(read), numberOf(written)});
  });
  return uses;
}

const Arguments::Uses &Arguments::of(func::FuncOp function) {
  auto [uses, isNew] = known.try_emplace(function.getName());
  if (!isNew || function.isExternal()) // one that calls itself is an error elsewhere
    return uses->second;
  Uses found = attrs::Kernel::isOn(function) ? ofKernel(function) : ofSteps(function);
  return known[function.getName()] = std::move(found);
}

void weft::eachInPlace(func::FuncOp function, Arguments &arguments,
                       function_ref<void(Value read, Value written)> body) {
  for (Operation &step : function.front())
    if (func::FuncOp callee = arguments.getCallee(&step))
      for (InPlace pair : arguments.getInPlace(callee)) {
        Value read = step.getOperand(pair.read), written = step.getOperand(pair.written);
        if (isOnOneSide(&step, read, /*isBehind=*/false) &&
            isOnOneSide(&step, written, /*isBehind=*/true))
          body(read, written);
      }
}

LogicalResult weft::verifyInPlace(Operation *step, Arguments &arguments) {
  func::FuncOp callee = arguments.getCallee(step);
  if (!callee)
    return success();
  auto isInPlace = [&](unsigned read, unsigned written) {
    return llvm::any_of(arguments.getInPlace(callee),
                        [&](InPlace pair) { return pair.read == read && pair.written == written; });
  };
  for (auto [written, buffer] : llvm::enumerate(step->getOperands()))
    for (auto [read, other] : llvm::enumerate(step->getOperands()))
      if (buffer == other && read != written && arguments.isWritten(callee, written) &&
          !isInPlace(read, written) && !isInPlace(written, read))
        return step->emitError() << "writes operand " << written << ", which is operand " << read
                                 << ", too: only what a product's epilogue reads where it stores "
                                    "may be its result";
  return success();
}
