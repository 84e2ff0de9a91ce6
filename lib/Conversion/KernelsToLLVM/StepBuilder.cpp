//===- StepBuilder.cpp - the C functions of a step ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryBuilder.h"
#include "EntryFunction.h"

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Runtime/weft_model_info.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// The state
//===----------------------------------------------------------------------------------------===//

namespace {
/// The state of a sequence, as `weft-plan-memory` lays it out: words, that is, the number of
/// positions, the value of every symbol and the first position in every window; then the parts. If
/// these lie on a GPU, two words follow the symbols' that say where: weft_cuda_function.
class StateCode {
public:
  StateCode(EntryCode &code, const ModelDescription &model, const StepDescription &step,
            Value state)
      : code(code), model(model), step(step), state(state) {}

  Value getLength() { return wordAt(0); }
  Value getSymbol(int32_t symbol) { return wordAt(1 + symbol); }
  Value getPart(int64_t offset) { return code.address(state, code.number(offset)); }

  /// Before a start: on a GPU nothing is kept for the sequence yet.
  void forget();
  /// A new sequence has no positions, and its windows begin with the first.
  void clear();
  /// The address of every part, the positions of windows counted from 0, with room for `rows` more
  /// positions behind `positions`.
  SmallVector<Value> makeRoom(Value positions, Value rows);
  /// Whether the length is none that a caller can have set: below 0, or with positions in reach
  /// that a window no longer holds.
  SmallVector<Value> getLosses();

private:
  Value wordAt(int64_t word) { return code.address(state, code.number(8 * word)); }
  /// The word behind those of the symbols.
  int64_t getFirstWindow() { return stateWordsOf(model); }
  Value makeRoomIn(const StatePart &window, Value place, Value positions, Value rows);
  Value getSmaller(Value x, Value y) { return code.select(code.isLess(x, y), x, y); }
  /// The first position of the window whose word is at `place`, behind which come those of a
  /// sequence that was shortened if nothing of what lies before is needed.
  Value getFirst(Value place, Value positions) {
    return getSmaller(code.load(code.i64, place), positions);
  }

  EntryCode &code;
  const ModelDescription &model;
  const StepDescription &step;
  Value state;
};
} // namespace

static bool isWindow(const StatePart &part) { return part.reach >= 0; }

/// Parts of a step's state that one of its functions is passed.
static StateParts passParts(const StepDescription &step, ArrayRef<StatePart> parts,
                            int32_t countSymbol) {
  return {parts, step.deviceStateBytes, countSymbol, llvm::count_if(step.parts, isWindow)};
}

void StateCode::forget() {
  if (!model.onDevice)
    return;
  code.store(code.number(0), getLength());
  code.store(code.number(0), wordAt(stateWordsOf(model) + 1));
}

void StateCode::clear() {
  if (model.onDevice) // whose runtime knows of the windows
    return;
  int64_t word = getFirstWindow();
  Value zero = code.number(0);
  code.store(zero, getLength());
  for (const StatePart &part : step.parts)
    if (isWindow(part))
      code.store(zero, wordAt(word++));
}

/// Moves the positions in reach to the front of the window if new rows do not fit behind them.
/// Returns where position 0 would lie; the word at `place` is the first position that it holds.
Value StateCode::makeRoomIn(const StatePart &window, Value place, Value positions, Value rows) {
  Value start = getPart(window.offset), reach = code.number(window.reach);
  Value first = getFirst(place, positions);
  Value kept = code.subtract(positions, first);
  Value needed = code.add(kept, rows);
  Value isFull = code.isLess(code.number(getWindowRows(window.reach, window.rowBytes)), needed);
  Value inReach = getSmaller(kept, reach);
  Value stay = code.select(isFull, inReach, kept);
  Value dropped = code.subtract(kept, stay);
  Value from = code.address(start, code.multiply(dropped, window.rowBytes));
  // Nothing moves while there is room.
  Value zero = code.number(0);
  Value moved = code.select(isFull, code.multiply(stay, window.rowBytes), zero);
  LLVM::MemmoveOp::create(code.b, code.loc, start, from, moved, /*isVolatile=*/false);
  Value newFirst = code.add(first, dropped);
  code.store(newFirst, place);
  Value behind = code.multiply(newFirst, window.rowBytes);
  return code.address(start, code.subtract(zero, behind));
}

