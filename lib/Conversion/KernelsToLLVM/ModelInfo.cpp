//===- ModelInfo.cpp - the constant weft_model_info -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The structures of weft_model_info.h as globals.
//
//===----------------------------------------------------------------------------------------===//

#include "EntryBuilder.h"
#include "EntryFunction.h"
#include "StructureWriter.h"

#include "weft/Runtime/weft_model_info.h"
#include "weft/Target/Target.h"

using namespace mlir;
using namespace weft;

namespace {

class InfoBuilder : StructureWriter {
public:
  InfoBuilder(ModuleOp module, const ModelDescription &model)
      : StructureWriter(module, model.name + ".info"), module(module), model(model) {}

  void build(ArrayRef<LLVM::LLVMFuncOp> calls, ArrayRef<UniformStep> steps);

private:
  Field addSymbols();
  Field addTensors(ArrayRef<TensorDescription> tensors);
  Field addEntries(ArrayRef<LLVM::LLVMFuncOp> calls);
  Field addKernels();
  Field addCounts();
  Field addEntryFlops();
  Field addSteps(ArrayRef<UniformStep> calls);
  Field addProcessorCheck();
  Field addWeights();
  void appendSteps(SmallVectorImpl<Field> &fields, const Count &count);
  void appendFlops(SmallVectorImpl<Field> &fields, const FlopCount &flops);
  void addGetter(StringRef info);

  ModuleOp module;
  const ModelDescription &model;
};

} // namespace

Field InfoBuilder::addSymbols() {
  SmallVector<Field> fields;
  for (const SymbolDescription &symbol : model.symbols)
    fields.append({addString(symbol.name), i64(symbol.bound)});
  return addArray("symbols", fields);
}

Field InfoBuilder::addTensors(ArrayRef<TensorDescription> tensors) {
  SmallVector<Field> fields;
  for (const TensorDescription &tensor : tensors) {
    SmallVector<Field> dims, symbols;
    for (auto [dim, symbol] : llvm::zip(tensor.dims, tensor.symbols)) {
      dims.push_back(i64(symbol >= 0 ? -1 : dim));
      symbols.push_back(i32(symbol));
    }
    fields.append({addString(tensor.name), addArray("dims", dims), addArray("dim_symbols", symbols),
                   i32(infoOf(tensor.type).code), i32(tensor.dims.size()), i32(tensor.optional),
                   i32(tensor.computed), f64(tensor.defaultValue), i64(tensor.indexBound)});
  }
  return addArray("tensors", fields);
}

void InfoBuilder::appendFlops(SmallVectorImpl<Field> &fields, const FlopCount &flops) {
  for (double coefficient : flops.coefficients)
    fields.push_back(f64(coefficient));
  fields.append({i32(flops.symbol), i32(0)});
}

void InfoBuilder::appendSteps(SmallVectorImpl<Field> &fields, const Count &count) {
  for (const weft_count_step &step : count.getSteps())
    fields.append({i32(step.kind), i32(step.symbol), f64(step.number)});
}

Field InfoBuilder::addEntries(ArrayRef<LLVM::LLVMFuncOp> calls) {
  SmallVector<Field> fields;
  for (auto [entry, function] : llvm::zip_equal(model.entries, calls)) {
    LLVM::LLVMFuncOp call = function;
    fields.append({addString(entry.name), address(call.getName().str()), i64(entry.scratchBytes),
                   addTensors(entry.inputs), addTensors(entry.outputs), i32(entry.inputs.size()),
                   i32(entry.outputs.size())});
    appendFlops(fields, entry.flops);
  }
  return addArray("entries", fields);
}

Field InfoBuilder::addKernels() {
  SmallVector<Field> fields;
  for (const KernelDescription &kernel : model.kernels) {
    fields.append({addString(kernel.name), addString(kernel.location)});
    appendFlops(fields, kernel.flops);
  }
  return addArray("kernels", fields);
}

