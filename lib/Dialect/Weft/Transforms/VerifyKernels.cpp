//===- VerifyKernels.cpp - the contracts of the stages kernels and loops --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

#include <map>

namespace weft {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#define GEN_PASS_DEF_VERIFYLOOPSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Kernels: memory
//===----------------------------------------------------------------------------------------===//

namespace {
/// Bytes of the arena that are taken from call number `first` to `last`, both included.
struct Block {
  Operation *op;
  int64_t offset, bytes, first, last;

  bool overlaps(const Block &other) const {
    bool inTime = first <= other.last && other.first <= last;
    bool inSpace = offset < other.offset + other.bytes && other.offset < offset + bytes;
    return inTime && inSpace;
  }
};

/// The memory plan of one function that calls kernels.
class PlanVerifier {
public:
  PlanVerifier(func::FuncOp function, const SymbolTable &functions)
      : function(function), functions(functions) {}
  LogicalResult verify();

private:
  void collect();
  LogicalResult verifyBlock(const Block &block, int64_t arena);
  LogicalResult verifyUses(BufferOp buffer);
  LogicalResult verifyApart();

  func::FuncOp function;
  const SymbolTable &functions;
  SmallVector<Block> blocks;
  llvm::DenseMap<Operation *, int64_t> callNumbers;
};
} // namespace

void PlanVerifier::collect() {
  for (Operation &op : function.front()) {
    if (auto buffer = dyn_cast<BufferOp>(op))
      blocks.push_back({&op, int64_t(buffer.getOffset()), int64_t(buffer.getBytes()),
                        int64_t(buffer.getFirst()), int64_t(buffer.getLast())});
    StringRef called = getFunctionOfStep(&op);
    if (called.empty())
      continue;
    int64_t number = callNumbers.size();
    callNumbers[&op] = number;
    // A layer works in a part of its caller's arena.
    Operation *callee = functions.lookup(called);
    if (int64_t bytes = callee ? attrs::Scratch::getInt(callee) : 0)
      blocks.push_back({&op, attrs::Arena::getInt(&op, -1), bytes, number, number});
  }
}

LogicalResult PlanVerifier::verifyBlock(const Block &block, int64_t arena) {
  if (block.offset < 0)
    return block.op->emitError("has no place in the arena");
  if (block.bytes < 0 || block.first > block.last)
    return block.op->emitError("has no size or no lifetime");
  if (block.offset > arena || block.bytes > arena - block.offset)
    return block.op->emitError() << "lies at byte " << block.offset << " with " << block.bytes
                                 << " bytes, in an arena of " << arena << " bytes";
  return success();
}

/// A buffer is used while it is live.
LogicalResult PlanVerifier::verifyUses(BufferOp buffer) {
  for (Operation *user : buffer.getResult().getUsers()) {
    auto number = callNumbers.find(user);
    if (number == callNumbers.end() || (number->second >= int64_t(buffer.getFirst()) &&
                                        number->second <= int64_t(buffer.getLast())))
      continue;
    return buffer.emitError() << "is live from call " << buffer.getFirst() << " to "
                              << buffer.getLast() << " but used by call " << number->second;
  }
  return success();
}

LogicalResult PlanVerifier::verify() {
  collect();
  int64_t arena = attrs::Scratch::getInt(function, -1);
  if (arena < 0)
    return function.emitError() << "'" << function.getName() << "' does not know the bytes of its "
                                << "arena ('" << attrs::Scratch::name << "')";
  for (const Block &block : blocks)
    if (failed(verifyBlock(block, arena)))
      return failure();
  for (auto buffer : function.getOps<BufferOp>())
    if (failed(verifyUses(buffer)))
      return failure();
  return verifyApart();
}

/// In the order of time a block need only be compared with its neighbours among those that live.
LogicalResult PlanVerifier::verifyApart() {
  SmallVector<const Block *> begins, ends;
  for (const Block &block : blocks)
    if (block.bytes > 0)
      begins.push_back(&block);
  ends = begins;
  llvm::sort(begins,
             [](auto *a, auto *b) { return std::tie(a->first, a) < std::tie(b->first, b); });
  llvm::sort(ends, [](auto *a, auto *b) { return a->last < b->last; });
  std::map<int64_t, const Block *> live; // by offset
  const Block **ended = ends.begin();
  for (const Block *block : begins) {
    for (; (*ended)->last < block->first; ++ended)
      live.erase((*ended)->offset);
    auto next = live.lower_bound(block->offset);
    auto neighbour = next;
    if (next == live.end() || !block->overlaps(*next->second))
      neighbour = next == live.begin() ? live.end() : std::prev(next);
    if (neighbour != live.end() && block->overlaps(*neighbour->second)) {
      InFlightDiagnostic error = block->op->emitError()
                                 << "shares bytes with memory that is live at the same time";
      error.attachNote(neighbour->second->op->getLoc()) << "the other one is here";
      return failure();
    }
    live[block->offset] = block;
  }
  return success();
}

//===----------------------------------------------------------------------------------------===//
// Kernels: functions
//===----------------------------------------------------------------------------------------===//

/// Every run-time size of a buffer argument is a symbol of the module.
static LogicalResult verifyArguments(func::FuncOp function) {
  auto declared = attrs::Symbols::get(function->getParentOfType<ModuleOp>());
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
    auto type = dyn_cast<MemRefType>(function.getArgumentTypes()[i]);
    if (!type)
      return function.emitError() << "argument " << i << " of '" << function.getName()
                                  << "' is no buffer";
    auto bounds = attrs::Bounds::getArg(function, i);
    if (!bounds && type.getNumDynamicDims() > 0)
      return function.emitError() << "argument " << i << " of '" << function.getName() << "' has "
                                  << type.getNumDynamicDims() << " run-time sizes and no '"
                                  << attrs::Bounds::name << "'";
    for (StringAttr symbol : bounds ? bounds.getSymbols() : ArrayRef<StringAttr>())
      if (!declared || !llvm::is_contained(declared.getSymbols(), symbol))
        return function.emitError()
               << "argument " << i << " of '" << function.getName() << "': symbol " << symbol
               << " is not among the module's " << attrs::Symbols::name;
  }
  return success();
}

