//===- PlanMemory.cpp - a place for every buffer and weight ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A function is a list of calls, so a lifetime is an interval of call numbers. Blocks (buffers,
// arenas of called layers, tensors of defaults) are placed largest first, each at the lowest
// offset where it meets no block that lives at the same time (greedy by size; see Pisarchyk and
// Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020).
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

namespace weft {
#define GEN_PASS_DEF_PLANMEMORY
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

static constexpr int64_t kAlignment = 64;
static constexpr int64_t kWeightsHeaderBytes = 64; // weft_weights_header

namespace {

/// Memory that is needed from call number `first` to `last`, both included.
struct MemoryBlock {
  int64_t bytes, first, last;
  int64_t offset = 0;
};

/// The blocks of one function's arena, and what they are.
struct ArenaBlocks {
  SmallVector<MemoryBlock> blocks;
  llvm::MapVector<Operation *, unsigned> ofOp;          ///< buffers and calls of layers
  SmallVector<std::pair<unsigned, unsigned>> ofDefault; ///< (argument, block)

  /// The block of `op`, added if there is none.
  unsigned add(Operation *op, MemoryBlock block) {
    auto [slot, inserted] = ofOp.try_emplace(op, blocks.size());
    if (inserted)
      blocks.push_back(block);
    return slot->second;
  }
};

struct PlanMemoryPass : weft::impl::PlanMemoryBase<PlanMemoryPass> {
  using PlanMemoryBase::PlanMemoryBase;
  void runOnOperation() override;

private:
  LogicalResult planFunction(func::FuncOp function);
  LogicalResult collectBlocks(func::FuncOp function, ArenaBlocks &arena);
  LogicalResult planState(func::FuncOp entry);
  LogicalResult placeWeights();

