//===- Compiler.cpp - runs the stages of a compilation --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Pipeline/Compiler.h"

#include "Compilation.h"
#include "DerivedValues.h"
#include "PredictKernels.h"
#include "StagePipelines.h"
#include "StoredMatrices.h"
#include "VerifyCompilation.h"
#include "Weights.h"
#include "weft/Codegen/CPU/Processor.h"
#include "weft/Codegen/GPU/GPUBackend.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"
#include "weft/Conversion/WeftToKernels/MemoryReport.h"
#include "weft/Conversion/WeftToKernels/RooflineReport.h"
#include "weft/Dialect/Weft/Transforms/DerivedWeights.h"
#include "weft/Dialect/Weft/Transforms/FusionReport.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Import/WeightsReport.h"
#include "weft/InitAll.h"
#include "weft/Support/Format.h"
#include "weft/Support/NearestName.h"
#include "weft/Target/Target.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/xxhash.h"

#include <chrono>

using namespace llvm;
using namespace weft;

static mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Compilation::Compilation(const CompileOptions &options)
    : options(options), diagnostics(sources),
      context(allDialects(), mlir::MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
}

Compilation::~Compilation() = default;

bool Compilation::fail(Error error) {
  // An error in a file says so itself: "FILE: error: ...", one line for each.
  handleAllErrors(std::move(error), [](const ErrorInfoBase &info) {
    std::string message = printableText(info.message());
    (StringRef(message).contains(": error: ") ? errs() : WithColor::error(errs(), "weftc"))
        << message << "\n";
  });
  return false;
}

//===----------------------------------------------------------------------------------------===//
// From stage to stage
//===----------------------------------------------------------------------------------------===//

/// Keeps stage `graph` for --verify, with the batch that the next stage derives.
bool Compilation::keepGraph() {
  graph = module->clone();
  if (options.batch.empty())
    return true;
  mlir::PassManager pm(&context);
  pm.addPass(createBatchPass({options.batch}));
  return mlir::succeeded(pm.run(*graph));
}

bool Compilation::runStage(Stage next) {
  if (next == Stage::Fused && !checkStoreRules(/*ofDerived=*/false))
    return false;
  if (options.verify && stage == Stage::Graph && (!keepGraph() || !keepExact()))
    return false;
  return mlir::succeeded(
      weft::runStage(*module, next, options, *target, [&](mlir::PassManager &pm) {
        if (next == Stage::LLVMDialect && options.debug)
          addDebugInfo(pm);
      }));
}

/// Lines of the texts, as files that a debugger finds.
void Compilation::addDebugInfo(mlir::PassManager &pm) const {
  AddDebugInfoOptions debug;
  SmallString<128> directory;
  sys::fs::current_path(directory);
  debug.directory = std::string(directory);
  debug.optimized = options.optLevel != 0;
  for (const auto &[file, path] : texts)
    debug.files.push_back((sources.name(file) + "=" + path).str());
  pm.addPass(createAddDebugInfo(debug));
}

/// What is said of single weights is said of some: of those that are derived when they are known.
bool Compilation::checkStoreRules(bool ofDerived) {
  SmallVector<StringRef> names;
  module->walk([&](WeightOp op) { names.push_back(op.getName()); });
  for (const StoreRules::Rule &rule : options.precision.tensors.getRules())
    if (StringRef(rule.pattern).starts_with(kDerivedPrefix) == ofDerived &&
        none_of(names, [&](StringRef name) { return rule.matches(name); }))
      return fail(createStringError("--store-tensor: the model has no weight '" + rule.pattern +
                                    "'" + suggestion(rule.pattern, names)));
  return true;
}

/// The next stage without its types: --verify compares the fusions in f32, whatever is rounded.
bool Compilation::keepExact() {
  if (options.precision.isDefault())
    return true;
  exact = module->clone();
  CompileOptions plain = options;
  plain.precision = Precision();
  plain.remarks = false;
  return mlir::succeeded(weft::runStage(*exact, Stage::Fused, plain, *target));
}

/// The line of -v.
void Compilation::reportProgress(Stage finished, double seconds) {
  if (options.verbose)
    print(errs(), "weftc: {:<13}{}\n", stageInfo(finished).name, timeText(seconds));
}

/// What the module says of weights that are computed from weights is for who packs them.
bool Compilation::takeDerivedWeights() {
  derived = takeDerivedModule(*module);
  if (!derived || !checkpoint)
    return true;
  Error e = addDerivedWeights(*derived, *checkpoint);
  return !e || fail(std::move(e));
}

/// A weights file in which weights are computed otherwise is another one.
static void addToFingerprint(mlir::ModuleOp module, mlir::ModuleOp derived) {
  std::string text;
  raw_string_ostream os(text);
  os << attrs::Fingerprint::getInt(module) << derived;
  attrs::Fingerprint::set(module, int64_t(xxh3_64bits(text)));
}

/// Compares the stages so far and the code that will be made with each other.
bool Compilation::verify() {
  if (!options.verify || !graph)
    return true;
  Expected<bool> same = verifyCompilation(
      {*graph, exact ? *exact : mlir::ModuleOp(), *module, derived ? *derived : mlir::ModuleOp()},
      options, *target, checkpoint ? &*checkpoint : nullptr);
  if (!same)
    return fail(same.takeError());
  agrees = *same;
  return agrees;
}

