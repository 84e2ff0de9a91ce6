//===- EntryBuilder.cpp - the C functions of an entry ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryBuilder.h"

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Runtime/weft_model_info.h"

using namespace mlir;
using namespace weft;

namespace {

/// Writes straight-line code in the LLVM dialect that leaves early with an error code.
class EntryCode {
public:
  EntryCode(LLVM::LLVMFuncOp function)
      : b(function.getContext()), loc(function.getLoc()), i32(b.getI32Type()), i64(b.getI64Type()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())) {
    Block *entry = function.addEntryBlock(b);
    leave = b.createBlock(&function.getBody(), function.getBody().end(), {i32}, {loc});
    LLVM::ReturnOp::create(b, loc, leave->getArgument(0));
    b.setInsertionPointToEnd(entry);
  }

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
  }
  Value isNull(Value value) {
    Value null = LLVM::ZeroOp::create(b, loc, pointer);
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, value, null);
  }
  /// value < 1 or value > bound, as one unsigned comparison.
  Value isOutside(Value value, int64_t bound) {
    Value shifted = LLVM::SubOp::create(b, loc, value, constant(i64, 1));
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::uge, shifted, constant(i64, bound));
  }
  void leaveIf(ArrayRef<Value> conditions, int32_t code) {
    if (conditions.empty())
      return;
    Value any = conditions.front();
    for (Value condition : conditions.drop_front())
      any = LLVM::OrOp::create(b, loc, any, condition);
    leaveIfWith(any, constant(i32, code));
  }
  /// The word of a state in which a number is kept.
  Value wordOf(Value state, int32_t word) {
    return LLVM::GEPOp::create(b, loc, pointer, i64, state, ArrayRef<LLVM::GEPArg>{word});
  }
  Value addressOf(Value state, int64_t offset) {
    return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), state,
                               ArrayRef<LLVM::GEPArg>{constant(i64, offset)});
  }
  Value load(Value address) { return LLVM::LoadOp::create(b, loc, i64, address); }
  void store(Value value, Value address) { LLVM::StoreOp::create(b, loc, value, address); }
  void leaveIfWith(Value condition, Value error) {
    Block *next = b.createBlock(leave);
    b.setInsertionPointToEnd(next->getPrevNode());
    LLVM::CondBrOp::create(b, loc, condition, leave, error, next, ValueRange());
    b.setInsertionPointToEnd(next);
  }
  /// The address of a condition: whether the caller passes `tensor`.
  Value presenceOf(Value tensor) {
    Value yes = constant(b.getI8Type(), 1), no = constant(b.getI8Type(), 0);
    Value given = LLVM::SelectOp::create(b, loc, isNull(tensor), no, yes);
    Value place = LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(), constant(i64, 1));
    LLVM::StoreOp::create(b, loc, given, place);
    return place;
  }
  /// Begins a block with an i64 argument, `first` the first time.
  Block *beginLoop(Value first) {
    Block *before = b.getInsertionBlock();
    Block *loop = b.createBlock(leave, {i64}, {loc});
    b.setInsertionPointToEnd(before);
    LLVM::BrOp::create(b, loc, first, loop);
    b.setInsertionPointToEnd(loop);
    return loop;
  }
  /// Repeats `loop` with `next` if the condition holds, else leaves.
  void leaveUnless(Value condition, Value error, Block *loop, Value next) {
    LLVM::CondBrOp::create(b, loc, condition, loop, next, leave, error);
  }
  void leaveWith(Value code) { LLVM::BrOp::create(b, loc, code, leave); }

  OpBuilder b;
  Location loc;
  Type i32, i64, pointer;

private:
  Block *leave;
};

} // namespace

static LLVM::LLVMFuncOp createFunction(ModuleOp module, Location loc, StringRef name,
                                       ArrayRef<Type> arguments) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  return LLVM::LLVMFuncOp::create(b, loc, name,
                                  LLVM::LLVMFunctionType::get(b.getI32Type(), arguments));
}

