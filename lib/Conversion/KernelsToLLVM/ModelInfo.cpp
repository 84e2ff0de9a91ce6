//===- ModelInfo.cpp - the constant weft_model_info -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The structures of weft_model_info.h as globals. All their fields are naturally aligned and all
// padding is a field, so an array of structures is written as one long structure of its fields.
//
//===----------------------------------------------------------------------------------------===//

#include "EntryBuilder.h"
#include "EntryFunction.h"

#include "weft/Runtime/weft_model_info.h"

using namespace mlir;
using namespace weft;

namespace {

/// One number or address of a structure.
struct Field {
  enum Kind { I32, I64, F64, Address } kind;
  int64_t integer = 0;
  double real = 0;
  std::string symbol = {}; ///< of a global or function; empty: null
  bool function = false;
};

class InfoBuilder {
public:
  InfoBuilder(ModuleOp module, const ModelDescription &model)
      : module(module), model(model), b(OpBuilder::atBlockEnd(module.getBody())),
        loc(module.getLoc()) {}

  void build(ArrayRef<LLVM::LLVMFuncOp> calls, ArrayRef<UniformStep> steps);

private:
  static Field i32(int64_t value) { return {Field::I32, value}; }
  static Field i64(int64_t value) { return {Field::I64, value}; }
  static Field f64(double value) { return {Field::F64, 0, value}; }
  static Field address(std::string symbol) { return {Field::Address, 0, 0, std::move(symbol)}; }

  Type typeOf(const Field &field);
  Type typeOf(ArrayRef<Field> fields);
  Value valueOf(const Field &field);
  Value valueOf(ArrayRef<Field> fields);
  /// A constant structure with these fields.
  void addGlobal(StringRef name, ArrayRef<Field> fields, bool exported);
  Field addArray(StringRef what, ArrayRef<Field> fields);
  Field addString(StringRef text);
  Field addSymbols();
  Field addTensors(ArrayRef<TensorDescription> tensors);
  Field addEntries(ArrayRef<LLVM::LLVMFuncOp> calls);
  Field addKernels();
  Field addCounts();
  Field addSteps(ArrayRef<UniformStep> calls);
  Field addProcessorCheck();
  void appendFlops(SmallVectorImpl<Field> &fields, const FlopCount &flops);
  void addGetter(StringRef info);

  std::string freshName(StringRef what) {
    return (model.name + ".info." + what + "." + llvm::Twine(next++)).str();
  }

  ModuleOp module;
  const ModelDescription &model;
  OpBuilder b;
  Location loc;
  unsigned next = 0;
};

} // namespace

Type InfoBuilder::typeOf(const Field &field) {
  switch (field.kind) {
  case Field::I32:
    return b.getI32Type();
  case Field::I64:
    return b.getI64Type();
  case Field::F64:
    return b.getF64Type();
  case Field::Address:
    return LLVM::LLVMPointerType::get(b.getContext());
  }
  llvm_unreachable("unknown kind of field");
}

Value InfoBuilder::valueOf(const Field &field) {
  Type type = typeOf(field);
  if (field.kind == Field::F64)
    return LLVM::ConstantOp::create(b, loc, type, b.getF64FloatAttr(field.real));
  if (field.kind != Field::Address)
    return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, field.integer));
  if (field.symbol.empty())
    return LLVM::ZeroOp::create(b, loc, type);
  return LLVM::AddressOfOp::create(b, loc, type, field.symbol);
}

/// A structure is made field by field, and every step copies the whole: long ones are structures of
/// structures, with at most this many parts each.
static constexpr size_t kMostParts = 64;

static SmallVector<ArrayRef<Field>> partsOf(ArrayRef<Field> fields) {
  size_t size = 1;
  while (size * kMostParts < fields.size())
    size *= kMostParts;
  SmallVector<ArrayRef<Field>> parts;
  for (; !fields.empty(); fields = fields.drop_front(parts.back().size()))
    parts.push_back(fields.take_front(size));
  return parts;
}

Type InfoBuilder::typeOf(ArrayRef<Field> fields) {
  SmallVector<Type> types;
  for (ArrayRef<Field> part : partsOf(fields))
    types.push_back(part.size() == 1 ? typeOf(part.front()) : typeOf(part));
  // A part alone may begin or end between two alignments.
  return LLVM::LLVMStructType::getLiteral(b.getContext(), types, /*isPacked=*/true);
}

Value InfoBuilder::valueOf(ArrayRef<Field> fields) {
  Value value = LLVM::UndefOp::create(b, loc, typeOf(fields));
  for (auto [i, part] : llvm::enumerate(partsOf(fields))) {
    Value element = part.size() == 1 ? valueOf(part.front()) : valueOf(part);
    value = LLVM::InsertValueOp::create(b, loc, value, element, int64_t(i));
  }
  return value;
}

void InfoBuilder::addGlobal(StringRef name, ArrayRef<Field> fields, bool exported) {
  Type type = typeOf(fields);
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                       exported ? LLVM::Linkage::External : LLVM::Linkage::Internal,
                                       name, Attribute(), 8);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, loc, valueOf(fields));
}

/// The address of a global with the array's elements; null if there are none.
Field InfoBuilder::addArray(StringRef what, ArrayRef<Field> fields) {
  if (fields.empty())
    return address("");
  std::string name = freshName(what);
  addGlobal(name, fields, /*exported=*/false);
  return address(name);
}

Field InfoBuilder::addString(StringRef text) {
  std::string name = freshName("text");
  std::string bytes = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                         b.getStringAttr(bytes), 1);
  return address(name);
}

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
      for (const weft_count_step &step : count->getSteps())
        steps.append({i32(step.kind), i32(step.symbol), f64(step.number)});
    if (!kernel.work)
      steps.clear();
    fields.append({addArray("count", steps), i32(steps.size() / 3), i32(int64_t(work.unit)),
                   i32(work.passes), i32(0)});
  }
  return addArray("counts", fields);
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
                    address(""),
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
                    addCounts()};
  addGlobal(name, fields, /*exported=*/true);
  addGetter(name);
}

void weft::buildModelInfo(ModuleOp module, const ModelDescription &model,
                          ArrayRef<LLVM::LLVMFuncOp> calls, ArrayRef<UniformStep> steps) {
  InfoBuilder(module, model).build(calls, steps);
}
