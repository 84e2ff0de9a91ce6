//===- EntryFunction.cpp - the C functions of an entry --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EntryFunction.h"

#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Runtime/weft_model_info.h"

#include <cstddef>

using namespace mlir;
using namespace weft;

LLVM::LLVMFuncOp weft::findProcessorCheck(ModuleOp module) {
  return module.lookupSymbol<LLVM::LLVMFuncOp>(kProcessorCheck);
}

/// What is called before the processor is checked runs on any, as the check does.
static LLVM::LLVMFuncOp createFunction(ModuleOp module, Location loc, StringRef name,
                                       ArrayRef<Type> arguments) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(b, loc, name,
                                           LLVM::LLVMFunctionType::get(b.getI32Type(), arguments));
  if (LLVM::LLVMFuncOp check = findProcessorCheck(module))
    function.setTargetCpuAttr(check.getTargetCpuAttr());
  return function;
}

static LLVM::LLVMFuncOp createUniform(ModuleOp module, Location loc, const ModelDescription &model,
                                      const EntryDescription &entry, bool hasState) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto function = createFunction(module, loc, entryFunctionName(model, entry) + ".call",
                                 SmallVector<Type>(hasState ? 6 : 5, pointer));
  function.setLinkage(LLVM::Linkage::Internal);
  return function;
}

EntryFunction::EntryFunction(ModuleOp module, Location loc, const ModelDescription &model,
                             const EntryDescription &entry, std::vector<int32_t> symbols,
                             bool hasState)
    : model(model), entry(entry), symbols(std::move(symbols)), hasState(hasState),
      function(createUniform(module, loc, model, entry, hasState)), code(function) {
  for (const TensorDescription &input : entry.inputs) {
    inputPlaces.push_back(firstPart);
    firstPart += input.asked ? 2 : 1;
  }
}

void EntryFunction::checkProcessor() {
  LLVM::LLVMFuncOp check = findProcessorCheck(function->getParentOfType<ModuleOp>());
  if (!check)
    return;
  Value error = LLVM::CallOp::create(code.b, code.loc, check, ValueRange()).getResult();
  Value good = code.constant(code.i32, WEFT_OK);
  code.leaveIf(
      LLVM::ICmpOp::create(code.b, code.loc, LLVM::ICmpPredicate::ne, error, good).getResult(),
      error);
}

void EntryFunction::checkPointers() {
  // Thousands of pointers are checked in pieces that LLVM has no trouble with.
  constexpr size_t kPiece = 64;
  SmallVector<Value> missing;
  auto require = [&](Value pointer) {
    missing.push_back(code.isNull(pointer));
    if (missing.size() < kPiece)
      return;
    code.leaveIf(missing, WEFT_ERROR_ARGUMENT);
    missing.clear();
  };
  if (hasState)
    require(getState());
  if (model.weightsBytes > 0 && !model.embedsWeights)
    require(function.getArgument(0));
  if (entry.scratchBytes > 0)
    require(getScratch());
  for (auto [i, input] : llvm::enumerate(entry.inputs))
    if (!input.optional)
      require(getInput(i));
  for (unsigned i = 0; i != entry.outputs.size(); ++i)
    require(getOutput(i));
  code.leaveIf(missing, WEFT_ERROR_ARGUMENT);
}

void EntryFunction::checkSizes(SmallVector<Value> outside) {
  for (int32_t symbol : symbols)
    outside.push_back(code.isOutside(getSize(symbol), model.symbols[symbol].bound));
  code.leaveIf(outside, WEFT_ERROR_LENGTH);
}

void EntryFunction::prepareCalls(const StateParts &parts) {
  state = parts;
  status = code.place(code.constant(code.i32, WEFT_OK));
  firstOutput = firstPart + state.parts.size();
  tensors = code.allocate(code.pointer, firstOutput + entry.outputs.size());
  SmallVector<Value> given;
  for (const TensorDescription &input : entry.inputs)
    given.push_back(input.asked ? code.allocate(code.i8, 1) : Value());
  checkProcessor();
  for (auto [i, place] : llvm::enumerate(given)) {
    if (!place)
      continue;
    code.store(
        code.select(code.isNull(getInput(i)), code.constant(code.i8, 0), code.constant(code.i8, 1)),
        place);
    pass(inputPlaces[i] + 1, place);
  }
}

void EntryFunction::pass(unsigned place, Value address) {
  code.store(address, code.element(code.pointer, tensors, place));
}