LLVM::LLVMFuncOp weft::buildEntry(ModuleOp module, const ModelDescription &model,
                                  const EntryDescription &entry, func::FuncOp body) {
  MLIRContext *context = module.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = IntegerType::get(context, 64);
  std::vector<int32_t> used = symbolsOfEntry(model, entry);
  SmallVector<Type> types{pointer, pointer};
  types.append(used.size(), i64);
  types.append(entry.inputs.size() + entry.outputs.size(), pointer);
  auto function = createFunction(module, body.getLoc(), entryFunctionName(model, entry), types);
  EntryCode code(function);
  ValueRange arguments = function.getArguments();
  ValueRange sizes = arguments.slice(2, used.size());
  ValueRange tensors = arguments.drop_front(2 + used.size());

  SmallVector<Value> outside, missing;
  for (auto [symbol, size] : llvm::zip(used, sizes))
    outside.push_back(code.isOutside(size, model.symbols[symbol].bound));
  code.leaveIf(outside, WEFT_ERROR_LENGTH);
  if (model.weightsBytes > 0 && !model.embedsWeights)
    missing.push_back(code.isNull(arguments[0]));
  if (entry.scratchBytes > 0)
    missing.push_back(code.isNull(arguments[1]));
  for (auto [i, tensor] : llvm::enumerate(tensors))
    if (i >= entry.inputs.size() || !entry.inputs[i].optional)
      missing.push_back(code.isNull(tensor));
  code.leaveIf(missing, WEFT_ERROR_ARGUMENT);

  Value one = code.constant(code.i64, 1);
  Value status = LLVM::AllocaOp::create(code.b, code.loc, pointer, code.i32, one);
  LLVM::StoreOp::create(code.b, code.loc, code.constant(code.i32, WEFT_OK), status);
  SmallVector<Value> operands{arguments[0], arguments[1]};
  // A symbol that no tensor of this entry has is not used by its kernels either.
  SmallVector<Value> symbols(model.symbols.size(), one);
  for (auto [symbol, size] : llvm::zip(used, sizes))
    symbols[symbol] = size;
  llvm::append_range(operands, symbols);
  operands.push_back(status);
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    operands.push_back(tensor);
    if (i < entry.inputs.size() && entry.inputs[i].asked)
      operands.push_back(code.presenceOf(tensor));
  }
  func::CallOp::create(code.b, code.loc, body, operands);
  code.leaveWith(LLVM::LoadOp::create(code.b, code.loc, code.i32, status));
  return function;
}

LLVM::LLVMFuncOp weft::buildUniformEntry(ModuleOp module, const ModelDescription &model,
                                         const EntryDescription &entry, LLVM::LLVMFuncOp typed) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto function = createFunction(module, typed.getLoc(), (typed.getName() + ".call").str(),
                                 SmallVector<Type>(5, pointer));
  function.setLinkage(LLVM::Linkage::Internal);
  OpBuilder b(function.getContext());
  b.setInsertionPointToEnd(function.addEntryBlock(b));
  Location loc = function.getLoc();
  SmallVector<Value> operands{function.getArgument(0), function.getArgument(1)};
  auto loadElement = [&](unsigned argument, Type type, int32_t index) {
    Value address = LLVM::GEPOp::create(b, loc, pointer, type, function.getArgument(argument),
                                        ArrayRef<LLVM::GEPArg>{index});
    operands.push_back(LLVM::LoadOp::create(b, loc, type, address));
  };
  for (int32_t symbol : symbolsOfEntry(model, entry))
    loadElement(2, b.getI64Type(), symbol);
  for (unsigned i = 0; i != entry.inputs.size(); ++i)
    loadElement(3, pointer, i);
  for (unsigned i = 0; i != entry.outputs.size(); ++i)
    loadElement(4, pointer, i);
  auto call = LLVM::CallOp::create(b, loc, typed, operands);
  LLVM::ReturnOp::create(b, loc, call.getResults());
  return function;
}

//===----------------------------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------------------------===//

/// Every size is at least 1 and at most its bound; with the positions so far the new ones are not
/// too many.
static void checkSizes(EntryCode &code, const ModelDescription &model, const StepDescription &step,
                       ValueRange sizes, Value old) {
  SmallVector<Value> outside;
  Value count;
  for (auto [symbol, size] : llvm::zip_equal(symbolsOfStep(model, step), sizes)) {
    outside.push_back(code.isOutside(size, model.symbols[symbol].bound));
    if (symbol == step.countSymbol)
      count = size;
  }
  Value length = LLVM::AddOp::create(code.b, code.loc, old, count);
  outside.push_back(code.isOutside(length, model.symbols[step.lengthSymbol].bound));
  code.leaveIf(outside, WEFT_ERROR_LENGTH);
}

/// Pointers that must not be null.
static void checkPointers(EntryCode &code, const ModelDescription &model,
                          const EntryDescription &entry, ValueRange arguments, ValueRange tensors) {
  SmallVector<Value> missing{code.isNull(arguments[1])};
  if (model.weightsBytes > 0 && !model.embedsWeights)
    missing.push_back(code.isNull(arguments[0]));
  if (entry.scratchBytes > 0)
    missing.push_back(code.isNull(arguments[2]));
  for (auto [i, tensor] : llvm::enumerate(tensors))
    if (i >= entry.inputs.size() || !entry.inputs[i].optional)
      missing.push_back(code.isNull(tensor));
  code.leaveIf(missing, WEFT_ERROR_ARGUMENT);
}

