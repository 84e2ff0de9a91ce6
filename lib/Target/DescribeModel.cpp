//===- DescribeModel.cpp - the interface of a module of stage kernels -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Support/Version.h"
#include "weft/Target/Target.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;

static int64_t integerAttr(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : 0;
}

static int32_t symbolIndex(const ModelDescription &model, StringRef name) {
  for (auto [i, symbol] : llvm::enumerate(model.symbols))
    if (symbol.name == name)
      return i;
  return -1;
}

static ElementKind elementKind(Type type) {
  if (type.isInteger(1))
    return ElementKind::Bool;
  return type.isInteger() ? ElementKind::I32 : ElementKind::F32;
}

static void describeDefault(func::FuncOp function, unsigned argument, TensorDescription &tensor) {
  Attribute attribute = function.getArgAttr(argument, attrs::kDefault);
  tensor.optional = bool(attribute);
  tensor.computed = bool(function.getArgAttr(argument, attrs::kComputed));
  if (auto real = dyn_cast_or_null<FloatAttr>(attribute))
    tensor.defaultValue = real.getValueAsDouble();
  else if (auto integer = dyn_cast_or_null<BoolAttr>(attribute))
    tensor.defaultValue = integer.getValue();
  else if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    tensor.defaultValue = integer.getInt();
}

static TensorDescription describeArgument(const ModelDescription &model, func::FuncOp function,
                                          unsigned argument) {
  auto type = cast<MemRefType>(function.getArgumentTypes()[argument]);
  TensorDescription tensor;
  auto name = function.getArgAttrOfType<StringAttr>(argument, attrs::kName);
  tensor.name = name ? name.str() : "argument" + std::to_string(argument);
  tensor.kind = elementKind(type.getElementType());
  auto bounds = function.getArgAttrOfType<BoundsAttr>(argument, attrs::kBounds);
  unsigned next = 0;
  for (int64_t size : type.getShape()) {
    bool dynamic = ShapedType::isDynamic(size);
    tensor.dims.push_back(dynamic ? -1 : size);
    tensor.symbols.push_back(
        dynamic && bounds ? symbolIndex(model, bounds.getSymbols()[next++].getValue()) : -1);
  }
  describeDefault(function, argument, tensor);
  if (auto bound = function.getArgAttrOfType<IntegerAttr>(argument, attrs::kIndexBound))
    tensor.indexBound = bound.getInt();
  return tensor;
}

/// What `weft-annotate-kernels` counted.
static FlopCount describeFlops(const ModelDescription &model, func::FuncOp function) {
  FlopCount flops;
  auto counted = function->getAttrOfType<ArrayAttr>(attrs::kFlops);
  if (!counted || counted.size() != 3)
    return flops;
  for (auto [coefficient, attribute] : llvm::zip(flops.coefficients, counted))
    if (auto value = dyn_cast<FloatAttr>(attribute))
      coefficient = value.getValueAsDouble();
  if (flops.coefficients[1] > 0 || flops.coefficients[2] > 0)
    flops.symbol = symbolIndex(model, getFlopsSymbol(function->getParentOfType<ModuleOp>()));
  return flops;
}

static EntryDescription describeEntry(const ModelDescription &model, func::FuncOp function) {
  EntryDescription entry;
  entry.name = function.getName();
  entry.scratchBytes = integerAttr(function, attrs::kScratch);
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    if (function.getArgAttr(i, attrs::kState))
      continue;
    if (function.getArgAttr(i, attrs::kGiven)) { // stands behind its input
      if (!entry.inputs.empty())
        entry.inputs.back().asked = true;
      continue;
    }
    bool output = bool(function.getArgAttr(i, attrs::kOutput));
    (output ? entry.outputs : entry.inputs).push_back(describeArgument(model, function, i));
  }
  entry.flops = describeFlops(model, function);
  return entry;
}

/// Ids of the positions. A batch of the model's own may come before them, if it can be one.
static bool isRowOfIds(const TensorDescription &tensor, int32_t positions) {
  return tensor.kind == ElementKind::I32 && !tensor.symbols.empty() &&
         tensor.symbols.back() == positions &&
         llvm::all_of(tensor.symbols, [](int32_t symbol) { return symbol >= 0; }) &&
         llvm::count(tensor.symbols, positions) == 1;
}

/// Which entry generates text: `weft.generate = ["logits", "T"]` names the output and the symbol.
static void describeGeneration(ModelDescription &model, func::FuncOp function, int32_t index) {
  auto generate = function->getAttrOfType<ArrayAttr>(attrs::kGenerate);
  if (!generate || generate.size() < 2 || model.generateEntry >= 0)
    return;
  EntryDescription &entry = model.entries[index];
  StringRef output = cast<StringAttr>(generate[0]).getValue();
  model.generateSymbol = symbolIndex(model, cast<StringAttr>(generate[1]).getValue());
  for (auto [i, tensor] : llvm::enumerate(entry.outputs))
    if (tensor.name == output)
      model.generateOutput = i;
  for (auto [i, tensor] : llvm::enumerate(entry.inputs))
    if (model.generateInput < 0 && !tensor.optional && isRowOfIds(tensor, model.generateSymbol))
      model.generateInput = i;
  model.generateEntry = index;
}