/// A kernel is one anchor on buffers and what it needs.
static LogicalResult verifyKernel(func::FuncOp function) {
  unsigned anchors = 0;
  for (Operation &op : function.front()) {
    anchors += isa<FormulaOpInterface, CheckOp>(op);
    for (Type type : op.getResultTypes())
      if (isa<TensorType>(type))
        return op.emitError("a kernel works on buffers, not on tensors");
  }
  if (anchors == 1)
    return success();
  return function.emitError() << "kernel '" << function.getName() << "' has " << anchors
                              << " anchors, expected one";
}

/// The bytes of a weight in the file; nothing if they cannot be counted.
static std::optional<int64_t> weightBytes(WeightOp weight) {
  auto type = cast<ShapedType>(weight.getResult().getType());
  if (!type.getElementType().isIntOrFloat())
    return std::nullopt;
  return tensorBytes(getStorageBits(type.getElementType()), type.getShape());
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
    bool isValid = succeeded(verifyWeights(getOperation()));
    SymbolTable functions(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (failed(verifyArguments(function))) {
        isValid = false;
        continue;
      }
      isValid &= succeeded(attrs::Kernel::isOn(function) ? verifyKernel(function)
                                                         : verifyCaller(function, functions));
    }
    if (!isValid)
      signalPassFailure();
  }

private:
  LogicalResult verifyCaller(func::FuncOp function, const SymbolTable &functions) {
    for (Operation &op : function.front()) {
      if (isa<FormulaOpInterface, CheckOp>(op))
        return op.emitError("is a formula outside of a kernel: it was not outlined");
      auto weight = dyn_cast<WeightOp>(op);
      if (weight && !weight.getOffset())
        return op.emitError() << "weight '" << weight.getName()
                              << "' has no place in the weights file";
      auto launch = dyn_cast<LaunchOp>(op);
      if (launch && failed(verifySizes(launch, functions)))
        return failure();
    }
    return PlanVerifier(function, functions).verify();
  }

  static LogicalResult verifySizes(LaunchOp launch, const SymbolTable &functions) {
    auto kernel = functions.lookup<func::FuncOp>(launch.getKernel());
    ArrayAttr needed = Builder(launch.getContext()).getStrArrayAttr(getKernelSymbols(kernel));
    if (launch.getSizes() == needed)
      return success();
    return launch.emitError() << "launches kernel '" << launch.getKernel() << "' with the sizes "
                              << launch.getSizes() << ", it needs " << needed;
  }
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
      if (isa<FormulaOpInterface, CheckOp>(op))
        error.attachNote() << "a kernel without '" << attrs::Lowering::name
                           << "' is not written as loops";
    });
    if (!isValid)
      signalPassFailure();
  }

private:
  static bool isLowered(Operation *op) {
    // What weft-lower-calls turns into addresses.
    if (isa<ModuleOp, UnrealizedConversionCastOp, WeightOp, BufferOp, SlotOp, SizeOp>(op))
      return true;
    static constexpr StringLiteral dialects[] = {"arith",  "cf",  "func",   "llvm", "math",
                                                 "memref", "scf", "vector", "ub"};
    return op->getDialect() && llvm::is_contained(dialects, op->getDialect()->getNamespace());
  }
};
} // namespace
