//===- Verify.cpp - do two forms of a model compute the same? -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RoundedRuns.h"

#include "weft/Dialect/Weft/IR/LocationText.h"

#include <cmath>

using namespace mlir;
using namespace weft;

namespace {
/// The value of a labelled formula in one run.
struct Observation {
  StringRef label;
  std::string place;
  TensorRef tensor;

  bool isSameFormula(const Observation &other) const {
    return label == other.label && place == other.place && tensor->shape() == other.tensor->shape();
  }
};

/// The labelled formulas in the order of execution.
class Trace {
public:
  void add(Operation *op, const Tensor &tensor) {
    observations.push_back(
        {attrs::Label::getText(op), locationText(op->getLoc()), std::make_shared<Tensor>(tensor)});
  }

  /// The formulas with the label, the shape and the place of `other`.
  SmallVector<const Observation *> matches(const Observation &other) const {
    SmallVector<const Observation *> result;
    for (const Observation &mine : observations)
      if (mine.isSameFormula(other))
        result.push_back(&mine);
    return result;
  }

  std::vector<Observation> observations;
};
} // namespace

void VerifyOptions::allowRounding(ModuleOp module) {
  auto allow = [this](double unit, int alike) {
    fusionTolerance = std::max(fusionTolerance, alike * unit);
    codeTolerance = std::max(codeTolerance, alike * unit);
    roundingTolerance = std::max(roundingTolerance, 32 * unit);
  };
  module.walk([&](Operation *op) {
    if (auto product = dyn_cast<ContractOp>(op);
        product && (getElementTypeOrSelf(product.getLhs()).isInteger() ||
                    getElementTypeOrSelf(product.getRhs()).isInteger())) {
      // Sums that stay whole are those of two planes. The finer the codes, the more of them lie
      // near the middle of two.
      bool hasPlanes =
          product.getApart() || getElementTypeOrSelf(product->getResult(0)).isInteger();
      hasPlanes ? allow(1.0 / (127 * 254), 16) : allow(1.0 / 127, 4);
    }
    if (!isa<FormulaOpInterface, WeightOp>(op) || op->getNumResults() == 0 ||
        isStoredAsComputed(op->getResult(0)))
      return;
    auto type = cast<ShapedType>(op->getResult(0).getType());
    const ElementTypeInfo &element = infoOf(*getElementType(type.getElementType()));
    if (element.isReal())
      allow(std::ldexp(1.0, -int(element.mantissaBits())), 4);
  });
}

static llvm::Expected<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  auto entry = module.lookupSymbol<func::FuncOp>(name);
  if (!entry || entry.isExternal())
    return llvm::createStringError("the module has no entry '" + name + "'");
  return entry;
}

/// Interprets a form on the inputs of a valid run of another one.
static llvm::Expected<std::vector<TensorRef>> interpretAlike(func::FuncOp entry,
                                                             const ValidRun &run,
                                                             const VerifyOptions &options,
                                                             Trace &trace) {
  InterpreterOptions interpreter;
  interpreter.symbols = run.symbols;
  interpreter.weights = options.weights;
  interpreter.observer = [&](Operation *op, const Tensor &tensor) { trace.add(op, tensor); };
  return interpret(entry, run.inputs, interpreter);
}

/// Compares one formula; false, with the report filled, if it differs.
static bool compareInto(VerifyReport &report, StringRef name, StringRef location,
                        const Tensor &expected, const Tensor &actual, double tolerance) {
  ++report.compared;
  std::optional<Difference> difference;
  if (expected.shape() != actual.shape()) {
    difference.emplace();
    difference->error = INFINITY;
  } else {
    difference = compare(expected, actual, tolerance);
  }
  if (!difference) {
    report.worst = std::max(report.worst, relativeError(expected, actual));
    return true;
  }
  difference->formula = name.str();
  difference->location = location.str();
  report.difference = std::move(difference);
  return false;
}

static std::string resultName(func::FuncOp entry, unsigned i) {
  StringRef name = attrs::Name::getResultText(entry, i);
  return name.empty() ? "output " + std::to_string(i) : name.str();
}

