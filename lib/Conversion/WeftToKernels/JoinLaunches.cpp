//===- JoinLaunches.cpp - launches that do not depend on each other are one -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// 1. A launch goes up to the nearest one before it with which it can be one, past what it has no
//    buffer in common with that either writes.
// 2. Both kernels' formulas become one kernel's; others of the same formulas, on buffers that are
//    the same in the same places, share it.
// 3. Kernels that nothing launches any more are dropped.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Kernels.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace weft {
#define GEN_PASS_DEF_JOINLAUNCHES
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Formulas of a kernel, and steps that a launch goes past: buffers are alive for longer by these.
static constexpr size_t kMostFormulas = 4;
static constexpr unsigned kMostSteps = 16;

/// The memory that a buffer is a part of.
static Value getMemory(Value buffer) {
  auto slot = buffer.getDefiningOp<SlotOp>();
  return slot ? slot.getCache() : buffer;
}

/// Whether one of them writes memory that the other reads or writes. Of a call that may be all that
/// it is passed; a check says whether those behind it may run.
static bool areOrdered(LaunchOp launch, Operation *before) {
  auto other = dyn_cast<LaunchOp>(before);
  if (!other && getFunctionOfStep(before).empty())
    return false;
  if (other && other.getOutputs().empty())
    return true;
  ValueRange written = other ? ValueRange(other.getOutputs()) : before->getOperands();
  auto meet = [](ValueRange some, ValueRange others) {
    return llvm::any_of(some, [&](Value buffer) {
      return llvm::any_of(others, [&](Value one) { return getMemory(one) == getMemory(buffer); });
    });
  };
  return meet(launch->getOperands(), written) || meet(launch.getOutputs(), before->getOperands());
}

/// Products of one unit are alike, and maps, and rows.
static bool areAlike(FormulaOpInterface a, FormulaOpInterface b) {
  if (!isa<MapOp, ContractOp, RowOp>(a) || a->getName() != b->getName())
    return false;
  auto typeOf = [](FormulaOpInterface op, unsigned i) {
    return cast<ShapedType>(op.getInputs()[i].getType()).getElementType();
  };
  return !isa<ContractOp>(a) || (typeOf(a, 0) == typeOf(b, 0) && typeOf(a, 1) == typeOf(b, 1));
}

namespace {

/// Two launches as one.
class LaunchPair {
public:
  LaunchPair(LaunchOp first, LaunchOp second, const SymbolTable &functions, KernelSymbols &symbols)
      : launches{first, second}, symbols(symbols) {
    for (auto [launch, kernel] : llvm::zip(launches, kernels))
      kernel = functions.lookup<func::FuncOp>(launch.getKernel());
  }

  bool canBeOne();
  /// What the kernel of both depends on.
  std::string getKey();
  std::string getName() { return (kernels[0].getName() + ".and." + kernels[1].getName()).str(); }
  func::FuncOp makeKernel(StringRef name);
  void launch(func::FuncOp kernel);

private:
  bool collectSizes();
  bool haveOneFactor();
  void collectOperands();
  unsigned getPlace(Value input, BlockArgument argument);

  std::array<LaunchOp, 2> launches;
  std::array<func::FuncOp, 2> kernels;
  KernelSymbols &symbols;
  llvm::MapVector<Attribute, Attribute> sizes; ///< what is passed for each symbol
  /// Of both, each input once, and for each argument of a kernel which of these it is.
  SmallVector<Value> inputs, outputs;
  SmallVector<BlockArgument> arguments; ///< of either kernel, for inputs and then outputs
  std::array<SmallVector<unsigned>, 2> places;
};

} // namespace

/// For a symbol one value is passed.
bool LaunchPair::collectSizes() {
  for (auto [launch, kernel] : llvm::zip(launches, kernels))
    for (auto [symbol, given] : llvm::zip_equal(symbols.of(kernel), launch.getSizes()))
      if (sizes.insert({symbol, given}).first->second != given)
        return false;
  return true;
}

/// Of products, so that there are as many rows of each.
bool LaunchPair::haveOneFactor() {
  std::array<SmallVector<Value>, 2> factors;
  for (unsigned i : {0, 1})
    for (auto product : kernels[i].getOps<ContractOp>())
      for (Value factor : {product.getLhs(), product.getRhs()})
        factors[i].push_back(launches[i]->getOperand(cast<BlockArgument>(factor).getArgNumber()));
  return factors[0].empty() || llvm::any_of(factors[0], [&](Value factor) {
           return llvm::is_contained(factors[1], factor);
         });
}

static DictionaryAttr getAttributes(BlockArgument argument) {
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel.getArgAttrDict(argument.getArgNumber());
}

