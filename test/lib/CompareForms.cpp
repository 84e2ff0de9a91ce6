//===- CompareForms.cpp - do passes keep the meaning of a module? ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestPasses.h"
#include "weft/Reference/Verify.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace weft;

namespace {
class CompareFormsPass : public PassWrapper<CompareFormsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CompareFormsPass)
  CompareFormsPass() = default;
  CompareFormsPass(const CompareFormsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "weft-compare-forms"; }
  StringRef getDescription() const override {
    return "run passes on a copy and compare what the entries compute";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(ModuleOp::getOperationName());
    if (succeeded(parsePassPipeline(pipeline, passes)))
      passes.getDependentDialects(registry);
  }
  void runOnOperation() override;

  Option<std::string> pipeline{*this, "pipeline", llvm::cl::desc("the passes to run on the copy")};

private:
  LogicalResult compareEntry(StringRef name, ModuleOp changed);
};
} // namespace

LogicalResult CompareFormsPass::compareEntry(StringRef name, ModuleOp changed) {
  VerifyOptions options;
  options.weights = randomWeights(options.seed);
  llvm::Expected<VerifyReport> report = verifyFusion(getOperation(), changed, name, options);
  if (!report)
    return getOperation().emitError() << llvm::toString(report.takeError());
  if (!report->difference) {
    llvm::outs() << name << ": " << report->compared << " formulas and outputs agree\n";
    return success();
  }
  InFlightDiagnostic error = getOperation().emitError() << toString(*report->difference);
  for (const auto &[symbol, value] : report->symbols)
    error.attachNote() << "with " << symbol << " = " << value;
  return failure();
}

void CompareFormsPass::runOnOperation() {
  OwningOpRef<ModuleOp> changed = getOperation().clone();
  PassManager passes(&getContext());
  if (failed(parsePassPipeline(pipeline, passes)) || failed(passes.run(*changed)))
    return signalPassFailure();
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function.isPublic() && failed(compareEntry(function.getName(), *changed)))
      return signalPassFailure();
  llvm::outs().flush();
}

void weft::test::registerCompareForms() { PassRegistration<CompareFormsPass>(); }