void EntryFunction::copy(unsigned place, Value list, unsigned first, unsigned count) {
  if (count > 0)
    code.copy(code.element(code.pointer, tensors, place), code.element(code.pointer, list, first),
              int64_t(sizeof(uint64_t)) * count);
}

void EntryFunction::passTensors() {
  // Inputs between two answers are copied at once.
  unsigned first = 0, end = entry.inputs.size();
  for (unsigned i = 0; i != end; ++i) {
    if (!entry.inputs[i].asked && i + 1 != end)
      continue;
    copy(inputPlaces[first], getList(1), first, i + 1 - first);
    first = i + 1;
  }
  copy(firstOutput, getList(2), 0, entry.outputs.size());
}

/// Those that are given, or else those in the object. Their address is read from the description,
/// and the read is volatile, or LLVM would put the address into the code, from where it may be too
/// far.
Value EntryFunction::getWeights() {
  Value given = function.getArgument(0);
  if (!model.embedsWeights)
    return given;
  Value info = LLVM::AddressOfOp::create(code.b, code.loc, code.pointer, model.name + "_info");
  Value place = code.address(info, code.number(offsetof(weft_model_info, embedded_weights)));
  Value own = LLVM::LoadOp::create(code.b, code.loc, code.pointer, place, /*alignment=*/8,
                                   /*isVolatile=*/true);
  return code.select(code.isNull(given), own, given);
}

/// On a GPU the runtime finds the addresses that the body gets.
Value EntryFunction::callDevice(func::FuncOp body, Value sizes) {
  auto module = function->getParentOfType<ModuleOp>();
  StringRef name = "weft_cuda_call";
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(code.i32, SmallVector<Type>(6, code.pointer));
    callee = LLVM::LLVMFuncOp::create(atEnd, code.loc, name, type);
  }
  auto addressOf = [&](StringRef symbol) -> Value {
    return LLVM::AddressOfOp::create(code.b, code.loc, code.pointer, symbol);
  };
  Value stateAddress =
      hasState ? getState() : Value(LLVM::ZeroOp::create(code.b, code.loc, code.pointer));
  return LLVM::CallOp::create(
             code.b, code.loc, callee,
             ValueRange{addressOf(deviceProgramName(model)),
                        addressOf(buildDeviceFunction(module, model, entry, state, body)),
                        getWeights(), stateAddress, sizes, tensors})
      .getResult();
}

Value EntryFunction::call(func::FuncOp body, Value sizes) {
  if (model.onDevice)
    return callDevice(body, sizes);
  func::CallOp::create(code.b, code.loc, body,
                       ValueRange{getWeights(), getScratch(), sizes, status, tensors});
  return code.load(code.i32, status);
}

void weft::buildTyped(ModuleOp module, const ModelDescription &model, const EntryDescription &entry,
                      EntryFunction &uniform) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  // All but the lists are passed on as they are.
  unsigned numPointers = uniform.getOp().getNumArguments() - 3;
  SmallVector<Type> types(numPointers, pointer);
  types.append(uniform.getSymbols().size(), IntegerType::get(module.getContext(), 64));
  types.append(entry.inputs.size() + entry.outputs.size(), pointer);
  LLVM::LLVMFuncOp function =
      createFunction(module, uniform.getOp().getLoc(), entryFunctionName(model, entry), types);
  // Lists are written, in which there is nothing to optimise; LLVM's scheduler would take quadratic
  // time for very many of them.
  constexpr size_t kManyParameters = 256;
  function.setNoInline(types.size() > kManyParameters);
  function.setOptimizeNone(types.size() > kManyParameters);
  EntryCode code(function);
  SmallVector<Value> operands(function.getArguments().take_front(numPointers));
  unsigned next = numPointers;
  auto store = [&](Type type, Value list, unsigned i) {
    code.store(function.getArgument(next++), code.element(type, list, i));
  };
  Value sizes = code.allocate(code.i64, model.symbols.size());
  Value inputs = code.allocate(pointer, entry.inputs.size());
  Value outputs = code.allocate(pointer, entry.outputs.size());
  for (int32_t symbol : uniform.getSymbols())
    store(code.i64, sizes, symbol);
  for (unsigned i = 0; i != entry.inputs.size(); ++i)
    store(pointer, inputs, i);
  for (unsigned i = 0; i != entry.outputs.size(); ++i)
    store(pointer, outputs, i);
  operands.append({sizes, inputs, outputs});
  code.leaveWith(LLVM::CallOp::create(code.b, code.loc, uniform.getOp(), operands).getResult());
}
