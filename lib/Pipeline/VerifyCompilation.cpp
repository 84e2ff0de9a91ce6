//===- VerifyCompilation.cpp - what --verify does -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VerifyCompilation.h"

#include "CheckpointValues.h"
#include "CompiledModule.h"
#include "DerivedValues.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Import/SafeTensors.h"
#include "weft/Pipeline/VerifyComputed.h"
#include "weft/Support/Format.h"
#include "weft/Support/TemporaryFile.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace weft;

/// Made-up values for every weight of the module, as a checkpoint in a temporary file.
static llvm::Expected<Checkpoint> makeCheckpoint(ModuleOp module, StringRef path, uint64_t seed) {
  auto provider = randomWeights(seed);
  std::vector<StoredTensor> tensors;
  std::vector<std::vector<uint8_t>> contents;
  llvm::StringSet<> seen;
  CheckpointRules rules; // a weight of which nothing but the sizes is used is none of compiled code
  llvm::Error error = llvm::Error::success();
  module.walk([&](WeightOp op) {
    if (error || !seen.insert(op.getName()).second)
      return;
    llvm::Expected<TensorRef> value = provider(op);
    if (!value) {
      error = llvm::joinErrors(std::move(error), value.takeError());
      return;
    }
    rules.declared.push_back(op.getName().str());
    StoredTensor tensor;
    ArrayRef<int64_t> shape = (*value)->shape();
    tensor.shape = shape.drop_front(stackedDims(op.getName())).vec();
    tensor.type = *getElementType(cast<ShapedType>(op.getType()).getElementType());
    tensor.bytes = contents.emplace_back((*value)->toBytes(tensor.type));
    std::vector<std::string> names = tensorNames(op.getName());
    ArrayRef<uint8_t> bytes = tensor.bytes;
    size_t size = bytes.size() / names.size();
    for (auto [i, name] : llvm::enumerate(names)) {
      tensor.name = name;
      tensor.bytes = bytes.slice(i * size, size);
      tensors.push_back(tensor);
    }
  });
  if (error)
    return std::move(error);
  if (llvm::Error e = writeSafeTensors(path, tensors))
    return std::move(e);
  return Checkpoint::open(path, std::move(rules));
}

/// Prints the outcome of a comparison. True if all agrees.
static bool report(const Twine &what, const VerifyReport &report) {
  if (report.difference) {
    llvm::WithColor::error(llvm::errs(), "weftc") << what << ": " << toString(*report.difference);
    for (const auto &symbol : report.symbols)
      llvm::errs() << ", with " << symbol.getKey() << " = " << symbol.getValue();
    llvm::errs() << "\n";
    return false;
  }
  print(llvm::errs(), "verify: {}: {} tensors agree, largest relative error {:.1e}", what.str(),
        report.compared - report.undecided, report.worst);
  if (report.undecided)
    print(llvm::errs(), "; {} more differ as rounding decides", report.undecided);
  llvm::errs() << "\n";
  return true;
}

namespace {

/// The comparisons of one compilation.
class Comparison {
public:
  Comparison(VerifiedStages stages, ModuleOp exposed, CompiledModule &code,
             const VerifyOptions &verify, CheckpointValues exactWeights)
      : stages(stages), exposed(exposed), code(code), exact(verify), rounded(verify) {
    exact.weights = std::move(exactWeights);
    exact.allowRounding(stages.graph);
    rounded.allowRounding(stages.fused);
    rounded.resultsOnly = true;
    rounding = rounded;
    rounding.fusionTolerance = rounding.roundingTolerance;
  }

