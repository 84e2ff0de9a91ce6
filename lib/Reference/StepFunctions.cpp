//===- StepFunctions.cpp - the derived functions of an entry, and their interpretation ------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StepFunctions.h"

using namespace mlir;
using namespace weft;

std::string weft::argumentName(func::FuncOp function, unsigned i) {
  if (auto given = attrs::Given::getArg(function, i))
    return "given " + given.str();
  return attrs::Name::getArgText(function, i).str();
}

StepFunctions StepFunctions::find(ModuleOp module, StringRef entry) {
  StepFunctions functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (StepAttr step = attrs::Step::get(function);
        step && step.getEntry().getValue() == entry && !attrs::Last::isOn(function)) {
      functions.step = function;
      functions.length = step.getLength();
      functions.count = step.getCount();
    }
  if (!functions.step)
    return functions;
  auto name = FlatSymbolRefAttr::get(functions.step);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (attrs::Start::get(function) == name)
      functions.start = function;
    if (attrs::Last::get(function) == name)
      functions.last = function;
  }
  return functions;
}

llvm::Expected<std::vector<TensorRef>> weft::pickInputs(func::FuncOp function,
                                                        const StepInputs &inputs) {
  std::vector<TensorRef> picked;
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    if (attrs::State::getArg(function, i))
      continue;
    auto found = inputs.find(argumentName(function, i));
    if (found == inputs.end())
      return llvm::createStringError("the whole entry has no input '" + argumentName(function, i) +
                                     "'");
    picked.push_back(found->second);
  }
  return picked;
}

/// What the start makes, by the names of the parts of the state.
llvm::Expected<llvm::StringMap<TensorRef>>
InterpretedState::runStart(llvm::StringMap<int64_t> symbols, const StepInputs &inputs) {
  llvm::StringMap<TensorRef> made;
  if (!functions.start)
    return made;
  InterpreterOptions interpreter;
  interpreter.symbols = std::move(symbols);
  interpreter.weights = options.weights;
  // As the compiled start does: tables for all the positions that there can be.
  auto module = functions.start->getParentOfType<ModuleOp>();
  auto bounds = attrs::Symbols::get(module);
  for (auto [symbol, bound] : llvm::zip(bounds.getSymbols(), bounds.getBounds()))
    if (symbol.getValue() == functions.length)
      interpreter.symbols[functions.length] = bound;
  auto given = pickInputs(functions.start, inputs);
  if (!given)
    return given.takeError();
  auto results = interpret(functions.start, *given, interpreter);
  if (!results)
    return results.takeError();
  for (auto [i, result] : llvm::enumerate(*results))
    made[attrs::Name::getResultText(functions.start, i)] = result;
  return made;
}

llvm::Error InterpretedState::begin(llvm::StringMap<int64_t> symbols, const StepInputs &inputs) {
  auto made = runStart(std::move(symbols), inputs);
  if (!made)
    return made.takeError();
  parts.clear();
  for (unsigned i = 0; i != functions.step.getNumArguments(); ++i) {
    if (!attrs::State::getArg(functions.step, i))
      continue;
    if (TensorRef part = made->lookup(argumentName(functions.step, i))) {
      parts.push_back(part);
      continue;
    }
    auto type = cast<RankedTensorType>(functions.step.getArgumentTypes()[i]);
    llvm::Expected<Tensor::Kind> kind = Tensor::kindOf(type.getElementType());
    if (!kind)
      return kind.takeError();
    parts.push_back(std::make_shared<Tensor>(*kind, type.getShape()));
  }
  return llvm::Error::success();
}

llvm::Expected<TensorRef> InterpretedState::advance(const llvm::StringMap<int64_t> &symbols,
                                                    ArrayRef<TensorRef> inputs, bool last) {
  func::FuncOp step = last ? functions.last : functions.step;
  InterpreterOptions interpreter;
  interpreter.symbols = symbols;
  if (last)
    interpreter.symbols[attrs::Step::get(step).getCount()] = 1;
  interpreter.weights = options.weights;
  std::vector<TensorRef> all(inputs.begin(), inputs.end());
  llvm::append_range(all, parts);
  auto results = interpret(step, all, interpreter);
  if (!results)
    return results.takeError();
  // Caches with their new rows take the place of those without, by name.
  for (unsigned i = 1; i != step.getNumResults(); ++i) {
    unsigned next = 0;
    for (unsigned j = 0; j != step.getNumArguments(); ++j) {
      if (!attrs::State::getArg(step, j))
        continue;
      if (attrs::Name::getArg(step, j) == attrs::Name::getResult(step, i))
        parts[next] = (*results)[i];
      ++next;
    }
  }
  return results->front();
}
