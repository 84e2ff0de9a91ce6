//===- Inform.cpp - weftc --info ------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The stages up to `kernels` are run as they are for code, and asked.
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"
#include "ModelInfo.h"
#include "Weights.h"
#include "weft/Dialect/Weft/IR/LocationText.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Import/WeightsReport.h"
#include "weft/Support/Json.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"

using namespace llvm;
using namespace weft;

/// Keeps remarks and lets everything else pass.
static mlir::LogicalResult keepRemark(mlir::Diagnostic &diagnostic,
                                      std::vector<std::string> &remarks) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Remark)
    return mlir::failure();
  std::string text, place = locationText(diagnostic.getLocation());
  raw_string_ostream(text) << diagnostic;
  remarks.push_back(place.empty() ? text : place + ": " + text);
  return mlir::success();
}

/// Makes smaller numbers the bounds of run-time dimensions, in a module of stage `graph`.
static void lowerBounds(mlir::ModuleOp module, const StringMap<int64_t> &sizes) {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([&](IndexAttr index) {
    auto size = sizes.find(index.getDim());
    if (!index.getDynamic() || size == sizes.end())
      return index;
    return IndexAttr::get(index.getContext(), index.getName(), index.getDim(), size->second, true);
  });
  replacer.addReplacement([&](BoundsAttr bounds) {
    SmallVector<int64_t> lowered(bounds.getBounds());
    for (auto [symbol, bound] : zip_equal(bounds.getSymbols(), lowered))
      if (auto size = sizes.find(symbol.getValue()); size != sizes.end())
        bound = size->second;
    return BoundsAttr::get(bounds.getContext(), bounds.getSymbols(), lowered);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

static TypeCounts countStored(const WeightsFile &weights) {
  TypeCounts types;
  for (const WeightReport &weight : reportWeights(weights, nullptr)) {
    TypeCount &count = types[weight.type];
    ++count.tensors;
    count.elements += weight.elements;
    count.bytes += int64_t(weight.bytes);
  }
  return types;
}

/// Why a model has no step of which no pass has said so.
static StringRef reasonForNoStep(const CompileOptions &options, const ModelDescription &model,
                                 Stage begin) {
  if (model.generateEntry < 0)
    return "no entry generates";
  if (begin > Stage::Graph)
    return "the module has none, and its stage is behind that where it is derived";
  if (options.step == false)
    return "--no-step leaves it out";
  if (!options.batch.empty())
    return "steps are for one sequence, this is a batch";
  return "the model carries its state itself";
}

/// Where the model comes from.
void Compilation::describeOrigin(ModelInfo &info) const {
  const ConfigValue *type = input.config.get("model_type");
  if (type && type->isString())
    info.modelType = type->asString().str();
  info.modelClass = modelClass;
  info.text = input.text ? sources.name(input.text).str() : input.modulePath;
  info.isLibraryText = input.text && !sources.isFile(input.text) && options.input != "-";
  info.batch = options.batch;
  if (checkpoint)
    info.checkpoint = describeCheckpoint(*checkpoint);
}

/// The memory with the sizes of --report-at as bounds: `graph` is stage `graph`.
bool Compilation::planSizes(mlir::OwningOpRef<mlir::ModuleOp> graph, ModelInfo &info) {
  Expected<StringMap<int64_t>> sizes = readReportSizes();
  if (!sizes)
    return fail(sizes.takeError());
  for (SymbolDescription &symbol : info.sizes)
    if (auto size = sizes->find(symbol.name); size != sizes->end())
      symbol.bound = size->second;
  lowerBounds(*graph, *sizes);
  module = std::move(graph);
  stage = Stage::Graph;
  if (!advanceTo(Stage::Kernels))
    return false;
  info.memory = weft::reportMemory(*module);
  return true;
}

bool Compilation::collectInfo(ModelInfo &info) {
  describeOrigin(info);
  Stage begin = stage;
  mlir::OwningOpRef<mlir::ModuleOp> graph;
  if (!options.reportSizes.empty()) {
    if (stage > Stage::Graph)
      return fail(createStringError("--report-at: the bounds of '" + options.input +
                                    "' are decided: it begins at '" + stageInfo(stage).name + "'"));
    graph = module->clone();
  }
  if (stage > Stage::Kernels)
    return fail(createStringError("stage '" + stageInfo(stage).name +
                                  "' no longer knows the model's interface; start from 'kernels'"));
  info.isFused = options.optLevel != 0;
  if (stage <= Stage::Fused && !advanceTo(Stage::Fused))
    return false;
  if (stage == Stage::Fused && info.isFused)
    info.fusions = weft::reportFusion(*module);
  if (!advanceTo(Stage::Kernels))
    return false;
  if (Error e = checkpoint ? checkWeights(weights, *checkpoint) : Error::success())
    return fail(std::move(e));
  info.interface = description;
  info.stored = countStored(weights);
  info.memory = weft::reportMemory(*module);
  for (auto [i, symbol] : enumerate(description.symbols))
    if (!isOwnSymbol(description, int32_t(i)) &&
        none_of(description.steps,
                [i = int32_t(i)](const StepDescription &step) { return step.countSymbol == i; }))
      info.sizes.push_back(symbol);
  if (description.steps.empty() && info.remarks.empty())
    info.remarks.push_back(reasonForNoStep(options, description, begin).str());
  return !graph || planSizes(std::move(graph), info);
}

bool Compilation::writeInfo(bool json) {
  ModelInfo info;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) { return keepRemark(diagnostic, info.remarks); });
  if (!collectInfo(info))
    return false;
  if (json)
    printJson(infoAsJson(info), outs());
  else
    printInfo(info, outs());
  return true;
}
