//===- EntryBuilder.cpp - the C functions of an entry ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryBuilder.h"

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
    Value error = constant(i32, code);
    Block *next = b.createBlock(leave);
    b.setInsertionPointToEnd(next->getPrevNode());
    LLVM::CondBrOp::create(b, loc, any, leave, error, next, ValueRange());
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