/// Takes what later stages no longer show: the interface of the model and its weights.
bool Compilation::describe() {
  bool isThreaded = getCodeOptions(options).threaded && !target->isDevice();
  description = describeModel(*module, target->describe(), isThreaded, target->isDevice());
  description.embedsWeights = options.embedWeights && description.weightsBytes > 0;
  weights = describeWeights(*module);
  reportMemory();
  return reportRoofline() && checkMemory();
}

bool Compilation::advanceTo(Stage last) {
  while (stage < last) {
    Stage next = Stage(unsigned(stage) + 1);
    auto start = std::chrono::steady_clock::now();
    if (!runStage(next))
      return false;
    stage = next;
    if (stage == Stage::Fused && (!takeDerivedWeights() || !checkStoreRules(/*ofDerived=*/true)))
      return false;
    if (stage == Stage::Kernels && derived)
      addToFingerprint(*module, *derived);
    attrs::Stage::set(*module, stageInfo(stage).name);
    if (stage <= Stage::Kernels)
      attachRules(*module, rules);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (stage == Stage::Fused)
      reportFusion();
    reportProgress(stage, seconds.count());
    if (!dump(stage) || (stage == Stage::Fused && !verify()) ||
        (stage == Stage::Kernels && !describe()))
      return false;
  }
  if (stage > last)
    return fail(createStringError("cannot go back from stage '" + stageInfo(stage).name + "' to '" +
                                  stageInfo(last).name + "'"));
  return true;
}

bool Compilation::checkMemory() {
  if (!options.maxMemory || description.peakBytes <= options.maxMemory)
    return true;
  return fail(createStringError(
      "the model needs " + Twine(description.peakBytes) +
      " bytes for weights and scratch, more than --max-memory=" + Twine(options.maxMemory)));
}

void Compilation::reportFusion() {
  if (!options.reportFusion)
    return;
  if (options.optLevel == 0)
    errs() << "fusion: nothing is fused without optimisation (-O0)\n";
  else
    printFusion(weft::reportFusion(*module), errs());
}

void Compilation::reportMemory() {
  if (options.reportMemory)
    printMemory(weft::reportMemory(*module), errs());
  if (options.reportWeights)
    printWeights(weft::reportWeights(weights, checkpoint ? &*checkpoint : nullptr), errs());
}

/// What --report-at says, of the run-time dimensions that there are.
Expected<StringMap<int64_t>> Compilation::readReportSizes() const {
  StringMap<int64_t> sizes;
  for (const auto &[name, size] : options.reportSizes) {
    auto symbol = llvm::find_if(description.symbols,
                                [&, name = name](const auto &one) { return one.name == name; });
    if (symbol == description.symbols.end())
      return createStringError("--report-at: the model has no run-time dimension '" + name + "'");
    if (size > symbol->bound)
      return createStringError("--report-at: " + name + " is at most " + Twine(symbol->bound));
    sizes[name] = size;
  }
  return sizes;
}

bool Compilation::reportRoofline() {
  if (!options.reportRoofline)
    return true;
  Expected<StringMap<int64_t>> sizes = readReportSizes();
  if (!sizes)
    return fail(sizes.takeError());
  if (target->isDevice()) {
    Error error = predictKernels(*module, options, *target, *sizes, errs());
    return error ? fail(std::move(error)) : true;
  }
  MachineLimits limits = machine.value_or(target->getTypicalLimits());
  printRoofline(weft::reportRoofline(*module, *sizes), limits, description.weightsBytes, errs());
  return true;
}

//===----------------------------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------------------------===//

static Expected<std::unique_ptr<TargetBackend>> createBackend(const CompileOptions &options) {
  switch (options.target) {
  case TargetKind::CPU:
    return createCPUBackend(options.triple, options.march, options.plainUnits);
  case TargetKind::NVPTX:
    return createGPUBackend(options.march);
  }
  llvm_unreachable("no such target");
}

bool Compilation::chooseTarget(ExitStatus &status) {
  status = ExitUsage;
  Expected<std::unique_ptr<TargetBackend>> resolved = createBackend(options);
  if (!resolved)
    return fail(resolved.takeError());
  target = std::move(*resolved);
  status = ExitError;
  if (options.machine.empty())
    return true;
  Expected<MachineLimits> limits = readLimits(options.machine);
  if (!limits)
    return fail(limits.takeError());
  machine = std::move(*limits);
  return true;
}

ExitStatus Compilation::runWith(function_ref<bool()> finish) {
  ExitStatus status;
  if (!chooseTarget(status))
    return status;
  SourceMgr sourceMgr;
  mlir::SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  bool ok = declareOutputs() && readInput();
  flushDiagnostics();
  if (!ok && text && !module)
    noteOtherConfig();
  ok = ok && finish();
  return ok ? ExitSuccess : agrees ? ExitError : ExitMismatch;
}

ExitStatus Compilation::run() {
  return runWith([&] { return write(); });
}

ExitStatus Compilation::inform(bool json) {
  return runWith([&] { return writeInfo(json); });
}

ExitStatus weft::compile(const CompileOptions &options) { return Compilation(options).run(); }

ExitStatus weft::printModelInfo(const CompileOptions &options, bool json) {
  CompileOptions own = options;
  own.mayLackWeights = true;
  // A configuration stands for the directory that it lies in.
  if (sys::path::extension(options.input) == ".json") {
    own.config = options.input;
    own.input = sys::path::parent_path(options.input).str();
    if (own.input.empty())
      own.input = ".";
  }
  return Compilation(own).inform(json);
}