/// Which of the inputs this is. Kernels may know different symbols of one buffer.
unsigned LaunchPair::getPlace(Value input, BlockArgument argument) {
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
      arguments.push_back(kernels[i].getArgument(unsigned(places[i].size())));
      places[i].push_back(unsigned(arguments.size()) - 1);
      outputs.push_back(output);
    }
}

bool LaunchPair::canBeOne() {
  SmallVector<FormulaOpInterface> all;
  for (func::FuncOp kernel : kernels) {
    if (!kernel || kernel.isExternal())
      return false;
    auto formulas = kernel.getOps<FormulaOpInterface>();
    if (formulas.empty()) // a check
      return false;
    llvm::append_range(all, formulas);
  }
  bool areAllAlike = all.size() <= kMostFormulas && llvm::all_of(all, [&](FormulaOpInterface op) {
                       return areAlike(all.front(), op);
                     });
  if (!areAllAlike || !haveOneFactor() || !collectSizes())
    return false;
  collectOperands();
  return true;
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

func::FuncOp LaunchPair::makeKernel(StringRef name) {
  OpBuilder b(kernels[0]);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument argument : arguments) {
    types.push_back(argument.getType());
    attributes.push_back(getAttributes(argument));
  }
  auto joined = func::FuncOp::create(b, kernels[0].getLoc(), name, b.getFunctionType(types, {}));
  joined.setPrivate();
  attrs::Kernel::set(joined);
  b.setInsertionPointToEnd(joined.addEntryBlock());
  joined.setAllArgAttrs(attributes);
  for (auto [kernel, place] : llvm::zip(kernels, places)) {
    IRMapping mapping;
    for (auto [argument, number] : llvm::zip_equal(kernel.getArguments(), place))
      mapping.map(argument, joined.getArgument(number));
    for (Operation &op : kernel.front().without_terminator())
      b.clone(op, mapping);
  }
  func::ReturnOp::create(b, joined.getLoc());
  return joined;
}

/// In the first one's place, with what the second one's buffers are made by in front of it.
void LaunchPair::launch(func::FuncOp kernel) {
  LaunchOp first = launches[0], second = launches[1];
  for (Value operand : second->getOperands())
    if (Operation *source = operand.getDefiningOp(); source && first->isBeforeInBlock(source))
      source->moveBefore(first);
  OpBuilder b(first);
  SmallVector<Attribute> given;
  for (Attribute symbol : symbols.of(kernel))
    given.push_back(sizes.lookup(symbol));
  LaunchOp::create(b, first.getLoc(), kernel.getName(), inputs, outputs, b.getArrayAttr(given));
  first.erase();
  second.erase();
}

namespace {

class JoinLaunchesPass : public weft::impl::JoinLaunchesBase<JoinLaunchesPass> {
public:
  using JoinLaunchesBase::JoinLaunchesBase;

  void runOnOperation() override {
    // A pass may run again, when what was known of other kernels is not true any more.
    symbols = {};
    known.clear();
    made.clear();
    SymbolTable functions(getOperation());
    SmallVector<func::FuncOp> callers, kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        (attrs::Kernel::isOn(function) ? kernels : callers).push_back(function);
    for (func::FuncOp caller : callers)
      for (auto launch : llvm::to_vector(caller.getOps<LaunchOp>()))
        moveUp(launch, functions);
    dropUnused(kernels, functions);
  }

private:
  void moveUp(LaunchOp launch, SymbolTable &functions) {
    unsigned steps = 0;
    for (Operation *op = launch->getPrevNode(); op && steps != kMostSteps; op = op->getPrevNode()) {
      if (areOrdered(launch, op))
        return;
      steps += !getFunctionOfStep(op).empty();
      auto other = dyn_cast<LaunchOp>(op);
      if (!other)
        continue;
      LaunchPair pair(other, launch, functions, symbols);
      if (pair.canBeOne())
        return join(pair, functions);
    }
  }

  void join(LaunchPair &pair, SymbolTable &functions) {
    func::FuncOp &kernel = known[pair.getKey()];
    if (!kernel) {
      kernel = pair.makeKernel(pair.getName());
      functions.insert(kernel);
      made.push_back(kernel);
    }
    pair.launch(kernel);
    ++numJoined;
  }

  /// Those that were launched before and are not any more, and steps on the way to others.
  void dropUnused(ArrayRef<func::FuncOp> before, SymbolTable &functions) {
    llvm::StringSet<> launched;
    getOperation().walk([&](LaunchOp launch) { launched.insert(launch.getKernel()); });
    for (ArrayRef<func::FuncOp> all : {before, ArrayRef(made)})
      for (func::FuncOp kernel : all)
        if (!launched.contains(kernel.getName()))
          functions.erase(kernel);
  }

  KernelSymbols symbols;
  llvm::StringMap<func::FuncOp> known; ///< by their keys
  SmallVector<func::FuncOp> made;
};

} // namespace
