//===- VerifySequences.cpp - entries, steps and starts belong together ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The dialect verifies an attribute with its op alone; here is what takes the whole module.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/Transforms/VerifySequences.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;

namespace {
class SequenceVerifier {
public:
  explicit SequenceVerifier(ModuleOp module)
      : functions(module), symbols(attrs::Symbols::get(module)) {}
  LogicalResult verify(func::FuncOp function);

private:
  LogicalResult verifySymbol(func::FuncOp function, StringRef name, StringRef symbol);
  LogicalResult verifyStep(func::FuncOp function, StepAttr step);
  LogicalResult verifyLast(func::FuncOp function, FlatSymbolRefAttr all);
  LogicalResult verifyStart(func::FuncOp function, FlatSymbolRefAttr begun);

  SymbolTable functions;
  BoundsAttr symbols;
};
} // namespace

LogicalResult SequenceVerifier::verifySymbol(func::FuncOp function, StringRef name,
                                             StringRef symbol) {
  if (symbols &&
      llvm::is_contained(symbols.getSymbols(), StringAttr::get(function.getContext(), symbol)))
    return success();
  return function.emitError() << "'" << name << "' of '" << function.getName()
                              << "' names the symbol '" << symbol
                              << "', which is not among the module's " << attrs::Symbols::name;
}

LogicalResult SequenceVerifier::verifyStep(func::FuncOp function, StepAttr step) {
  auto entry = functions.lookup<func::FuncOp>(step.getEntry().getAttr());
  if (!entry || !attrs::Entry::isOn(entry) || attrs::Step::isOn(entry) || attrs::Start::isOn(entry))
    return function.emitError() << "'" << function.getName() << "' continues " << step.getEntry()
                                << ", which is no entry for a whole sequence";
  if (failed(verifySymbol(function, attrs::Step::name, step.getLength())))
    return failure();
  return verifySymbol(function, attrs::Step::name, step.getCount());
}

/// The state of a function as it lies in memory: the parts with their types and what of them is
/// kept.
static SmallVector<std::tuple<Attribute, Type, Attribute>> getState(func::FuncOp function) {
  SmallVector<std::tuple<Attribute, Type, Attribute>> parts;
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (attrs::State::getArg(function, i))
      parts.emplace_back(attrs::Name::getArg(function, i), function.getArgumentTypes()[i],
                         attrs::Window::getArg(function, i));
  return parts;
}

/// A sequence may be continued by a step and by what computes its last position, in turn.
LogicalResult SequenceVerifier::verifyLast(func::FuncOp function, FlatSymbolRefAttr all) {
  auto step = functions.lookup<func::FuncOp>(all.getAttr());
  if (!step || !attrs::Step::isOn(step) || attrs::Last::isOn(step))
    return function.emitError() << "'" << function.getName() << "' computes the last position of "
                                << all << ", which is no step";
  if (getState(function) == getState(step))
    return success();
  return function.emitError() << "'" << function.getName() << "' has not the state of " << all;
}

/// Every part of the state that a start makes, or reads, is one of the step's.
LogicalResult SequenceVerifier::verifyStart(func::FuncOp function, FlatSymbolRefAttr begun) {
  auto step = functions.lookup<func::FuncOp>(begun.getAttr());
  if (!step || !attrs::Step::isOn(step))
    return function.emitError() << "'" << function.getName() << "' begins the sequences of "
                                << begun << ", which is no step";
  llvm::StringSet<> parts;
  for (unsigned i = 0; i != step.getNumArguments(); ++i)
    if (attrs::State::getArg(step, i))
      parts.insert(attrs::Name::getArgText(step, i));
  SmallVector<StringRef> made;
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (attrs::State::getArg(function, i))
      made.push_back(attrs::Name::getArgText(function, i));
  for (unsigned i = 0; i != function.getNumResults(); ++i)
    if (attrs::State::getResult(function, i))
      made.push_back(attrs::Name::getResultText(function, i));
  for (StringRef part : made)
    if (!parts.contains(part))
      return function.emitError() << "'" << function.getName() << "' makes '" << part
                                  << "', which is no part of the state of " << begun;
  return success();
}

LogicalResult SequenceVerifier::verify(func::FuncOp function) {
  if (GenerateAttr generate = attrs::Generate::get(function))
    if (failed(verifySymbol(function, attrs::Generate::name, generate.getAlong())))
      return failure();
  if (StepAttr step = attrs::Step::get(function))
    if (failed(verifyStep(function, step)))
      return failure();
  if (FlatSymbolRefAttr all = attrs::Last::get(function))
    if (failed(verifyLast(function, all)))
      return failure();
  if (FlatSymbolRefAttr begun = attrs::Start::get(function))
    return verifyStart(function, begun);
  return success();
}

LogicalResult weft::verifySequences(ModuleOp module) {
  SequenceVerifier verifier(module);
  bool isValid = true;
  for (auto function : module.getOps<func::FuncOp>())
    isValid &= succeeded(verifier.verify(function));
  return success(isValid);
}
