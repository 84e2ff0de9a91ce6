//===- VerifyKernels.cpp - the contracts of the stages kernels and loops --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InPlace.h"
#include "VerifyMemoryPlan.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/VerifySequences.h"

#include "llvm/Support/MathExtras.h"

namespace weft {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#define GEN_PASS_DEF_VERIFYLOOPSPASS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------------------------===//

/// The state of a sequence has a place for each of its parts.
static LogicalResult verifyState(func::FuncOp function) {
  if (attrs::Step::isOn(function) && !attrs::StateBytes::isOn(function))
    return function.emitError() << "'" << function.getName() << "' does not know the bytes of its "
                                << "state ('" << attrs::StateBytes::name << "')";
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (attrs::State::getArg(function, i) && !attrs::StateOffset::getArg(function, i))
      return function.emitError() << "argument " << i << " of '" << function.getName()
                                  << "' has no place in the state ('" << attrs::StateOffset::name
                                  << "')";
  return success();
}

/// One formula of several.
static LogicalResult verifyJoined(Operation *anchor, const DenseMap<Value, Operation *> &writers) {
  if (!isa<FormulaOpInterface>(anchor))
    return anchor->emitError("is no formula, but one of several anchors of its kernel");
  WalkResult walked = anchor->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto writer = writers.find(operand);
          writer != writers.end() && writer->second != anchor && !operand.getDefiningOp<LocalOp>())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return walked.wasInterrupted()
             ? anchor->emitError("reads what another formula of its kernel writes")
             : success();
}

/// A kernel is one anchor on buffers and what it needs, or several formulas that do not read what
/// one of them writes, but for what is local to products.
static LogicalResult verifyKernel(func::FuncOp function) {
  SmallVector<Operation *> anchors;
  DenseMap<Value, Operation *> writers;
  for (Operation &op : function.front()) {
    if (isa<IndexedOpInterface>(op))
      anchors.push_back(&op);
    if (auto formula = dyn_cast<FormulaOpInterface>(op))
      for (Value output : formula.getOutputs())
        if (!writers.try_emplace(output, &op).second)
          return op.emitError("writes what another formula of its kernel writes");
    for (Type type : op.getResultTypes())
      if (isa<TensorType>(type))
        return op.emitError("a kernel works on buffers, not on tensors");
  }
  if (anchors.empty())
    return function.emitError() << "kernel '" << function.getName() << "' has no anchor";
  if (anchors.size() > 1)
    for (Operation *anchor : anchors)
      if (failed(verifyJoined(anchor, writers)))
        return failure();
  return success();
}

/// The bytes of a weight in the file; nothing if they cannot be counted.
static std::optional<int64_t> weightBytes(WeightOp weight) {
  return getLargestBytes(cast<MemRefType>(weight.getResult().getType()), BoundsAttr());
}

/// Weights lie one behind the other, after the file's header, each at a multiple of 64. Views of
/// one tensor have one place.
static LogicalResult verifyWeights(ModuleOp module) {
  SmallVector<WeightOp> weights;
  module.walk([&](WeightOp weight) {
    if (weight.getOffset())
      weights.push_back(weight);
  });
  llvm::sort(weights, [](WeightOp a, WeightOp b) { return *a.getOffset() < *b.getOffset(); });
  constexpr int64_t headerBytes = 64, alignment = 64;
  int64_t next = headerBytes;
  WeightOp last;
  for (WeightOp weight : weights) {
    int64_t offset = *weight.getOffset();
    std::optional<int64_t> bytes = weightBytes(weight);
    if (last && offset == int64_t(*last.getOffset()) && weight.getName() == last.getName() &&
        bytes == weightBytes(last))
      continue;
    if (offset != next || !bytes || next > maxTensorBytes)
      return weight.emitError() << "weight '" << weight.getName() << "' lies at byte " << offset
                                << " of the weights file, expected " << next;
    next = llvm::alignTo(next + *bytes, alignment);
    last = weight;
  }
  return success();
}

namespace {
class VerifyKernelsPass : public weft::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
public:
  void runOnOperation() override {
    bool isValid =
        succeeded(verifyWeights(getOperation())) && succeeded(verifySequences(getOperation()));
    SymbolTable functions(getOperation());
    KernelSymbols symbols;
    Arguments arguments(functions);
    lastCounts = getLastCounts(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (failed(verifyKernelArguments(function)) || failed(verifyState(function))) {
        isValid = false;
        continue;
      }
      isValid &= succeeded(attrs::Kernel::isOn(function)
                               ? verifyKernel(function)
                               : verifyCaller(function, functions, symbols, arguments));
    }
    if (!isValid)
      signalPassFailure();
  }

private:
  LogicalResult verifyCaller(func::FuncOp function, const SymbolTable &functions,
                             KernelSymbols &symbols, Arguments &arguments) {
    for (Operation &op : function.front()) {
      if (isa<IndexedOpInterface>(op))
        return op.emitError("is a formula outside of a kernel: it was not outlined");
      if (isa<LocalOp>(op))
        return op.emitError("is local to no kernel");
      auto weight = dyn_cast<WeightOp>(op);
      if (weight && !weight.getOffset())
        return op.emitError() << "weight '" << weight.getName()
                              << "' has no place in the weights file";
      auto launch = dyn_cast<LaunchOp>(op);
      if (launch && failed(verifySizes(launch, functions, symbols)))
        return failure();
      if (failed(verifyInPlace(&op, arguments)))
        return failure();
    }
    return verifyMemoryPlan(function, functions);
  }

  /// A kernel that counts new positions may be launched for the last one.
  LogicalResult verifySizes(LaunchOp launch, const SymbolTable &functions, KernelSymbols &symbols) {
    ArrayAttr needed = symbols.of(functions.lookup<func::FuncOp>(launch.getKernel()));
    auto isFor = [&](Attribute given, Attribute wanted) {
      auto found = lastCounts.find(cast<StringAttr>(given).getValue());
      return given == wanted ||
             (found != lastCounts.end() && found->second == cast<StringAttr>(wanted).getValue());
    };
    if (llvm::equal(launch.getSizes(), needed, isFor))
      return success();
    return launch.emitError() << "launches kernel '" << launch.getKernel() << "' with the sizes "
                              << launch.getSizes() << ", it needs " << needed;
  }

  llvm::StringMap<std::string> lastCounts;
};

//===----------------------------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------------------------===//

class VerifyLoopsPass : public weft::impl::VerifyLoopsPassBase<VerifyLoopsPass> {
public:
  void runOnOperation() override {
    bool isValid = true;
    getOperation()->walk([&](Operation *op) {
      if (isLowered(op))
        return;
      isValid = false;
      InFlightDiagnostic error = op->emitError()
                                 << "'" << op->getName() << "' has no lowering to LLVM";
      if (isa<IndexedOpInterface>(op))
        error.attachNote() << "a kernel without '" << attrs::Lowering::name
                           << "' is not written as loops";
    });
    if (!isValid)
      signalPassFailure();
  }

private:
  static bool isLowered(Operation *op) {
    // What weft-lower-calls and weft-lower-addresses turn into addresses, and what needs them.
    if (isa<ModuleOp, WeightOp, BufferOp, SlotOp, SizeOp, LaunchOp, AddressOp>(op))
      return true;
    static constexpr StringLiteral dialects[] = {"arith", "cf",     "func",   "gpu",
                                                 "llvm",  "math",   "memref", "nvx",
                                                 "scf",   "vector", "ub",     "weft_cpu"};
    return op->getDialect() && llvm::is_contained(dialects, op->getDialect()->getNamespace());
  }
};
} // namespace
