//===- EntryFunction.cpp - the typed C function of an entry ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryFunction.h"

#include "weft/Runtime/weft_model_info.h"

using namespace mlir;
using namespace weft;

static LLVM::LLVMFuncOp createFunction(ModuleOp module, Location loc, StringRef name,
                                       ArrayRef<Type> arguments) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  return LLVM::LLVMFuncOp::create(b, loc, name,
                                  LLVM::LLVMFunctionType::get(b.getI32Type(), arguments));
}

static LLVM::LLVMFuncOp createTyped(ModuleOp module, Location loc, const ModelDescription &model,
                                    const EntryDescription &entry, size_t numSizes, bool hasState) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  SmallVector<Type> types(hasState ? 3 : 2, pointer);
  types.append(numSizes, IntegerType::get(module.getContext(), 64));
  types.append(entry.inputs.size() + entry.outputs.size(), pointer);
  return createFunction(module, loc, entryFunctionName(model, entry), types);
}

EntryFunction::EntryFunction(ModuleOp module, Location loc, const ModelDescription &model,
                             const EntryDescription &entry, std::vector<int32_t> symbols,
                             bool hasState)
    : model(model), entry(entry), symbols(std::move(symbols)), hasState(hasState),
      function(createTyped(module, loc, model, entry, this->symbols.size(), hasState)),
      code(function) {}

ValueRange EntryFunction::getSizes() {
  return function.getArguments().slice(hasState ? 3 : 2, symbols.size());
}

ValueRange EntryFunction::getTensors() {
  return function.getArguments().drop_front((hasState ? 3 : 2) + symbols.size());
}

Value EntryFunction::getSize(int32_t symbol) {
  auto place = llvm::find(symbols, symbol);
  return place == symbols.end() ? Value() : getSizes()[place - symbols.begin()];
}

SmallVector<Value> EntryFunction::getSymbols() {
  SmallVector<Value> values(model.symbols.size(), code.number(1));
  for (auto [symbol, size] : llvm::zip_equal(symbols, getSizes()))
    values[symbol] = size;
  return values;
}

void EntryFunction::checkPointers() {
  SmallVector<Value> missing;
  if (hasState)
    missing.push_back(code.isNull(getState()));
  if (model.weightsBytes > 0 && !model.embedsWeights)
    missing.push_back(code.isNull(function.getArgument(0)));
  if (entry.scratchBytes > 0)
    missing.push_back(code.isNull(getScratch()));
  for (auto [i, tensor] : llvm::enumerate(getTensors()))
    if (i >= entry.inputs.size() || !entry.inputs[i].optional)
      missing.push_back(code.isNull(tensor));
  code.leaveIf(missing, WEFT_ERROR_ARGUMENT);
}

void EntryFunction::checkSizes(SmallVector<Value> outside) {
  for (auto [symbol, size] : llvm::zip_equal(symbols, getSizes()))
    outside.push_back(code.isOutside(size, model.symbols[symbol].bound));
  code.leaveIf(outside, WEFT_ERROR_LENGTH);
}

void EntryFunction::prepareCalls() {
  status = code.place(code.constant(code.i32, WEFT_OK));
  for (auto [input, tensor] : llvm::zip_equal(entry.inputs, getInputs())) {
    Value answer;
    if (input.asked)
      answer = code.place(
          code.select(code.isNull(tensor), code.constant(code.i8, 0), code.constant(code.i8, 1)));
    answers.push_back(answer);
  }
}

Value EntryFunction::call(func::FuncOp body, ValueRange symbols, ValueRange inputs,
                          ValueRange parts, ValueRange outputs) {
  SmallVector<Value> operands{function.getArgument(0), getScratch()};
  llvm::append_range(operands, symbols);
  operands.push_back(status);
  for (auto [input, answer] : llvm::zip_equal(inputs, answers)) {
    operands.push_back(input);
    if (answer)
      operands.push_back(answer);
  }
  llvm::append_range(operands, parts);
  llvm::append_range(operands, outputs);
  func::CallOp::create(code.b, code.loc, body, operands);
  return code.load(code.i32, status);
}

LLVM::LLVMFuncOp weft::buildUniform(ModuleOp module, LLVM::LLVMFuncOp typed, unsigned numPointers,
                                    ArrayRef<int32_t> symbols, const EntryDescription &entry) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto function = createFunction(module, typed.getLoc(), (typed.getName() + ".call").str(),
                                 SmallVector<Type>(numPointers + 3, pointer));
  function.setLinkage(LLVM::Linkage::Internal);
  OpBuilder b(function.getContext());
  b.setInsertionPointToEnd(function.addEntryBlock(b));
  Location loc = function.getLoc();
  SmallVector<Value> operands(function.getArguments().take_front(numPointers));
  auto loadElement = [&](unsigned array, Type type, int32_t index) {
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, type, function.getArgument(numPointers + array),
                            ArrayRef<LLVM::GEPArg>{index});
    operands.push_back(LLVM::LoadOp::create(b, loc, type, address));
  };
  for (int32_t symbol : symbols)
    loadElement(0, b.getI64Type(), symbol);
  for (unsigned i = 0; i != entry.inputs.size(); ++i)
    loadElement(1, pointer, i);
  for (unsigned i = 0; i != entry.outputs.size(); ++i)
    loadElement(2, pointer, i);
  auto call = LLVM::CallOp::create(b, loc, typed, operands);
  LLVM::ReturnOp::create(b, loc, call.getResults());
  return function;
}
