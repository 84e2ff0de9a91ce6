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
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

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
  void planState(func::FuncOp entry);
  void placeWeights();

  llvm::StringMap<func::FuncOp> functions;
  llvm::StringMap<int64_t> arenas; // planned functions
  llvm::StringSet<> visiting;
};

} // namespace

/// Sets the offsets and returns the bytes of the arena.
static int64_t place(MutableArrayRef<MemoryBlock> blocks, bool reuse) {
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
  }
  return llvm::alignTo(peak, kAlignment);
}

/// All bytes of an argument, with its symbols at their bounds.
static int64_t bytesOfArgument(func::FuncOp function, unsigned argument) {
  auto type = cast<MemRefType>(function.getArgumentTypes()[argument]);
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  auto bounds = function.getArgAttrOfType<BoundsAttr>(argument, attrs::kBounds);
  unsigned symbol = 0;
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? bounds.getBounds()[symbol++] : size;
  return bytes;
}

LogicalResult PlanMemoryPass::collectBlocks(func::FuncOp function, ArenaBlocks &arena) {
  int64_t numCalls = 0;
  for (auto call : function.getOps<func::CallOp>()) {
    int64_t number = numCalls++;
    for (Value operand : call.getOperands())
      if (auto buffer = operand.getDefiningOp<BufferOp>()) {
        unsigned slot = arena.add(buffer, {int64_t(buffer.getBytes()), number, number});
        arena.blocks[slot].last = number;
      }
    auto callee = functions.lookup(call.getCallee());
    if (!callee || callee->hasAttr(attrs::kKernel))
      continue;
    if (failed(planFunction(callee)))
      return failure();
    arena.add(call, {arenas[callee.getName()], number, number});
  }
  // An optional input that is left out becomes a tensor of its default, alive for the whole call.
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (function.getArgAttr(i, attrs::kDefault)) {
      arena.ofDefault.emplace_back(i, arena.blocks.size());
      arena.blocks.push_back({bytesOfArgument(function, i), 0, numCalls});
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
  int64_t bytes = place(arena.blocks, reuse);
  Builder builder(function.getContext());
  for (auto [op, slot] : arena.ofOp) {
    const MemoryBlock &block = arena.blocks[slot];
    if (auto buffer = dyn_cast<BufferOp>(op)) {
      buffer.setOffset(block.offset);
      buffer.setFirst(block.first);
      buffer.setLast(block.last);
    } else {
      op->setAttr(attrs::kArena, builder.getI64IntegerAttr(block.offset));
    }
  }
  for (auto [argument, slot] : arena.ofDefault)
    function.setArgAttr(argument, attrs::kDefaultOffset,
                        builder.getI64IntegerAttr(arena.blocks[slot].offset));
  function->setAttr(attrs::kScratch, builder.getI64IntegerAttr(bytes));
  arenas[function.getName()] = bytes;
  return success();
}

/// The state of an entry that continues a sequence: the number of positions, the value of every
/// symbol and the first position in every window, as 64-bit integers, then its parts.
void PlanMemoryPass::planState(func::FuncOp entry) {
  auto symbols = getOperation()->getAttrOfType<BoundsAttr>(attrs::kSymbols);
  int64_t words = 1 + (symbols ? symbols.getSymbols().size() : 0);
  for (unsigned i = 0; i != entry.getNumArguments(); ++i)
    words += bool(entry.getArgAttr(i, attrs::kWindow));
  int64_t end = llvm::alignTo(8 * words, kAlignment);
  DenseMap<Attribute, int64_t> places; // by name
  Builder builder(entry.getContext());
  for (unsigned i = 0; i != entry.getNumArguments(); ++i) {
    if (!entry.getArgAttr(i, attrs::kState))
      continue;
    entry.setArgAttr(i, attrs::kState, builder.getI64IntegerAttr(end));
    places[entry.getArgAttr(i, attrs::kName)] = end;
    int64_t bytes = bytesOfArgument(entry, i);
    if (auto window = entry.getArgAttrOfType<IntegerAttr>(i, attrs::kWindow)) {
      int64_t rows = cast<MemRefType>(entry.getArgumentTypes()[i]).getDimSize(0);
      bytes = bytes / rows * getWindowRows(window.getInt());
    }
    end = llvm::alignTo(end + bytes, kAlignment);
  }
  entry->setAttr(attrs::kStateBytes, builder.getI64IntegerAttr(end));
  for (auto start : getOperation().getOps<func::FuncOp>())
    if (start->getAttr(attrs::kStart) == entry.getSymNameAttr())
      for (unsigned i = 0; i != start.getNumArguments(); ++i)
        if (start.getArgAttr(i, attrs::kState))
          start.setArgAttr(
              i, attrs::kState,
              builder.getI64IntegerAttr(places.lookup(start.getArgAttr(i, attrs::kName))));
}

/// A weight may be named in several functions; it is stored once for each form in which it is read.
void PlanMemoryPass::placeWeights() {
  ModuleOp module = getOperation();
  llvm::StringMap<int64_t> offsets;
  int64_t end = kWeightsHeaderBytes;
  std::string text;
  llvm::raw_string_ostream os(text);
  module.walk([&](WeightOp op) {
    std::string key;
    llvm::raw_string_ostream form(key);
    form << op.getName();
    if (op.getPackAttr())
      form << " " << op.getPackAttr();
    auto [slot, inserted] = offsets.try_emplace(key, end);
    op.setOffset(slot->second);
    if (!inserted)
      return;
    auto type = cast<MemRefType>(op.getType());
    int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    os << key << " " << type << " at " << slot->second << "\n";
    end = llvm::alignTo(slot->second + bytes, kAlignment);
  });
  Builder builder(module.getContext());
  bool none = offsets.empty();
  module->setAttr(attrs::kWeightsBytes, builder.getI64IntegerAttr(none ? 0 : end));
  module->setAttr(attrs::kFingerprint,
                  builder.getI64IntegerAttr(none ? 0 : int64_t(llvm::xxh3_64bits(text))));
}

void PlanMemoryPass::runOnOperation() {
  functions.clear();
  arenas.clear();
  visiting.clear();
  for (auto function : getOperation().getOps<func::FuncOp>())
    functions[function.getName()] = function;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isExternal() && !function->hasAttr(attrs::kKernel) &&
        failed(planFunction(function)))
      return signalPassFailure();
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function->hasAttr(attrs::kStep))
      planState(function);
  placeWeights();
}