SmallVector<Value> StateCode::makeRoom(Value positions, Value rows) {
  int64_t word = getFirstWindow();
  SmallVector<Value> parts;
  for (const StatePart &part : step.parts)
    parts.push_back(isWindow(part) ? makeRoomIn(part, wordAt(word++), positions, rows)
                                   : getPart(part.offset));
  return parts;
}

SmallVector<Value> StateCode::getLosses() {
  Value length = code.load(code.i64, getLength());
  SmallVector<Value> losses{code.isLess(length, code.number(0))};
  int64_t word = getFirstWindow();
  for (const StatePart &part : step.parts) {
    if (model.onDevice || !isWindow(part)) // a GPU's runtime looks itself
      continue;
    Value kept = code.subtract(length, getFirst(wordAt(word++), length));
    Value needed = getSmaller(length, code.number(part.reach));
    losses.push_back(code.isLess(kept, needed));
  }
  return losses;
}

//===----------------------------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------------------------===//

namespace {
/// Writes the functions of a step, or of what computes its last position. The new positions are
/// computed at once, or, if a cache holds a window of the last positions only, in pieces for which
/// it has room.
class StepCode {
public:
  StepCode(ModuleOp module, const ModelDescription &model, const StepDescription &step,
           const EntryDescription &entry, func::FuncOp body)
      : module(module), model(model), step(step), entry(entry), body(body),
        function(module, body.getLoc(), model, entry, symbolsOfStep(model, step),
                 /*hasState=*/true),
        code(function.getCode()), state(code, model, step, function.getState()) {}

  LLVM::LLVMFuncOp write();

private:
  int64_t getPieceRows();
  Value getPiece(const TensorDescription &tensor, Value pointer, Value done);
  void passPieces(Value done);
  void copySizes();
  Value computePiece(Value done, Value rows, Value length);

  ModuleOp module;
  const ModelDescription &model;
  const StepDescription &step;
  const EntryDescription &entry;
  func::FuncOp body;
  EntryFunction function;
  EntryCode &code;
  StateCode state;
  Value sizes; ///< of all symbols, a list on the stack
};
} // namespace

/// The most new positions for which every window has room.
int64_t StepCode::getPieceRows() {
  int64_t rows = model.symbols[step.lengthSymbol].bound;
  for (const StatePart &part : step.parts)
    if (isWindow(part))
      rows = std::min(rows, getWindowPiece(part.reach));
  return rows;
}

/// The rows of a tensor from number `done` on; a null pointer stays one. What has no rows is the
/// last piece's in the end.
Value StepCode::getPiece(const TensorDescription &tensor, Value pointer, Value done) {
  if (!llvm::is_contained(tensor.symbols, step.countSymbol))
    return pointer;
  int64_t bytes = infoOf(tensor.type).bytes();
  for (size_t i = 1; i < tensor.dims.size(); ++i)
    bytes *= tensor.dims[i];
  Value moved = code.address(pointer, code.multiply(done, bytes));
  return code.select(code.isNull(pointer), pointer, moved);
}

void StepCode::passPieces(Value done) {
  if (llvm::none_of(step.parts, isWindow)) // then there is one piece
    return function.passTensors();
  for (auto [i, input] : llvm::enumerate(entry.inputs))
    function.passInput(i, getPiece(input, function.getInput(i), done));
  for (auto [i, output] : llvm::enumerate(entry.outputs))
    function.passOutput(i, getPiece(output, function.getOutput(i), done));
}

/// The sizes that the start was given, then those that the step is given.
void StepCode::copySizes() {
  auto copy = [&](int32_t symbol, Value size) {
    code.store(size, code.element(code.i64, sizes, symbol));
  };
  for (int32_t symbol : symbolsOfEntry(model, step.start))
    copy(symbol, code.load(code.i64, state.getSymbol(symbol)));
  for (int32_t symbol : function.getSymbols())
    copy(symbol, function.getSize(symbol));
}

