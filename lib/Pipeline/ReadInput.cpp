//===- ReadInput.cpp - from the input to the first stage that is a module -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"
#include "DerivedValues.h"
#include "RuleCodes.h"
#include "StoredMatrices.h"
#include "Weights.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Dialect/Weft/Transforms/DerivedWeights.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Frontend/Frontend.h"
#include "weft/Frontend/Parser.h"
#include "weft/Target/ModelDescription.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <chrono>

using namespace llvm;
using namespace weft;

void Compilation::flushDiagnostics() { diagnostics.print(errs()); }

bool Compilation::parse() {
  text = parseText(sources, input.text, diagnostics);
  return text && !diagnostics.hasErrors();
}

/// Whether a checkpoint has a tensor of such a name, asked before the text has said how its names
/// differ from the model's: it is the file's, or what a gguf block makes of that. What cannot be
/// read is reported where it is opened for good.
static std::optional<bool> hasTensor(std::optional<Checkpoint> &opened, StringRef path,
                                     const CheckpointRules &rules, StringRef pattern) {
  if (!opened) {
    Expected<Checkpoint> found = Checkpoint::open(path, rules);
    if (!found) {
      consumeError(found.takeError());
      return std::nullopt;
    }
    opened = std::move(*found);
  }
  return opened->hasMatch(pattern);
}

/// A text has the configuration of --config alone: one beside its weights, or beside itself, may be
/// what an error is about.
void Compilation::noteOtherConfig() {
  SmallString<128> besideText = sys::path::parent_path(options.input);
  for (StringRef folder : {StringRef(input.weights), besideText.str()}) {
    SmallString<128> path(folder);
    sys::path::append(path, "config.json");
    if (!input.configPath.empty() || !sys::fs::exists(path))
      continue;
    WithColor::note(errs(), "weftc")
        << "'" << path << "' is not read for this text; --config=" << path << " gives it\n";
    return;
  }
}

bool Compilation::elaborate() {
  FrontendOptions frontend;
  frontend.modelName = input.model;
  if (input.model.empty() && is_contained(modelNames(*text), input.preferredModel))
    frontend.modelName = input.preferredModel;
  frontend.entry = options.entry;
  frontend.config = &input.config;
  for (const auto &[name, value] : options.defines)
    frontend.defines[name] = value;
  bool isGguf = gguf && sys::path::extension(input.weights) == ".gguf";
  std::optional<Checkpoint> unnamed;
  if (!input.weights.empty())
    frontend.isStored = [&](StringRef pattern) {
      return hasTensor(unnamed, input.weights, isGguf ? gguf->rules : CheckpointRules(), pattern);
    };
  std::optional<FrontendResult> result = emitModel(context, sources, *text, frontend, diagnostics);
  if (!result || !checkDefines(result->definable))
    return false;
  module = std::move(result->module);
  modelClass = result->modelName;
  rules = std::move(result->rules);
  if (isGguf) {
    // The names of the text's checkpoint block are those of other files.
    std::swap(gguf->rules.declared, rules.declared);
    rules = gguf->rules;
  }
  attachRules(*module, rules);
  if (!openCheckpoint())
    return false;
  resolveTies();
  if (Error e = checkpoint ? refuseForeign(*module, *checkpoint) : Error::success())
    return fail(std::move(e));
  // Weights in fewer bits stay so, unless all are asked for in f32.
  bool isWide = options.precision.store.type == ElementType::F32;
  if (checkpoint && (!isWide || options.precision.hasKept()))
    takeStoredTypes(*module, *checkpoint);
  // Without optimisation nothing asks whether there are products for codes.
  if (checkpoint && options.precision.hasKept() && options.optLevel != 0)
    takeStoredCodes(*module, *checkpoint);
  stage = Stage::Graph;
  return true;
}

bool Compilation::openCheckpoint() {
  if (input.weights.empty())
    return true;
  Expected<Checkpoint> opened = Checkpoint::open(input.weights, rules);
  if (!opened)
    return fail(opened.takeError());
  checkpoint = std::move(*opened);
  Error e = addStoredMatrices();
  return !e || fail(std::move(e));
}