static StatePart describePart(func::FuncOp function, unsigned argument, int64_t offset) {
  StatePart part{offset, /*rowBytes=*/0, /*reach=*/-1};
  auto window = function.getArgAttrOfType<IntegerAttr>(argument, attrs::kWindow);
  if (!window)
    return part;
  part.reach = window.getInt();
  auto type = cast<MemRefType>(function.getArgumentTypes()[argument]);
  part.rowBytes = *tensorBytes(getStorageBits(type.getElementType()), type.getShape().drop_front());
  return part;
}

static StepDescription describeStep(const ModelDescription &model, func::FuncOp function) {
  StepDescription step;
  step.entry = describeEntry(model, function);
  step.stateBytes = integerAttr(function, attrs::kStateBytes);
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (auto offset = function.getArgAttrOfType<IntegerAttr>(i, attrs::kState))
      step.parts.push_back(describePart(function, i, offset.getInt()));
  auto names = function->getAttrOfType<ArrayAttr>(attrs::kStep);
  StringRef continues = cast<StringAttr>(names[0]).getValue();
  step.start.name = (continues + "_start").str();
  for (auto start : function->getParentOfType<ModuleOp>().getOps<func::FuncOp>()) {
    auto begins = start->getAttrOfType<StringAttr>(attrs::kStart);
    if (!begins || begins.getValue() != function.getName())
      continue;
    step.hasStart = true;
    step.start = describeEntry(model, start);
    for (unsigned i = 0; i != start.getNumArguments(); ++i)
      if (auto offset = start.getArgAttrOfType<IntegerAttr>(i, attrs::kState))
        step.startOffsets.push_back(offset.getInt());
  }
  for (auto [i, entry] : llvm::enumerate(model.entries))
    if (entry.name == continues)
      step.continues = i;
  step.lengthSymbol = symbolIndex(model, cast<StringAttr>(names[1]).getValue());
  step.countSymbol = symbolIndex(model, cast<StringAttr>(names[2]).getValue());
  return step;
}

static int64_t countParameters(ModuleOp module) {
  llvm::StringSet<> names;
  int64_t count = 0;
  module.walk([&](WeightOp op) {
    if (!names.insert(op.getName()).second)
      return;
    count += *elementCount(op.getPack() ? op.getPack()->getView()
                                        : cast<ShapedType>(op.getType()).getShape());
  });
  return count;
}

static std::string locationText(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (file && text.empty())
      text = (file.getFilename().getValue().rsplit('/').second.empty()
                  ? file.getFilename().getValue()
                  : file.getFilename().getValue().rsplit('/').second)
                 .str() +
             ":" + std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn());
    return WalkResult::advance();
  });
  return text;
}

ModelDescription weft::describeModel(ModuleOp module, StringRef target, bool threaded) {
  ModelDescription model;
  auto name = module->getAttrOfType<StringAttr>(attrs::kModel);
  model.name = cIdentifier(name ? name.getValue() : "model");
  model.compiler = ("weftc " + version()).str();
  model.target = target;
  model.threaded = threaded;
  model.fingerprint = uint64_t(integerAttr(module, attrs::kFingerprint));
  model.weightsBytes = integerAttr(module, attrs::kWeightsBytes);
  model.parameterCount = countParameters(module);
  if (auto symbols = module->getAttrOfType<BoundsAttr>(attrs::kSymbols))
    for (auto [symbol, bound] : llvm::zip(symbols.getSymbols(), symbols.getBounds()))
      model.symbols.push_back({symbol.str(), bound});

  int64_t scratch = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(attrs::kEntry) || function->hasAttr(attrs::kStep) ||
        function->hasAttr(attrs::kStart))
      continue;
    model.entries.push_back(describeEntry(model, function));
    scratch = std::max(scratch, model.entries.back().scratchBytes);
    describeGeneration(model, function, model.entries.size() - 1);
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(attrs::kStep)) {
      const StepDescription &step = model.steps.emplace_back(describeStep(model, function));
      scratch = std::max(scratch, step.stateBytes +
                                      std::max(step.entry.scratchBytes, step.start.scratchBytes));
    }
  model.peakBytes = model.weightsBytes + scratch;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(attrs::kKernel))
      model.kernels.push_back({function.getName().str(), locationText(function.getLoc()),
                               describeFlops(model, function)});
  return model;
}