/// Computes `rows` rows from number `done` on, after which there are `length` positions; returns
/// the error code.
Value StepCode::computePiece(Value done, Value rows, Value length) {
  code.store(rows, code.element(code.i64, sizes, step.countSymbol));
  code.store(length, code.element(code.i64, sizes, step.lengthSymbol));
  if (step.hasLast())
    code.store(code.number(1), code.element(code.i64, sizes, step.lastSymbol));
  passPieces(done);
  if (model.onDevice)
    return function.call(body, sizes);
  for (auto [i, part] : llvm::enumerate(state.makeRoom(code.subtract(length, rows), rows)))
    function.passPart(i, part);
  return function.call(body, sizes);
}

LLVM::LLVMFuncOp StepCode::write() {
  sizes = code.allocate(code.i64, model.symbols.size());
  function.prepareCalls(passParts(step, step.parts, step.countSymbol));
  function.checkPointers();
  Value count = function.getSize(step.countSymbol);
  Value wanted = code.add(code.load(code.i64, state.getLength()), count);
  SmallVector<Value> outside{code.isOutside(wanted, model.symbols[step.lengthSymbol].bound)};
  llvm::append_range(outside, state.getLosses());
  function.checkSizes(outside);
  Value good = code.constant(code.i32, WEFT_OK), most = code.number(getPieceRows());

  copySizes();
  Block *piece = code.beginLoop(code.number(0));
  Value done = piece->getArgument(0);
  Value left = code.subtract(count, done);
  Value rows = code.select(code.isLess(left, most), left, most);
  Value length = code.add(code.load(code.i64, state.getLength()), rows);
  Value error = computePiece(done, rows, length);
  // After an error the sequence ends before the positions that have it.
  code.leaveIf(LLVM::ICmpOp::create(code.b, code.loc, LLVM::ICmpPredicate::ne, error, good), error);
  code.store(length, state.getLength());
  Value next = code.add(done, rows);
  code.leaveUnless(code.isLess(next, count), good, piece, next);
  buildTyped(module, model, entry, function);
  return function.getOp();
}

//===----------------------------------------------------------------------------------------===//
// The start
//===----------------------------------------------------------------------------------------===//

/// Begins with no positions; makes and keeps what all positions see, if there is a `body`.
static LLVM::LLVMFuncOp buildStart(ModuleOp module, const ModelDescription &model,
                                   const StepDescription &step, func::FuncOp body, Location loc) {
  EntryFunction function(module, loc, model, step.start, symbolsOfEntry(model, step.start),
                         /*hasState=*/true);
  EntryCode &code = function.getCode();
  StateCode state(code, model, step, function.getState());
  Value error = code.constant(code.i32, WEFT_OK);
  SmallVector<StatePart> parts;
  for (int64_t offset : step.startOffsets)
    parts.push_back({offset, /*rowBytes=*/0, /*reach=*/-1});
  if (body) {
    Value sizes = code.allocate(code.i64, model.symbols.size());
    function.prepareCalls(passParts(step, parts, /*countSymbol=*/-1));
    function.checkPointers();
    function.checkSizes();
    for (int32_t symbol : function.getSymbols()) {
      code.store(function.getSize(symbol), state.getSymbol(symbol));
      code.store(function.getSize(symbol), code.element(code.i64, sizes, symbol));
    }
    // Tables over positions are made for all that there can be.
    code.store(code.number(model.symbols[step.lengthSymbol].bound),
               code.element(code.i64, sizes, step.lengthSymbol));
    function.passTensors();
    for (auto [i, part] : llvm::enumerate(parts))
      function.passPart(i, state.getPart(part.offset));
    state.forget();
    error = function.call(body, sizes);
  } else {
    function.checkProcessor();
    code.leaveIf({code.isNull(function.getState())}, WEFT_ERROR_ARGUMENT);
    state.forget();
  }
  state.clear();
  code.leaveWith(error);
  buildTyped(module, model, step.start, function);
  return function.getOp();
}

UniformStep weft::buildStep(ModuleOp module, const ModelDescription &model,
                            const StepDescription &step, func::FuncOp body, func::FuncOp lastBody,
                            func::FuncOp startBody) {
  LLVM::LLVMFuncOp call = StepCode(module, model, step, step.entry, body).write();
  LLVM::LLVMFuncOp last;
  if (step.hasLast())
    last = StepCode(module, model, step, step.last, lastBody).write();
  return {call, last, buildStart(module, model, step, startBody, body.getLoc())};
}