namespace {

/// Writes the typed function of a step. The new positions are computed at once, or, if a cache
/// holds a window of the last positions only, in pieces for which it has room.
class StepCode {
public:
  StepCode(LLVM::LLVMFuncOp function, const ModelDescription &model, const StepDescription &step)
      : model(model), step(step), code(function), used(symbolsOfStep(model, step)),
        arguments(function.getArguments()), sizes(arguments.slice(3, used.size())),
        tensors(arguments.drop_front(3 + used.size())) {}

  void write(func::FuncOp body);

private:
  int64_t getPieceRows();
  Value makeRoom(const StatePart &part, int32_t word, Value positions, Value rows);
  Value pieceOf(const TensorDescription &tensor, Value pointer, Value done);
  Value callBody(func::FuncOp body, Value status, Value done, Value rows, Value length);

  const ModelDescription &model;
  const StepDescription &step;
  EntryCode code;
  std::vector<int32_t> used;
  ValueRange arguments, sizes, tensors;
};

} // namespace

/// The most new positions for which every window has room.
int64_t StepCode::getPieceRows() {
  int64_t rows = model.symbols[step.lengthSymbol].bound;
  for (const StatePart &part : step.parts)
    if (part.reach >= 0)
      rows = std::min(rows, getWindowRows(part.reach) - part.reach);
  return rows;
}

/// Moves the positions in reach to the front of their window if new rows do not fit behind them.
/// Returns where position 0 would lie.
Value StepCode::makeRoom(const StatePart &part, int32_t word, Value positions, Value rows) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto i64 = [&](int64_t value) { return code.constant(code.i64, value); };
  auto less = [&](Value x, Value y) {
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, x, y).getResult();
  };
  Value start = code.addressOf(arguments[1], part.offset), place = code.wordOf(arguments[1], word);
  Value first = code.load(place);
  Value kept = LLVM::SubOp::create(b, loc, positions, first);
  Value needed = LLVM::AddOp::create(b, loc, kept, rows);
  Value isFull = less(i64(getWindowRows(part.reach)), needed);
  Value inReach =
      LLVM::SelectOp::create(b, loc, less(kept, i64(part.reach)), kept, i64(part.reach));
  Value stay = LLVM::SelectOp::create(b, loc, isFull, inReach, kept);
  Value dropped = LLVM::SubOp::create(b, loc, kept, stay);
  auto bytesOf = [&](Value count) {
    return LLVM::MulOp::create(b, loc, count, i64(part.rowBytes)).getResult();
  };
  Value from = LLVM::GEPOp::create(b, loc, code.pointer, b.getI8Type(), start,
                                   ArrayRef<LLVM::GEPArg>{bytesOf(dropped)});
  // Nothing moves while there is room.
  Value moved = LLVM::SelectOp::create(b, loc, isFull, bytesOf(stay), i64(0));
  LLVM::MemmoveOp::create(b, loc, start, from, moved, /*isVolatile=*/false);
  Value newFirst = LLVM::AddOp::create(b, loc, first, dropped);
  code.store(newFirst, place);
  Value behind = LLVM::SubOp::create(b, loc, i64(0), bytesOf(newFirst));
  return LLVM::GEPOp::create(b, loc, code.pointer, b.getI8Type(), start,
                             ArrayRef<LLVM::GEPArg>{behind});
}

/// The rows of a tensor from number `done` on; a null pointer stays one.
Value StepCode::pieceOf(const TensorDescription &tensor, Value pointer, Value done) {
  bool hasWindows = llvm::any_of(step.parts, [](const StatePart &part) { return part.reach >= 0; });
  if (!hasWindows)
    return pointer; // there is one piece
  int64_t bytes = tensor.kind == ElementKind::Bool ? 1 : 4;
  for (size_t i = 1; i < tensor.dims.size(); ++i)
    bytes *= tensor.dims[i];
  Value offset = LLVM::MulOp::create(code.b, code.loc, done, code.constant(code.i64, bytes));
  Value moved = LLVM::GEPOp::create(code.b, code.loc, code.pointer, code.b.getI8Type(), pointer,
                                    ArrayRef<LLVM::GEPArg>{offset});
  return LLVM::SelectOp::create(code.b, code.loc, code.isNull(pointer), pointer, moved);
}

