//===- DescribeModel.cpp - the interface of a module of stage kernels -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Kernels.h"
#include "weft/Dialect/Weft/IR/LocationText.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"
#include "weft/Dialect/Weft/Transforms/DerivedWeights.h"
#include "weft/Support/Version.h"
#include "weft/Target/Target.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace weft;

static int32_t symbolIndex(const ModelDescription &model, StringRef name) {
  for (auto [i, symbol] : llvm::enumerate(model.symbols))
    if (symbol.name == name)
      return i;
  return -1;
}

static void describeDefault(func::FuncOp function, unsigned argument, TensorDescription &tensor) {
  Attribute attribute = attrs::Default::getArg(function, argument);
  tensor.optional = bool(attribute);
  tensor.computed = bool(attrs::Computed::getArg(function, argument));
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
  auto name = attrs::Name::getArg(function, argument);
  tensor.name = name ? name.str() : "argument" + std::to_string(argument);
  tensor.type = *getElementType(type.getElementType());
  auto bounds = attrs::Bounds::getArg(function, argument);
  unsigned next = 0;
  for (int64_t size : type.getShape()) {
    bool dynamic = ShapedType::isDynamic(size);
    tensor.dims.push_back(dynamic ? -1 : size);
    tensor.symbols.push_back(
        dynamic && bounds ? symbolIndex(model, bounds.getSymbols()[next++].getValue()) : -1);
  }
  describeDefault(function, argument, tensor);
  if (auto bound = attrs::IndexBound::getArg(function, argument))
    tensor.indexBound = bound.getInt();
  return tensor;
}

/// What `weft-annotate-kernels` counted.
static FlopCount describeFlops(const ModelDescription &model, func::FuncOp function) {
  FlopCount flops;
  auto counted = attrs::Flops::get(function);
  if (!counted)
    return flops;
  llvm::copy(counted.asArrayRef(), std::begin(flops.coefficients));
  if (flops.coefficients[1] > 0 || flops.coefficients[2] > 0)
    flops.symbol = model.flopsSymbol;
  return flops;
}

static std::optional<Count> describeFlopCount(const ModelDescription &model,
                                              func::FuncOp function) {
  SmallVector<StringRef> names(llvm::map_range(
      model.symbols, [](const SymbolDescription &symbol) -> StringRef { return symbol.name; }));
  auto text = attrs::FlopCount::get(function);
  return text ? Count::parse(text, names) : std::nullopt;
}

static EntryDescription describeEntry(const ModelDescription &model, func::FuncOp function) {
  EntryDescription entry;
  entry.name = function.getName();
  entry.scratchBytes = attrs::Scratch::getInt(function);
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    if (attrs::State::getArg(function, i))
      continue;
    if (attrs::Given::getArg(function, i)) { // stands behind its input
      if (!entry.inputs.empty())
        entry.inputs.back().asked = true;
      continue;
    }
    bool output = bool(attrs::Output::getArg(function, i));
    (output ? entry.outputs : entry.inputs).push_back(describeArgument(model, function, i));
  }
  entry.flops = describeFlops(model, function);
  entry.flopCount = describeFlopCount(model, function);
  return entry;
}

/// Ids of the positions. A batch of the model's own may come before them, if it can be one.
static bool isRowOfIds(const TensorDescription &tensor, int32_t positions) {
  return tensor.type == ElementType::I32 && !tensor.symbols.empty() &&
         tensor.symbols.back() == positions &&
         llvm::all_of(tensor.symbols, [](int32_t symbol) { return symbol >= 0; }) &&
         llvm::count(tensor.symbols, positions) == 1;
}