  llvm::Expected<bool> run() {
    bool agrees = true;
    for (auto entry : stages.graph.getOps<func::FuncOp>()) {
      if (!attrs::Entry::isOn(entry))
        continue;
      if (llvm::Error error = compareEntry(entry, agrees))
        return std::move(error);
    }
    return agrees;
  }

private:
  llvm::Error compareEntry(func::FuncOp entry, bool &agrees) {
    StringRef name = entry.getName();
    auto add = [&](StringRef what, llvm::Expected<VerifyReport> made) -> llvm::Error {
      if (!made)
        return made.takeError();
      agrees &= report(what + ", entry '" + name + "'", *made);
      return llvm::Error::success();
    };
    if (llvm::Error e = add("stages graph and fused",
                            verifyFusion(stages.graph, stages.getExact(), name, exact)))
      return e;
    if (stages.exact)
      if (llvm::Error e = add("stage fused before and after rounding",
                              verifyFusion(stages.exact, stages.fused, name, rounding)))
        return e;
    auto call = [&](const auto &symbols, ArrayRef<TensorRef> inputs) {
      return code.call(name, symbols, callerInputs(entry, inputs));
    };
    if (llvm::Error e =
            add("stage fused and compiled code", verifyCode(exposed, name, call, rounded)))
      return e;
    if (!hasStep(stages.fused, name))
      return llvm::Error::success();
    StepCalls calls{
        [&](const auto &symbols, const auto &inputs) { return code.begin(name, symbols, inputs); },
        [&](const auto &symbols, auto pieces, bool last) {
          return code.advance(name, symbols, pieces, last);
        },
        call};
    // The whole rounds where its step does.
    ModuleOp whole = stages.exact ? stages.fused : stages.graph;
    if (llvm::Error e =
            add("the whole and its step", verifyStep(whole, stages.fused, name, nullptr, rounded)))
      return e;
    return add("the whole and its compiled step",
               verifyStep(whole, stages.fused, name, &calls, rounded));
  }

  VerifiedStages stages;
  ModuleOp exposed;
  CompiledModule &code;
  VerifyOptions exact, rounded, rounding; ///< what differences are allowed
};

} // namespace

llvm::Expected<bool> weft::verifyCompilation(VerifiedStages stages, const CompileOptions &options,
                                             const TargetBackend &target,
                                             const Checkpoint *checkpoint) {
  VerifyOptions verify;
  verify.symbolLimit = options.verifyLength.value_or(verify.symbolLimit);
  if (options.precision.tf32)
    verify.codeTolerance = 4.0 / (1 << 10); // as of f16: both have 11 bits
  else if (options.precision.parts == 2)
    verify.codeTolerance = 64.0 / (1 << 16); // of 16 bits; three parts hold all of an f32
  llvm::Expected<TemporaryFile> file = TemporaryFile::inSystemFolder("safetensors");
  if (!file)
    return file.takeError();
  std::optional<Checkpoint> random;
  if (!checkpoint) {
    llvm::Expected<Checkpoint> made = makeCheckpoint(stages.graph, file->path(), verify.seed);
    if (!made)
      return made.takeError();
    checkpoint = &random.emplace(std::move(*made));
    if (stages.derived)
      if (llvm::Error error = addDerivedWeights(stages.derived, *random))
        return std::move(error);
  }
  verify.weights = CheckpointValues(*checkpoint, stages.fused);

  OwningOpRef<ModuleOp> exposed(stages.fused.clone());
  PassManager pm(exposed->getContext());
  pm.addPass(createExposeFormulasPass());
  if (failed(pm.run(*exposed)))
    return llvm::createStringError("the formulas could not be exposed");
  OwningOpRef<ModuleOp> lowered(exposed->clone());
  llvm::Expected<std::unique_ptr<CompiledModule>> code =
      CompiledModule::compile(*lowered, options, target, *checkpoint);
  if (!code)
    return code.takeError();
  // First what the others take for granted.
  llvm::Expected<VerifyReport> computed = verifyComputed(*checkpoint, verify.fusionTolerance);
  if (!computed)
    return computed.takeError();
  bool isAny = computed->compared || computed->difference;
  if (isAny && !report("weights that are computed from the checkpoint", *computed))
    return false;
  // A stage that computes a weight from others knows of no codes of any of them.
  CheckpointValues exactWeights(*checkpoint, stages.exact ? stages.graph : stages.fused);
  return Comparison(stages, *exposed, **code, verify, std::move(exactWeights)).run();
}