/// What each kernel does: its four counts are one program.
Field InfoBuilder::addCounts() {
  SmallVector<Field> fields;
  for (const KernelDescription &kernel : model.kernels) {
    WorkCount work = kernel.work.value_or(WorkCount());
    SmallVector<Field> steps;
    for (const Count *count : {&work.flops, &work.functions, &work.bytes, &work.weights})
      appendSteps(steps, *count);
    if (!kernel.work)
      steps.clear();
    fields.append({addArray("count", steps), i32(steps.size() / 3), i32(int64_t(work.unit)),
                   i32(work.passes), i32(0)});
  }
  return addArray("counts", fields);
}

Field InfoBuilder::addEntryFlops() {
  SmallVector<Field> fields;
  for (const EntryDescription &entry : model.entries) {
    SmallVector<Field> steps;
    if (entry.flopCount)
      appendSteps(steps, *entry.flopCount);
    fields.append({addArray("flops", steps), i32(steps.size() / 3), i32(0)});
  }
  return addArray("entry_flops", fields);
}

Field InfoBuilder::addSteps(ArrayRef<UniformStep> calls) {
  SmallVector<Field> fields;
  for (auto [step, functions] : llvm::zip_equal(model.steps, calls)) {
    UniformStep call = functions;
    fields.append({addString(step.entry.name), address(call.step.getName().str()),
                   address(call.start.getName().str()), i64(step.stateBytes),
                   i64(step.getScratchBytes()), addTensors(step.entry.inputs),
                   addTensors(step.entry.outputs), addTensors(step.start.inputs),
                   i32(step.entry.inputs.size()), i32(step.entry.outputs.size()),
                   i32(step.start.inputs.size()), i32(step.continues), i32(step.lengthSymbol),
                   i32(step.countSymbol), address(call.last ? call.last.getName().str() : ""),
                   addTensors(step.last.outputs), i32(step.lastSymbol), i32(0)});
  }
  return addArray("steps", fields);
}

Field InfoBuilder::addProcessorCheck() {
  LLVM::LLVMFuncOp check = findProcessorCheck(module);
  return address(check ? check.getName().str() : "");
}

/// What the object has got behind its code (EmbedWeights.cpp), by a symbol of its own: only this
/// field, which has room for any distance, names it.
Field InfoBuilder::addWeights() {
  if (!model.embedsWeights)
    return address("");
  std::string name = embeddedWeightsName(model.name);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), uint64_t(model.weightsBytes));
  auto weights = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::External,
                                        name, Attribute(), 64);
  weights.setVisibility_(LLVM::Visibility::Hidden);
  return address(name);
}

/// Weak, because a program may hold several models; a shared library has one.
void InfoBuilder::addGetter(StringRef info) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto getter = LLVM::LLVMFuncOp::create(
      b, loc, WEFT_GET_INFO_NAME, LLVM::LLVMFunctionType::get(pointer, {}), LLVM::Linkage::Weak);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(getter.addEntryBlock(b));
  Value address = LLVM::AddressOfOp::create(b, loc, pointer, info);
  LLVM::ReturnOp::create(b, loc, address);
}

void InfoBuilder::build(ArrayRef<LLVM::LLVMFuncOp> calls, ArrayRef<UniformStep> steps) {
  // In the order of weft_model_info.
  std::string name = model.name + "_info";
  Field fields[] = {i32(WEFT_ABI_VERSION),
                    i32(model.threaded),
                    addString(model.name),
                    addString(model.compiler),
                    addString(model.target),
                    i64(int64_t(model.fingerprint)),
                    i64(model.weightsBytes),
                    i64(model.parameterCount),
                    i64(model.peakBytes),
                    addWeights(),
                    addSymbols(),
                    addEntries(calls),
                    addKernels(),
                    i32(model.symbols.size()),
                    i32(model.entries.size()),
                    i32(model.kernels.size()),
                    i32(model.generateEntry),
                    i32(model.generateOutput),
                    i32(model.generateSymbol),
                    i32(model.generateInput),
                    i32(model.steps.size()),
                    addSteps(steps),
                    addString(model.features),
                    addProcessorCheck(),
                    addCounts(),
                    addEntryFlops()};
  addGlobal(name, fields, /*exported=*/true);
  addGetter(name);
}

void weft::buildModelInfo(ModuleOp module, const ModelDescription &model,
                          ArrayRef<LLVM::LLVMFuncOp> calls, ArrayRef<UniformStep> steps) {
  InfoBuilder(module, model).build(calls, steps);
}
