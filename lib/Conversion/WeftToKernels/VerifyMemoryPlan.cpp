//===- VerifyMemoryPlan.cpp - a place for everything, at any time ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VerifyMemoryPlan.h"

#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include <map>

using namespace mlir;
using namespace weft;

namespace {
/// Bytes of the arena that are taken from call number `first` to `last`, both included.
struct Block {
  Operation *op;
  int64_t offset, bytes, first, last;
  std::optional<unsigned> argument = std::nullopt; ///< of the op, a function: its default is meant

  InFlightDiagnostic emitError() const {
    InFlightDiagnostic error = op->emitError();
    if (argument)
      error << "the default of argument " << *argument << " ";
    return error;
  }

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
  void collectDefaults();
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

/// What stands for an optional input that is left out is there for the whole call.
void PlanVerifier::collectDefaults() {
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
    if (!attrs::Default::getArg(function, i))
      continue;
    auto offset = attrs::DefaultOffset::getArg(function, i);
    std::optional<int64_t> bytes = getLargestBytes(cast<MemRefType>(function.getArgumentTypes()[i]),
                                                   attrs::Bounds::getArg(function, i));
    blocks.push_back({function, offset ? offset.getInt() : -1, bytes.value_or(-1), 0,
                      int64_t(callNumbers.size()), i});
  }
}

LogicalResult PlanVerifier::verifyBlock(const Block &block, int64_t arena) {
  if (block.offset < 0)
    return block.emitError() << "has no place in the arena";
  if (block.bytes < 0 || block.first > block.last)
    return block.emitError() << "has no size or no lifetime";
  if (block.offset > arena || block.bytes > arena - block.offset)
    return block.emitError() << "lies at byte " << block.offset << " with " << block.bytes
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
  collectDefaults();
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
      InFlightDiagnostic error = block->emitError()
                                 << "shares bytes with memory that is live at the same time";
      error.attachNote(neighbour->second->op->getLoc()) << "the other one is here";
      return failure();
    }
    live[block->offset] = block;
  }
  return success();
}

LogicalResult weft::verifyMemoryPlan(func::FuncOp function, const SymbolTable &functions) {
  return PlanVerifier(function, functions).verify();
}