/// Computes some rows; returns the error code.
Value StepCode::callBody(func::FuncOp body, Value status, Value done, Value rows, Value length) {
  Value one = code.constant(code.i64, 1);
  SmallVector<Value> symbols(model.symbols.size(), one);
  for (int32_t symbol : symbolsOfEntry(model, step.start))
    symbols[symbol] = code.load(code.wordOf(arguments[1], 1 + symbol));
  for (auto [symbol, size] : llvm::zip_equal(used, sizes))
    symbols[symbol] = size;
  symbols[step.countSymbol] = rows;
  symbols[step.lengthSymbol] = length;
  Value positions = LLVM::SubOp::create(code.b, code.loc, length, rows);
  SmallVector<Value> operands{arguments[0], arguments[2]};
  llvm::append_range(operands, symbols);
  operands.push_back(status);
  for (auto [tensor, pointer] : llvm::zip(step.entry.inputs, tensors)) {
    operands.push_back(pieceOf(tensor, pointer, done));
    if (tensor.asked)
      operands.push_back(code.presenceOf(pointer));
  }
  int32_t word = 1 + model.symbols.size();
  for (const StatePart &part : step.parts)
    operands.push_back(part.reach < 0 ? code.addressOf(arguments[1], part.offset)
                                      : makeRoom(part, word++, positions, rows));
  for (auto [tensor, pointer] :
       llvm::zip_equal(step.entry.outputs, tensors.drop_front(step.entry.inputs.size())))
    operands.push_back(pieceOf(tensor, pointer, done));
  func::CallOp::create(code.b, code.loc, body, operands);
  return LLVM::LoadOp::create(code.b, code.loc, code.i32, status);
}

void StepCode::write(func::FuncOp body) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  auto compare = [&](LLVM::ICmpPredicate predicate, Value x, Value y) {
    return LLVM::ICmpOp::create(b, loc, predicate, x, y).getResult();
  };
  checkPointers(code, model, step.entry, arguments, tensors);
  Value place = code.wordOf(arguments[1], 0);
  checkSizes(code, model, step, sizes, code.load(place));
  Value count;
  for (auto [symbol, size] : llvm::zip_equal(used, sizes))
    if (symbol == step.countSymbol)
      count = size;
  Value one = code.constant(code.i64, 1);
  Value status = LLVM::AllocaOp::create(b, loc, code.pointer, code.i32, one);
  Value good = code.constant(code.i32, WEFT_OK), zero = code.constant(code.i64, 0);
  LLVM::StoreOp::create(b, loc, good, status);
  Value most = code.constant(code.i64, getPieceRows());

  Block *piece = code.beginLoop(zero);
  Value done = piece->getArgument(0);
  Value left = LLVM::SubOp::create(b, loc, count, done);
  Value rows =
      LLVM::SelectOp::create(b, loc, compare(LLVM::ICmpPredicate::slt, left, most), left, most);
  Value length = LLVM::AddOp::create(b, loc, code.load(place), rows);
  Value result = callBody(body, status, done, rows, length);
  // After an error the sequence ends before the positions that have it.
  code.leaveIfWith(compare(LLVM::ICmpPredicate::ne, result, good), result);
  code.store(length, place);
  Value next = LLVM::AddOp::create(b, loc, done, rows);
  code.leaveUnless(compare(LLVM::ICmpPredicate::slt, next, count), good, piece, next);
}

static LLVM::LLVMFuncOp buildTypedStep(ModuleOp module, const ModelDescription &model,
                                       const StepDescription &step, func::FuncOp body) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  SmallVector<Type> types(3, pointer);
  types.append(symbolsOfStep(model, step).size(), IntegerType::get(module.getContext(), 64));
  types.append(step.entry.inputs.size() + step.entry.outputs.size(), pointer);
  auto function =
      createFunction(module, body.getLoc(), entryFunctionName(model, step.entry), types);
  StepCode(function, model, step).write(body);
  return function;
}

/// A new sequence has no positions, and its windows begin with the first.
static void clearPositions(EntryCode &code, const ModelDescription &model,
                           const StepDescription &step, Value state) {
  Value zero = code.constant(code.i64, 0);
  code.store(zero, code.wordOf(state, 0));
  int32_t word = 1 + model.symbols.size();
  for (const StatePart &part : step.parts)
    if (part.reach >= 0)
      code.store(zero, code.wordOf(state, word++));
}