/// Compares the formulas that both forms have: a formula that runs equally often in both.
static bool compareTraces(VerifyReport &report, const Trace &expected, const Trace &actual,
                          double tolerance) {
  for (const Observation &formula : expected.observations) {
    SmallVector<const Observation *> mine = expected.matches(formula);
    SmallVector<const Observation *> others = actual.matches(formula);
    if (mine.size() != others.size())
      continue;
    const Observation *other = others[llvm::find(mine, &formula) - mine.begin()];
    // A fusion may compute formulas of one place, as the norms of two inputs, in another order.
    if (compare(*formula.tensor, *other->tensor, tolerance))
      for (const Observation *candidate : others)
        if (!compare(*formula.tensor, *candidate->tensor, tolerance))
          other = candidate;
    if (!compareInto(report, formula.label, formula.place, *formula.tensor, *other->tensor,
                     tolerance))
      return false;
  }
  return true;
}

static bool compareOutputs(VerifyReport &report, func::FuncOp entry, llvm::ArrayRef<unsigned> order,
                           llvm::ArrayRef<TensorRef> expected, llvm::ArrayRef<TensorRef> actual,
                           double tolerance, RoundedRuns *rounded = nullptr) {
  for (unsigned i : order)
    if (!compareInto(report, resultName(entry, i), attrs::Location::getResultText(entry, i),
                     *expected[i], *actual[i], tolerance) &&
        !(rounded && rounded->explains(i, *actual[i], tolerance, report)))
      return false;
  return true;
}

llvm::Expected<VerifyReport> weft::verifyFusion(ModuleOp graph, ModuleOp fused, StringRef name,
                                                const VerifyOptions &options) {
  llvm::Expected<func::FuncOp> before = findEntry(graph, name), after = findEntry(fused, name);
  if (!before || !after)
    return llvm::joinErrors(before.takeError(), after.takeError());
  VerifyReport report;
  for (unsigned number = 0; number < options.runs; ++number) {
    Trace expectedTrace, actualTrace;
    llvm::Expected<ValidRun> run = findValidRun(
        graph, *before, number, options,
        [&](Operation *op, const Tensor &tensor) { expectedTrace.add(op, tensor); },
        [&] { expectedTrace = {}; });
    if (!run)
      return run.takeError();
    report.symbols = run->symbols;
    auto actual = interpretAlike(*after, *run, options, actualTrace);
    if (!actual)
      return actual.takeError();
    if (run->results.size() != actual->size())
      return llvm::createStringError("the two forms have different numbers of outputs");
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, actual->size()));
    if (options.resultsOnly)
      expectedTrace = {};
    if (!compareTraces(report, expectedTrace, actualTrace, options.fusionTolerance) ||
        !compareOutputs(report, *before, order, run->results, *actual, options.fusionTolerance))
      return report;
  }
  return report;
}

/// Exposed formulas come before the outputs that are made from them.
static SmallVector<unsigned> executionOrder(func::FuncOp entry) {
  SmallVector<unsigned> exposed, outputs;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    (attrs::Location::getResult(entry, i) ? exposed : outputs).push_back(i);
  llvm::append_range(exposed, outputs);
  return exposed;
}

llvm::Expected<VerifyReport> weft::verifyCode(ModuleOp module, StringRef name,
                                              const CompiledCall &call,
                                              const VerifyOptions &options) {
  llvm::Expected<func::FuncOp> entry = findEntry(module, name);
  if (!entry)
    return entry.takeError();
  VerifyReport report;
  for (unsigned number = 0; number < options.runs; ++number) {
    llvm::Expected<ValidRun> run = findValidRun(module, *entry, number, options);
    if (!run)
      return run.takeError();
    report.symbols = run->symbols;
    auto actual = call(run->symbols, run->inputs);
    if (!actual)
      return actual.takeError();
    if (run->results.size() != actual->size())
      return llvm::createStringError("the compiled code has another number of outputs");
    RoundedRuns rounded(*entry, *run, options, *actual);
    if (!compareOutputs(report, *entry, executionOrder(*entry), run->results, *actual,
                        options.codeTolerance, &rounded))
      return report;
  }
  return report;
}