/// Which entry generates text.
static void describeGeneration(ModelDescription &model, func::FuncOp function, int32_t index) {
  GenerateAttr generate = attrs::Generate::get(function);
  if (!generate || model.generateEntry >= 0)
    return;
  EntryDescription &entry = model.entries[index];
  model.generateSymbol = symbolIndex(model, generate.getAlong());
  for (auto [i, tensor] : llvm::enumerate(entry.outputs))
    if (tensor.name == generate.getOutput())
      model.generateOutput = i;
  for (auto [i, tensor] : llvm::enumerate(entry.inputs))
    if (model.generateInput < 0 && !tensor.optional && isRowOfIds(tensor, model.generateSymbol))
      model.generateInput = i;
  model.generateEntry = index;
}

static StatePart describePart(func::FuncOp function, unsigned argument, int64_t offset) {
  StatePart part{offset, /*rowBytes=*/0, /*reach=*/-1};
  auto window = attrs::Window::getArg(function, argument);
  if (!window)
    return part;
  part.reach = window.getInt();
  auto type = cast<MemRefType>(function.getArgumentTypes()[argument]);
  part.rowBytes = *tensorBytes(getStorageBits(type.getElementType()), type.getShape().drop_front());
  return part;
}

/// What the step computes of the last position only. The dimension of that one is not for callers.
static void describeLast(const ModelDescription &model, func::FuncOp function,
                         StepDescription &step) {
  step.last = describeEntry(model, function);
  step.lastSymbol = symbolIndex(model, attrs::Step::get(function).getCount());
  for (TensorDescription &output : step.last.outputs)
    for (size_t i = output.symbols.size(); i-- > 0;)
      if (output.symbols[i] == step.lastSymbol) {
        output.symbols.erase(output.symbols.begin() + i);
        output.dims.erase(output.dims.begin() + i);
      }
}

static StepDescription describeStep(const ModelDescription &model, func::FuncOp function) {
  StepDescription step;
  step.entry = describeEntry(model, function);
  step.stateBytes = attrs::StateBytes::getInt(function);
  for (unsigned i = 0; i != function.getNumArguments(); ++i)
    if (auto offset = attrs::StateOffset::getArg(function, i))
      step.parts.push_back(describePart(function, i, offset.getInt()));
  StepAttr positions = attrs::Step::get(function);
  StringRef continues = positions.getEntry().getValue();
  step.start.name = (continues + "_start").str();
  auto name = FlatSymbolRefAttr::get(function);
  for (auto start : function->getParentOfType<ModuleOp>().getOps<func::FuncOp>()) {
    if (attrs::Last::get(start) == name)
      describeLast(model, start, step);
    if (attrs::Start::get(start) != name)
      continue;
    step.hasStart = true;
    step.start = describeEntry(model, start);
    for (unsigned i = 0; i != start.getNumArguments(); ++i)
      if (auto offset = attrs::StateOffset::getArg(start, i))
        step.startOffsets.push_back(offset.getInt());
  }
  for (auto [i, entry] : llvm::enumerate(model.entries))
    if (entry.name == continues)
      step.continues = i;
  step.lengthSymbol = symbolIndex(model, positions.getLength());
  step.countSymbol = symbolIndex(model, positions.getCount());
  return step;
}

/// "file:line:column" without folders.
static std::string placeOf(Location location) {
  FileLineColLoc place = findPlace(location);
  if (!place)
    return {};
  return (llvm::sys::path::filename(place.getFilename()) + ":" + Twine(place.getLine()) + ":" +
          Twine(place.getColumn()))
      .str();
}

static std::vector<int32_t> passedSizes(const ModelDescription &model, LaunchOp launch) {
  std::vector<int32_t> sizes;
  for (StringRef symbol : launch.getSizes().getAsValueRange<StringAttr>())
    sizes.push_back(symbolIndex(model, symbol));
  return sizes;
}

int32_t weft::findKernel(const ModelDescription &model, LaunchOp launch) {
  std::vector<int32_t> sizes = passedSizes(model, launch);
  for (auto [i, kernel] : llvm::enumerate(model.kernels))
    if (kernel.function == launch.getKernel() && kernel.sizes == sizes)
      return int32_t(i);
  return -1;
}

