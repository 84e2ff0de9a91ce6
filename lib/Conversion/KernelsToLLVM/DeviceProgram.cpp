//===- DeviceProgram.cpp - the constants of weft_cuda_program.h -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DeviceProgram.h"

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"
#include "weft/Runtime/weft_cuda_program.h"
#include "weft/Support/Elements.h"
#include "weft/Target/PTX.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Constant tensors
//===----------------------------------------------------------------------------------------===//

DenseElementsAttr weft::getStoredElements(memref::GlobalOp global) {
  auto elements = cast<DenseElementsAttr>(*global.getInitialValue());
  Type element = getMemoryType(elements.getElementType());
  if (elements.getElementType().isInteger(1))
    return cast<DenseIntElementsAttr>(elements).mapValues(
        element, [](const APInt &value) { return value.zext(8); });
  return elements.bitcast(element);
}

DeviceConstants::DeviceConstants(ModuleOp module) {
  for (auto global : module.getOps<memref::GlobalOp>()) {
    DenseElementsAttr elements = getStoredElements(global);
    bytes.resize(llvm::alignTo(bytes.size(), kDeviceAlignment), '\0');
    offsets[global.getName()] = int64_t(bytes.size());
    ArrayRef<char> data = elements.getRawData();
    for (int64_t i = 0, n = elements.isSplat() ? elements.getNumElements() : 1; i != n; ++i)
      bytes.append(data.begin(), data.end());
  }
}

//===----------------------------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------------------------===//

std::string weft::deviceProgramName(const ModelDescription &model) {
  return model.name + ".program";
}

/// Four bytes of elements that are all the default.
static uint32_t getFill(const TensorDescription &tensor) {
  const ElementTypeInfo &info = infoOf(tensor.type);
  std::array<uint8_t, 4> bytes = {};
  for (int64_t i = 0; i != int64_t(bytes.size()) / info.bytes(); ++i) {
    if (info.isReal())
      storeReal(tensor.type, bytes.data(), i, tensor.defaultValue);
    else
      storeInt(tensor.type, bytes.data(), i, int64_t(tensor.defaultValue));
  }
  return llvm::support::endian::read32le(bytes.data());
}

namespace {

class FunctionWriter : StructureWriter {
public:
  FunctionWriter(ModuleOp module, const ModelDescription &model, std::string name)
      : StructureWriter(module, name), model(model), name(std::move(name)) {}

  void write(const EntryDescription &entry, const StateParts &state, func::FuncOp body);

private:
  void addTensor(const TensorDescription &tensor, int32_t kind);
  void addByte();
  void addPart(const StatePart &part, int64_t window);
  Field addBody(func::FuncOp body);

  const ModelDescription &model;
  std::string name;
  SmallVector<Field> places; ///< of weft_cuda_place
  unsigned numPlaces = 0;
};

} // namespace

void FunctionWriter::addTensor(const TensorDescription &tensor, int32_t kind) {
  int64_t bytes = infoOf(tensor.type).bytes();
  SmallVector<Field> symbols;
  for (auto [dim, symbol] : llvm::zip(tensor.dims, tensor.symbols)) {
    if (symbol >= 0)
      symbols.push_back(i32(symbol));
    else
      bytes *= dim;
  }
  bool fills = tensor.optional;
  places.append({i64(bytes), addArray("symbols", symbols), i32(symbols.size()), i32(kind),
                 i32(fills), i32(fills ? getFill(tensor) : 0), i64(0), i64(0), i64(0), i32(-1),
                 i32(0)});
  ++numPlaces;
}

/// Whether an input is given.
void FunctionWriter::addByte() {
  TensorDescription byte;
  byte.type = ElementType::Bool;
  addTensor(byte, WEFT_CUDA_INPUT);
}

void FunctionWriter::addPart(const StatePart &part, int64_t window) {
  places.append({i64(part.rowBytes), addArray("symbols", {}), i32(0), i32(WEFT_CUDA_PART), i32(0),
                 i32(0), i64(part.offset), i64(part.reach),
                 i64(window < 0 ? 0 : getWindowRows(part.reach, part.rowBytes)), i32(window),
                 i32(window < 0 ? 1 : getWindowStep(part.rowBytes))});
  ++numPlaces;
}