/// Of a text or a module with weights elsewhere, the folder of the weights says how these are
/// stored.
Error Compilation::readStorage() {
  SmallString<128> configPath(input.weights), textPath(input.weights);
  sys::path::append(configPath, "config.json");
  sys::path::append(textPath, "model.weft");
  if (!input.config.get("quantization_config") && sys::fs::exists(configPath)) {
    Expected<ConfigValue> beside = ConfigValue::parseFile(configPath);
    if (!beside)
      return beside.takeError();
    if (const ConfigValue *quantisation = beside->get("quantization_config"))
      storage = *quantisation;
  } else if (const ConfigValue *quantisation = input.config.get("quantization_config")) {
    storage = *quantisation;
  }
  if (!storage.isObject() && !storage.isNull())
    return createStringError("'" + input.weights + "': quantization_config is no object");
  if (text || !sys::fs::exists(textPath))
    return Error::success();
  std::string reason;
  FileId id = sources.addFile(textPath, reason);
  storageText = id ? parseText(sources, id, diagnostics) : nullptr;
  return storageText && !diagnostics.hasErrors()
             ? Error::success()
             : createStringError("cannot read '" + textPath.str() + "': " + reason);
}

Error Compilation::addStoredMatrices() {
  if (Error e = readStorage())
    return e;
  matrices =
      std::make_unique<StoredMatrices>(context, sources, text ? text.get() : storageText.get(),
                                       storage.isObject() ? &storage : nullptr, *checkpoint);
  return matrices->add(*module, derived ? *derived : mlir::ModuleOp());
}

/// A parameter that the checkpoint lacks is the first of those it is tied to that is there. Two
/// parameters of one tensor and shape are then one op, and the tensor is stored once. Without a
/// checkpoint, what can be tied is.
void Compilation::resolveTies() {
  module->walk([&](WeightOp op) {
    auto tied = op.getTied();
    if (!tied || tied->empty() || (checkpoint && checkpoint->findWeight(op.getName())))
      return;
    for (auto name : tied->getAsRange<mlir::StringAttr>())
      if (!checkpoint || checkpoint->findWeight(name.getValue())) {
        llvm::erase(rules.declared, op.getName());
        op.setNameAttr(name);
        op.removeTiedAttr();
        return;
      }
  });
}

bool Compilation::readModule() {
  module = mlir::parseSourceFile<mlir::ModuleOp>(input.modulePath, mlir::ParserConfig(&context));
  if (!module)
    return false;
  if (options.from) {
    stage = *options.from;
  } else {
    auto attribute = attrs::Stage::get(*module);
    std::optional<Stage> found = attribute ? findStage(attribute.getValue()) : std::nullopt;
    if (!found || !isModuleStage(*found))
      return fail(createStringError("'" + input.modulePath +
                                    "' does not say at which stage it is; give --from=STAGE"));
    stage = *found;
  }
  if (options.verify && stage > Stage::Graph)
    return fail(createStringError("--verify compares with stage 'graph', '" + input.modulePath +
                                  "' begins at '" + stageInfo(stage).name + "'"));
  if (!options.precision.isDefault() && stage >= Stage::Fused)
    return fail(
        createStringError("--store, --store-tensor, --compute, --cache and --dtype decide what "
                          "stage 'fused' is like, '" +
                          input.modulePath + "' begins at '" + stageInfo(stage).name + "'"));
  rules = attachedRules(*module);
  derived = takeDerivedModule(*module);
  if (!openCheckpoint())
    return false;
  if (Error e = derived && checkpoint ? addDerivedWeights(*derived, *checkpoint) : Error::success())
    return fail(std::move(e));
  setNames();
  if (stage != Stage::Kernels)
    return true;
  // What is described and written next trusts the plan.
  mlir::PassManager pm(&context);
  pm.addPass(createVerifyKernelsPass());
  return mlir::succeeded(pm.run(*module)) && describe();
}

/// The prefix of the C functions: --name, or the output file's stem.
void Compilation::setNames() {
  std::string name = options.name;
  if (name.empty() && options.output != "-" && !isModuleStage(options.emit))
    name = sys::path::stem(options.output).str();
  if (!name.empty())
    attrs::Model::set(*module, cIdentifier(name));
}

bool Compilation::readInput() {
  Expected<ModelInput> resolved = resolveInput(options, sources);
  if (!resolved)
    return fail(resolved.takeError());
  input = std::move(*resolved);
  if (!input.modulePath.empty())
    return readModule() && declareInputs();
  if (!readGgufInput())
    return false;
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    start = std::chrono::steady_clock::now();
    return seconds.count();
  };
  if (!parse())
    return false;
  reportProgress(Stage::Weft, elapsed());
  bool elaborated = options.emit == Stage::Weft || elaborate();
  if (!declareInputs() || !dump(Stage::Weft) || !elaborated) // imports are known now
    return false;
  if (options.emit == Stage::Weft)
    return true;
  setNames();
  attrs::Stage::set(*module, stageInfo(stage).name);
  reportProgress(Stage::Graph, elapsed());
  return dump(Stage::Graph);
}