/// A kernel that counts new positions may be launched for the last one, too.
static void describeKernel(ModelDescription &model, LaunchOp launch, func::FuncOp kernel) {
  if (findKernel(model, launch) >= 0)
    return;
  std::vector<int32_t> sizes = passedSizes(model, launch);
  KernelDescription &description = model.kernels.emplace_back();
  description.function = description.name = kernel.getName();
  description.location = placeOf(kernel.getLoc());
  description.sizes = sizes;
  description.flops = describeFlops(model, kernel);
  WorkAttr attribute = attrs::Work::get(kernel);
  if (!attribute || llvm::is_contained(sizes, -1) || attribute.getSymbols().size() != sizes.size())
    return;
  if (attribute.getSymbols() != launch.getSizes()) {
    auto names = launch.getSizes().getAsValueRange<StringAttr>();
    description.name += " [" + llvm::join(names, ", ") + "]";
  }
  WorkCount work = readWork(attribute);
  for (Count *count : {&work.flops, &work.functions, &work.bytes, &work.weights})
    *count = count->rename(sizes);
  description.work = std::move(work);
}

static void describeKernels(ModelDescription &model, ModuleOp module) {
  llvm::MapVector<Operation *, SmallVector<LaunchOp>> launches;
  SymbolTable functions(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (attrs::Kernel::isOn(function))
      launches[function] = {};
  module.walk([&](LaunchOp launch) {
    launches[functions.lookup<func::FuncOp>(launch.getKernel())].push_back(launch);
  });
  for (auto &[kernel, list] : launches)
    for (LaunchOp launch : list)
      describeKernel(model, launch, cast<func::FuncOp>(kernel));
}

/// What the GPU keeps is none of the caller's: of a state remain its words, with two that say where
/// the rest is.
static void moveToDevice(ModelDescription &model) {
  model.onDevice = true;
  auto move = [&](EntryDescription &entry) {
    model.deviceScratchBytes = std::max(model.deviceScratchBytes, entry.scratchBytes);
    entry.scratchBytes = 0;
  };
  for (EntryDescription &entry : model.entries)
    move(entry);
  constexpr int64_t kAlignment = 64;
  for (StepDescription &step : model.steps) {
    for (EntryDescription *entry : {&step.entry, &step.start, &step.last})
      move(*entry);
    step.deviceStateBytes = step.stateBytes;
    step.stateBytes = int64_t(llvm::alignTo(8 * (stateWordsOf(model) + 2), kAlignment));
  }
}

ModelDescription weft::describeModel(ModuleOp module, StringRef target, bool threaded,
                                     bool onDevice) {
  ModelDescription model;
  auto name = attrs::Model::get(module);
  model.name = cIdentifier(name ? name.getValue() : "model");
  model.compiler = ("weftc " + version()).str();
  model.target = target;
  model.threaded = threaded;
  model.fingerprint = uint64_t(attrs::Fingerprint::getInt(module));
  model.weightsBytes = attrs::WeightsBytes::getInt(module);
  model.parameterCount = countParameters(module);
  if (auto symbols = attrs::Symbols::get(module))
    for (auto [symbol, bound] : llvm::zip(symbols.getSymbols(), symbols.getBounds()))
      model.symbols.push_back({symbol.str(), bound});
  model.flopsSymbol = symbolIndex(model, getFlopsSymbol(module));

  int64_t scratch = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!attrs::Entry::isOn(function) || attrs::Step::isOn(function) ||
        attrs::Start::isOn(function))
      continue;
    model.entries.push_back(describeEntry(model, function));
    scratch = std::max(scratch, model.entries.back().scratchBytes);
    describeGeneration(model, function, model.entries.size() - 1);
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (attrs::Step::isOn(function) && !attrs::Last::isOn(function)) {
      const StepDescription &step = model.steps.emplace_back(describeStep(model, function));
      scratch = std::max(scratch, step.stateBytes + step.getScratchBytes());
    }
  model.peakBytes = model.weightsBytes + scratch;
  if (onDevice)
    moveToDevice(model);
  describeKernels(model, module);
  return model;
}