/// A function of the LLVM dialect that calls `body`, so that its address can be taken.
Field FunctionWriter::addBody(func::FuncOp body) {
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), body.getArgumentTypes());
  auto function = LLVM::LLVMFuncOp::create(b, loc, name + ".body", type, LLVM::Linkage::Internal);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(function.addEntryBlock(b));
  func::CallOp::create(b, loc, body, function.getArguments());
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return address(function.getName().str());
}

void FunctionWriter::write(const EntryDescription &entry, const StateParts &state,
                           func::FuncOp body) {
  for (const TensorDescription &input : entry.inputs) {
    addTensor(input, WEFT_CUDA_INPUT);
    if (input.asked)
      addByte();
  }
  int64_t windows = 0;
  for (const StatePart &part : state.parts)
    addPart(part, part.reach >= 0 ? windows++ : -1);
  for (const TensorDescription &output : entry.outputs)
    addTensor(output, WEFT_CUDA_OUTPUT);
  addGlobal(name,
            {addBody(body), addArray("places", places), i64(state.deviceBytes), i32(numPlaces),
             i32(stateWordsOf(model)), i32(state.numWindows), i32(state.countSymbol)},
            /*exported=*/false);
}

std::string weft::buildDeviceFunction(ModuleOp module, const ModelDescription &model,
                                      const EntryDescription &entry, const StateParts &state,
                                      func::FuncOp body) {
  std::string name = entryFunctionName(model, entry) + ".device";
  FunctionWriter(module, model, name).write(entry, state, body);
  return name;
}

//===----------------------------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------------------------===//

namespace {

class ProgramWriter : StructureWriter {
public:
  ProgramWriter(ModuleOp module, const ModelDescription &model)
      : StructureWriter(module, deviceProgramName(model)), module(module), model(model) {}

  void write(const DeviceConstants &constants, ArrayRef<std::string> images);

private:
  Field addImages(ArrayRef<std::string> images);
  Field addKernels(unsigned &count);
  Field addConstants(StringRef bytes);

  ModuleOp module;
  const ModelDescription &model;
};

} // namespace

/// The texts are there when the kernels are translated.
Field ProgramWriter::addImages(ArrayRef<std::string> images) {
  SmallVector<Field> fields;
  for (const std::string &chip : images) {
    std::string symbol = getImageName(chip);
    LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/true, LLVM::Linkage::External, symbol, Attribute());
    const GPUChip &known = *findGPUChip(chip);
    fields.append({address(symbol), i32(known.capability), i32(known.exact), addString(chip)});
  }
  return addArray("images", fields);
}

/// Launches count them in the order of their modules.
Field ProgramWriter::addKernels(unsigned &count) {
  SmallVector<Field> fields;
  for (auto device : module.getOps<gpu::GPUModuleOp>())
    for (auto kernel : device.getOps<LLVM::LLVMFuncOp>())
      if (kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
        fields.push_back(addString(kernel.getName()));
  count = fields.size();
  return addArray("kernels", fields);
}

Field ProgramWriter::addConstants(StringRef bytes) {
  if (bytes.empty())
    return address("");
  std::string name = deviceProgramName(model) + ".constants";
  LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
                         /*isConstant=*/true, LLVM::Linkage::Internal, name, b.getStringAttr(bytes),
                         64);
  return address(name);
}

void ProgramWriter::write(const DeviceConstants &constants, ArrayRef<std::string> images) {
  unsigned numKernels = 0;
  Field kernels = addKernels(numKernels);
  addGlobal(deviceProgramName(model),
            {address(model.name + "_info"), addImages(images), kernels,
             addConstants(constants.bytes), i64(constants.bytes.size()),
             i64(model.deviceScratchBytes), i32(images.size()), i32(numKernels),
             i32(model.symbols.size()), i32(0)},
            /*exported=*/false);
}

void weft::buildDeviceProgram(ModuleOp module, const ModelDescription &model,
                              const DeviceConstants &constants, ArrayRef<std::string> images) {
  ProgramWriter(module, model).write(constants, images);
}
