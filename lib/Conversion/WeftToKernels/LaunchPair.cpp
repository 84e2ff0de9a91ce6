//===- LaunchPair.cpp - two launches as one -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LaunchPair.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;

/// The place of an argument that the kernel of both has not.
static constexpr unsigned kLocal = ~0u;

LaunchPair::LaunchPair(LaunchOp first, LaunchOp second, const SymbolTable &functions,
                       KernelSymbols &symbols)
    : launches{first, second}, symbols(symbols) {
  for (auto [launch, kernel] : llvm::zip(launches, kernels))
    kernel = functions.lookup<func::FuncOp>(launch.getKernel());
}

bool LaunchPair::haveOneSize() {
  for (auto [launch, kernel] : llvm::zip(launches, kernels))
    for (auto [symbol, given] : llvm::zip_equal(symbols.of(kernel), launch.getSizes()))
      if (sizes.insert({symbol, given}).first->second != given)
        return false;
  return true;
}

static DictionaryAttr getAttributes(BlockArgument argument) {
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel.getArgAttrDict(argument.getArgNumber());
}

/// Which of the inputs this is. Kernels may know different symbols of one buffer.
unsigned LaunchPair::getPlace(Value input, BlockArgument argument) {
  if (input == local)
    return kLocal;
  for (unsigned i = 0; i != inputs.size(); ++i)
    if (inputs[i] == input && getAttributes(arguments[i]) == getAttributes(argument))
      return i;
  inputs.push_back(input);
  arguments.push_back(argument);
  return unsigned(inputs.size()) - 1;
}

void LaunchPair::collectOperands() {
  for (unsigned i : {0, 1})
    for (auto [number, input] : llvm::enumerate(launches[i].getInputs()))
      places[i].push_back(getPlace(input, kernels[i].getArgument(unsigned(number))));
  for (unsigned i : {0, 1})
    for (Value output : launches[i].getOutputs()) {
      BlockArgument argument = kernels[i].getArgument(unsigned(places[i].size()));
      places[i].push_back(output == local ? kLocal : unsigned(arguments.size()));
      if (output == local)
        continue;
      arguments.push_back(argument);
      outputs.push_back(output);
    }
}

std::string LaunchPair::getKey() {
  std::string key;
  llvm::raw_string_ostream os(key);
  for (auto [kernel, place] : llvm::zip(kernels, places)) {
    os << kernel.getName() << " ";
    llvm::interleaveComma(place, os);
    os << "\n";
  }
  return key;
}

std::string LaunchPair::getName() const {
  func::FuncOp first = kernels[0], second = kernels[1];
  return (first.getName() + (local ? ".in." : ".and.") + second.getName()).str();
}

func::FuncOp LaunchPair::makeKernel() {
  OpBuilder b(kernels[0]);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument argument : arguments) {
    types.push_back(argument.getType());
    attributes.push_back(getAttributes(argument));
  }
  Location loc = kernels[local ? 1 : 0].getLoc();
  auto joined = func::FuncOp::create(b, loc, getName(), b.getFunctionType(types, {}));
  joined.setPrivate();
  attrs::Kernel::set(joined);
  b.setInsertionPointToEnd(joined.addEntryBlock());
  joined.setAllArgAttrs(attributes);
  Value between = local ? LocalOp::create(b, loc, local.getType()) : Value();
  for (auto [kernel, place] : llvm::zip(kernels, places)) {
    IRMapping mapping;
    for (auto [argument, number] : llvm::zip_equal(kernel.getArguments(), place))
      mapping.map(argument, number == kLocal ? between : joined.getArgument(number));
    for (Operation &op : kernel.front().without_terminator())
      b.clone(op, mapping);
  }
  func::ReturnOp::create(b, loc);
  return joined;
}

/// What the buffers of the one that moves are made by comes in front.
LaunchOp LaunchPair::launch(func::FuncOp kernel) {
  LaunchOp first = launches[0], second = launches[1];
  if (!local)
    for (Value operand : second->getOperands())
      if (Operation *source = operand.getDefiningOp(); source && first->isBeforeInBlock(source))
        source->moveBefore(first);
  OpBuilder b(local ? second : first);
  SmallVector<Attribute> given;
  for (Attribute symbol : symbols.of(kernel))
    given.push_back(sizes.lookup(symbol));
  auto both = LaunchOp::create(b, launches[local ? 1 : 0].getLoc(), kernel.getName(), inputs,
                               outputs, b.getArrayAttr(given));
  first.erase();
  second.erase();
  if (local)
    local.getDefiningOp()->erase();
  return both;
}

JoinedKernels::JoinedKernels(ModuleOp module) : module(module), functions(module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      (attrs::Kernel::isOn(function) ? kernels : callers).push_back(function);
}

LaunchOp JoinedKernels::join(LaunchPair &pair) {
  pair.collectOperands();
  func::FuncOp &kernel = known[pair.getKey()];
  if (!kernel) {
    kernel = pair.makeKernel();
    functions.insert(kernel);
    kernels.push_back(kernel);
  }
  return pair.launch(kernel);
}

void JoinedKernels::dropUnused() {
  llvm::StringSet<> launched;
  module.walk([&](LaunchOp launch) { launched.insert(launch.getKernel()); });
  for (func::FuncOp kernel : kernels)
    if (!launched.contains(kernel.getName()))
      functions.erase(kernel);
}