  llvm::StringMap<func::FuncOp> functions;
  llvm::StringMap<int64_t> arenas; // planned functions
  llvm::StringSet<> visiting;
};

} // namespace

/// Sets the offsets and returns the bytes of the arena; nothing if they are more than
/// maxTensorBytes, which no block is: then no sum here is beyond 63 bits.
static std::optional<int64_t> place(MutableArrayRef<MemoryBlock> blocks, bool reuse) {
  SmallVector<MemoryBlock *> order, placed;
  for (MemoryBlock &block : blocks)
    order.push_back(&block);
  llvm::sort(order, [](auto *a, auto *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b; // of one array: the earlier first
  });
  int64_t peak = 0;
  for (MemoryBlock *block : order) {
    // Blocks that live at the same time, by offset: the first gap that is large enough is taken.
    block->offset = 0;
    for (MemoryBlock *other : placed) {
      if (reuse && (other->last < block->first || block->last < other->first))
        continue;
      if (block->offset + block->bytes <= other->offset)
        break;
      block->offset =
          std::max(block->offset, int64_t(llvm::alignTo(other->offset + other->bytes, kAlignment)));
    }
    auto position =
        llvm::upper_bound(placed, block, [](auto *a, auto *b) { return a->offset < b->offset; });
    placed.insert(position, block);
    peak = std::max(peak, block->offset + block->bytes);
    if (peak > maxTensorBytes)
      return std::nullopt;
  }
  return llvm::alignTo(peak, kAlignment);
}

/// All bytes of an argument, with its symbols at their bounds.
static FailureOr<int64_t> bytesOfArgument(func::FuncOp function, unsigned argument) {
  auto type = cast<MemRefType>(function.getArgumentTypes()[argument]);
  auto bounds = attrs::Bounds::getArg(function, argument);
  if (std::optional<int64_t> bytes = getLargestBytes(type, bounds))
    return *bytes;
  return function.emitError() << "argument " << argument << " of '" << function.getName()
                              << "' is too large: it can have more than 2^60 bytes";
}

/// What takes most of an arena that is too large, "'y' with 4096 bytes".
static std::string describeLargest(const ArenaBlocks &arena) {
  const auto *largest = llvm::max_element(arena.ofOp, [&](const auto &a, const auto &b) {
    return arena.blocks[a.second].bytes < arena.blocks[b.second].bytes;
  });
  if (largest == arena.ofOp.end())
    return "the default of an input";
  auto label = attrs::Label::get(largest->first);
  auto call = dyn_cast<func::CallOp>(largest->first);
  StringRef name = label ? label.getValue() : call ? call.getCallee() : "the result of a layer";
  return ("'" + name + "' with " + Twine(arena.blocks[largest->second].bytes) + " bytes").str();
}

LogicalResult PlanMemoryPass::collectBlocks(func::FuncOp function, ArenaBlocks &arena) {
  int64_t numCalls = 0;
  for (Operation &op : function.getBody().front()) {
    if (getFunctionOfStep(&op).empty())
      continue;
    int64_t number = numCalls++;
    for (Value operand : op.getOperands())
      if (auto buffer = operand.getDefiningOp<BufferOp>()) {
        unsigned slot = arena.add(buffer, {int64_t(buffer.getBytes()), number, number});
        arena.blocks[slot].last = number;
        if (arena.blocks[slot].bytes < 0 || arena.blocks[slot].bytes > maxTensorBytes)
          return buffer.emitError("is too large: it has more than 2^60 bytes");
      }
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee = call ? functions.lookup(call.getCallee()) : func::FuncOp();
    if (!callee)
      continue;
    if (failed(planFunction(callee)))
      return failure();
    arena.add(call, {arenas[callee.getName()], number, number});
  }
  // An optional input that is left out becomes a tensor of its default, alive for the whole call.
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (attrs::Default::getArg(function, i)) {
      FailureOr<int64_t> bytes = bytesOfArgument(function, i);
      if (failed(bytes))
        return failure();
      arena.ofDefault.emplace_back(i, arena.blocks.size());
      arena.blocks.push_back({*bytes, 0, numCalls});
    }
  return success();
}

LogicalResult PlanMemoryPass::planFunction(func::FuncOp function) {
  if (arenas.contains(function.getName()))
    return success();
  if (!visiting.insert(function.getName()).second)
    return function.emitError("calls itself");
  ArenaBlocks arena;
  if (failed(collectBlocks(function, arena)))
    return failure();
  std::optional<int64_t> bytes = place(arena.blocks, reuse);
  if (!bytes)
    return function.emitError() << "'" << function.getName() << "' needs more than 2^60 bytes for "
                                << "its intermediate results; the largest is "
                                << describeLargest(arena);
  for (auto [op, slot] : arena.ofOp) {
    const MemoryBlock &block = arena.blocks[slot];
    if (auto buffer = dyn_cast<BufferOp>(op)) {
      buffer.setOffset(block.offset);
      buffer.setFirst(block.first);
      buffer.setLast(block.last);
    } else {
      attrs::Arena::set(op, block.offset);
    }
  }
  for (auto [argument, slot] : arena.ofDefault)
    attrs::DefaultOffset::setArg(function, argument, arena.blocks[slot].offset);
  attrs::Scratch::set(function, *bytes);
  arenas[function.getName()] = *bytes;
  return success();
}

/// The state of an entry that continues a sequence: the number of positions, the value of every
/// symbol and the first position in every window, as 64-bit integers, then its parts.
LogicalResult PlanMemoryPass::planState(func::FuncOp entry) {
  auto symbols = attrs::Symbols::get(getOperation());
  int64_t words = 1 + (symbols ? symbols.getSymbols().size() : 0);
  for (unsigned i = 0; i != entry.getNumArguments(); ++i)
    words += bool(attrs::Window::getArg(entry, i));
  int64_t end = llvm::alignTo(8 * words, kAlignment);
  DenseMap<Attribute, int64_t> places; // by name
  for (unsigned i = 0; i != entry.getNumArguments(); ++i) {
    if (!attrs::State::getArg(entry, i))
      continue;
    attrs::StateOffset::setArg(entry, i, end);
    places[attrs::Name::getArg(entry, i)] = end;
    FailureOr<int64_t> bytes = bytesOfArgument(entry, i);
    if (failed(bytes))
      return failure();
    if (auto window = attrs::Window::getArg(entry, i)) {
      int64_t rows = cast<MemRefType>(entry.getArgumentTypes()[i]).getDimSize(0);
      *bytes = *bytes / rows * getWindowRows(window.getInt(), *bytes / rows);
    }
    end = llvm::alignTo(end + *bytes, kAlignment);
    if (end > maxTensorBytes)
      return entry.emitError() << "the state of '" << entry.getName()
                               << "' needs more than 2^60 bytes";
  }
  attrs::StateBytes::set(entry, end);
  for (auto start : getOperation().getOps<func::FuncOp>())
    if (attrs::Start::get(start) == FlatSymbolRefAttr::get(entry))
      for (unsigned i = 0; i != start.getNumArguments(); ++i)
        if (attrs::State::getArg(start, i))
          attrs::StateOffset::setArg(start, i, places.lookup(attrs::Name::getArg(start, i)));
  return success();
}

/// A weight may be named in several functions; it is stored once for each form in which it is read.
LogicalResult PlanMemoryPass::placeWeights() {
  ModuleOp module = getOperation();
  llvm::StringMap<int64_t> offsets;
  int64_t end = kWeightsHeaderBytes;
  std::string text;
  llvm::raw_string_ostream os(text);
  WalkResult placed = module.walk([&](WeightOp op) {
    std::string key;
    llvm::raw_string_ostream form(key);
    form << op.getName();
    if (auto coded = op.getCoded())
      form << " " << *coded;
    if (LayoutAttr layout = getLayout(op.getType()))
      form << " " << layout << (layout.getNibbles() ? " in runs" : "");
    auto [slot, inserted] = offsets.try_emplace(key, end);
    op.setOffset(slot->second);
    if (!inserted)
      return WalkResult::advance();
    auto type = cast<MemRefType>(op.getType());
    std::optional<int64_t> bytes = getLargestBytes(type, BoundsAttr());
    if (bytes)
      end = llvm::alignTo(slot->second + *bytes, kAlignment);
    if (!bytes || end > maxTensorBytes) {
      op.emitError() << "with '" << op.getName() << "' the weights have more than 2^60 bytes";
      return WalkResult::interrupt();
    }
    os << key << " " << type << " at " << slot->second << "\n";
    return WalkResult::advance();
  });
  if (placed.wasInterrupted())
    return failure();
  bool none = offsets.empty();
  attrs::WeightsBytes::set(module, none ? 0 : end);
  attrs::Fingerprint::set(module, none ? 0 : int64_t(llvm::xxh3_64bits(text)));
  return success();
}

void PlanMemoryPass::runOnOperation() {
  functions.clear();
  arenas.clear();
  visiting.clear();
  for (auto function : getOperation().getOps<func::FuncOp>())
    functions[function.getName()] = function;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isExternal() && !attrs::Kernel::isOn(function) && failed(planFunction(function)))
      return signalPassFailure();
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (attrs::Step::isOn(function) && failed(planState(function)))
      return signalPassFailure();
  if (failed(placeWeights()))
    signalPassFailure();
}