/// Begins with no positions; makes and keeps what all positions see.
static LLVM::LLVMFuncOp buildTypedStart(ModuleOp module, const ModelDescription &model,
                                        const StepDescription &step, func::FuncOp body,
                                        Location loc) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  std::vector<int32_t> used = symbolsOfEntry(model, step.start);
  SmallVector<Type> types(3, pointer);
  types.append(used.size(), IntegerType::get(module.getContext(), 64));
  types.append(step.start.inputs.size(), pointer);
  auto function = createFunction(module, loc, entryFunctionName(model, step.start), types);
  EntryCode code(function);
  ValueRange arguments = function.getArguments();
  ValueRange sizes = arguments.slice(3, used.size());
  ValueRange tensors = arguments.drop_front(3 + used.size());
  Value state = arguments[1];
  if (!body) {
    code.leaveIf({code.isNull(state)}, WEFT_ERROR_ARGUMENT);
    clearPositions(code, model, step, state);
    code.leaveWith(code.constant(code.i32, WEFT_OK));
    return function;
  }
  checkPointers(code, model, step.start, arguments, tensors);
  SmallVector<Value> outside;
  for (auto [symbol, size] : llvm::zip_equal(used, sizes))
    outside.push_back(code.isOutside(size, model.symbols[symbol].bound));
  code.leaveIf(outside, WEFT_ERROR_LENGTH);

  Value one = code.constant(code.i64, 1);
  Value status = LLVM::AllocaOp::create(code.b, code.loc, pointer, code.i32, one);
  LLVM::StoreOp::create(code.b, code.loc, code.constant(code.i32, WEFT_OK), status);
  SmallVector<Value> symbols(model.symbols.size(), one);
  for (auto [symbol, size] : llvm::zip_equal(used, sizes)) {
    symbols[symbol] = size;
    code.store(size, code.wordOf(state, 1 + symbol));
  }
  // Tables over positions are made for all that there can be.
  symbols[step.lengthSymbol] = code.constant(code.i64, model.symbols[step.lengthSymbol].bound);
  SmallVector<Value> operands{arguments[0], arguments[2]};
  llvm::append_range(operands, symbols);
  operands.push_back(status);
  llvm::append_range(operands, tensors);
  for (int64_t offset : step.startOffsets)
    operands.push_back(code.addressOf(state, offset));
  func::CallOp::create(code.b, code.loc, body, operands);
  clearPositions(code, model, step, state);
  code.leaveWith(LLVM::LoadOp::create(code.b, code.loc, code.i32, status));
  return function;
}

/// A function that unpacks the arrays of `weft_step_call` and calls `typed`.
static LLVM::LLVMFuncOp buildUniformStep(ModuleOp module, LLVM::LLVMFuncOp typed,
                                         ArrayRef<int32_t> symbols, unsigned numInputs,
                                         unsigned numOutputs) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto function = createFunction(module, typed.getLoc(), (typed.getName() + ".call").str(),
                                 SmallVector<Type>(6, pointer));
  function.setLinkage(LLVM::Linkage::Internal);
  OpBuilder b(function.getContext());
  b.setInsertionPointToEnd(function.addEntryBlock(b));
  Location loc = function.getLoc();
  SmallVector<Value> operands(function.getArguments().take_front(3));
  auto loadElement = [&](unsigned argument, Type type, int32_t index) {
    Value address = LLVM::GEPOp::create(b, loc, pointer, type, function.getArgument(argument),
                                        ArrayRef<LLVM::GEPArg>{index});
    operands.push_back(LLVM::LoadOp::create(b, loc, type, address));
  };
  for (int32_t symbol : symbols)
    loadElement(3, b.getI64Type(), symbol);
  for (unsigned i = 0; i != numInputs; ++i)
    loadElement(4, pointer, i);
  for (unsigned i = 0; i != numOutputs; ++i)
    loadElement(5, pointer, i);
  auto call = LLVM::CallOp::create(b, loc, typed, operands);
  LLVM::ReturnOp::create(b, loc, call.getResults());
  return function;
}

StepCalls weft::buildStep(ModuleOp module, const ModelDescription &model,
                          const StepDescription &step, func::FuncOp body, func::FuncOp startBody) {
  LLVM::LLVMFuncOp typed = buildTypedStep(module, model, step, body);
  LLVM::LLVMFuncOp start = buildTypedStart(module, model, step, startBody, body.getLoc());
  return {buildUniformStep(module, typed, symbolsOfStep(model, step), step.entry.inputs.size(),
                           step.entry.outputs.size()),
          buildUniformStep(module, start, symbolsOfEntry(model, step.start),
                           step.start.inputs.size(), 0)};
}
