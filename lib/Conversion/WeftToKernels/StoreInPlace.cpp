//===- StoreInPlace.cpp - results in the place of what nothing else reads -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Callees first, step after step. A product's epilogue reads an element of what it adds, then it
// stores that of the result, and no other task has anything to do with either: so both may be one.
// A layer may be passed one buffer for two arguments if the step that writes the one first is the
// last one that reads the other, at the same places.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace weft {
#define GEN_PASS_DEF_STOREINPLACE
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

/// Arguments of a function that may be one buffer: what is read, and what is written in its place.
struct InPlace {
  unsigned read, written;
};
using InPlaces = SmallVector<InPlace, 1>;

/// The same of a step, as buffers of its function.
struct Buffers {
  Value read, written;
};

class StoreInPlacePass : public weft::impl::StoreInPlaceBase<StoreInPlacePass> {
public:
  using StoreInPlaceBase::StoreInPlaceBase;

  void runOnOperation() override {
    known.clear();
    SymbolTable functions(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      visit(function, functions);
  }

private:
  const InPlaces &visit(func::FuncOp function, const SymbolTable &functions);
  InPlaces visitSteps(func::FuncOp function, const SymbolTable &functions);
  /// Calls `body` for what a step may store in place.
  void eachPair(func::FuncOp function, const SymbolTable &functions,
                function_ref<void(const Buffers &buffers)> body);

  llvm::StringMap<InPlaces> known; ///< of functions
};

} // namespace

static unsigned numberOf(Value argument) { return cast<BlockArgument>(argument).getArgNumber(); }

/// What the epilogue of a kernel that is a product reads where it stores.
static InPlaces readInPlace(func::FuncOp kernel) {
  auto formulas = llvm::to_vector(kernel.getOps<FormulaOpInterface>());
  auto product = formulas.size() == 1 ? dyn_cast<ContractOp>(*formulas.front()) : ContractOp();
  if (!product)
    return {};
  FormulaOpInterface formula = formulas.front();
  Value result = formula.getOutputs().front();
  AffineMap places = formula.getOutputIndexingMap(0);
  InPlaces pairs;
  for (unsigned i = product.getFirstElementInput(); i < product.getInputs().size(); ++i) {
    Value input = product.getInputs()[i];
    if (input.getType() == result.getType() && input.hasOneUse() &&
        formula.getInputMap(i) == places)
      pairs.push_back({numberOf(input), numberOf(result)});
  }
  return pairs;
}

/// Whether the step has the buffer in one place, and all others that have it are steps behind it,
/// or in front of it: a part of the buffer may be used on either side.
static bool isOnOneSide(Operation *step, Value buffer, bool isBehind) {
  return llvm::count(step->getOperands(), buffer) == 1 &&
         llvm::all_of(buffer.getUsers(), [&](Operation *user) {
           return user == step ||
                  (step->isBeforeInBlock(user) == isBehind && !getFunctionOfStep(user).empty());
         });
}

/// Makes both one, if each may be; results of entries are the caller's.
static bool merge(const Buffers &buffers) {
  auto read = buffers.read.getDefiningOp<BufferOp>();
  if (!read || buffers.read.getType() != buffers.written.getType())
    return false;
  if (auto written = buffers.written.getDefiningOp<BufferOp>()) {
    read.setBytes(std::max(read.getBytes(), written.getBytes()));
    written.replaceAllUsesWith(buffers.read);
    written.erase();
    return true;
  }
  auto argument = dyn_cast<BlockArgument>(buffers.written);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!function || !function.isPrivate())
    return false;
  std::optional<int64_t> bytes =
      getLargestBytes(cast<MemRefType>(argument.getType()),
                      attrs::Bounds::getArg(function, argument.getArgNumber()));
  if (!bytes || *bytes < int64_t(read.getBytes()))
    return false;
  read.replaceAllUsesWith(buffers.written);
  read.erase();
  return true;
}

void StoreInPlacePass::eachPair(func::FuncOp function, const SymbolTable &functions,
                                function_ref<void(const Buffers &buffers)> body) {
  for (Operation &step : function.front())
    if (auto callee = functions.lookup<func::FuncOp>(getFunctionOfStep(&step)))
      for (InPlace pair : visit(callee, functions)) {
        Buffers buffers{step.getOperand(pair.read), step.getOperand(pair.written)};
        if (isOnOneSide(&step, buffers.read, /*isBehind=*/false) &&
            isOnOneSide(&step, buffers.written, /*isBehind=*/true))
          body(buffers);
      }
}

/// An argument that a later step writes may have become that of an earlier one.
InPlaces StoreInPlacePass::visitSteps(func::FuncOp function, const SymbolTable &functions) {
  eachPair(function, functions, [&](const Buffers &buffers) { numMerged += merge(buffers); });
  InPlaces pairs;
  eachPair(function, functions, [&](const Buffers &buffers) {
    if (isa<BlockArgument>(buffers.read) && isa<BlockArgument>(buffers.written))
      pairs.push_back({numberOf(buffers.read), numberOf(buffers.written)});
  });
  return pairs;
}

const InPlaces &StoreInPlacePass::visit(func::FuncOp function, const SymbolTable &functions) {
  if (auto pairs = known.find(function.getName()); pairs != known.end())
    return pairs->second;
  known[function.getName()]; // of one that calls itself, which is an error elsewhere
  InPlaces pairs;
  if (!function.isExternal())
    pairs = attrs::Kernel::isOn(function) ? readInPlace(function) : visitSteps(function, functions);
  return known[function.getName()] = pairs;
}
