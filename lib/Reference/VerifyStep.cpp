//===- VerifyStep.cpp - is a sequence in pieces the sequence as a whole? --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RoundedRuns.h"
#include "StepFunctions.h"
#include "weft/Support/TensorPart.h"

#include <random>

using namespace mlir;
using namespace weft;

/// What of a tensor of `type`, whose whole has the shape `whole`, belongs to the rows from `first`.
static TensorPart partOf(const StepFunctions &functions, RankedTensorType type,
                         ArrayRef<int64_t> whole, int64_t first, int64_t count) {
  SmallVector<TensorPart::Dim> dims;
  for (unsigned d = 0; d != type.getRank(); ++d)
    dims.push_back(getSymbol(type, d) == functions.count    ? TensorPart::Dim::New
                   : getSymbol(type, d) == functions.length ? TensorPart::Dim::Seen
                                                            : TensorPart::Dim::Whole);
  return {dims, whole, first, count};
}

static TensorRef takePart(const StepFunctions &functions, RankedTensorType type,
                          const Tensor &whole, int64_t first, int64_t count) {
  TensorPart where = partOf(functions, type, whole.shape(), first, count);
  auto part = std::make_shared<Tensor>(whole.kind(), where.shape());
  where.forEach([&](int64_t from, int64_t to) { part->store(to, whole.load(from)); });
  return part;
}

/// The output of the step for the whole sequence, fed in pieces. With `mixed`, of some pieces only
/// the last position is asked for; the others are as `expected`, whose shape the output has.
static llvm::Expected<TensorRef> runPieces(const StepFunctions &functions,
                                           llvm::StringMap<int64_t> symbols,
                                           const StepInputs &inputs, const Tensor &expected,
                                           uint64_t seed, bool mixed, const StepCalls &calls) {
  if (llvm::Error error = calls.begin(symbols, inputs))
    return std::move(error);
  int64_t length = symbols.lookup(functions.length);
  ArrayRef<int64_t> shape = expected.shape();
  auto result =
      mixed ? std::make_shared<Tensor>(expected) : std::make_shared<Tensor>(expected.kind(), shape);
  auto type = cast<RankedTensorType>(functions.step.getResultTypes().front());
  auto wholes = pickInputs(functions.step, inputs);
  if (!wholes)
    return wholes.takeError();
  std::mt19937 random(seed);
  for (int64_t first = 0, count; first < length; first += count) {
    count = std::min<int64_t>(1 + random() % 5, length - first);
    symbols[functions.length] = first + count;
    symbols[functions.count] = count;
    std::vector<TensorRef> pieces;
    for (auto [i, whole] : llvm::enumerate(*wholes))
      pieces.push_back(takePart(functions,
                                cast<RankedTensorType>(functions.step.getArgumentTypes()[i]),
                                *whole, first, count));
    bool last = mixed && random() % 2;
    llvm::Expected<TensorRef> rows = calls.advance(symbols, pieces, last);
    if (!rows)
      return rows.takeError();
    int64_t skipped = last ? count - 1 : 0;
    TensorPart part = partOf(functions, type, shape, first + skipped, count - skipped);
    part.forEach([&](int64_t to, int64_t from) { result->store(to, (*rows)->load(from)); });
  }
  return result;
}

/// The same for inputs by name.
static StepInputs namedCallerInputs(StepInputs inputs) {
  for (auto &[name, tensor] : inputs) {
    StringRef input = name;
    if (input.consume_front("given ") && !tensor->integers.front())
      inputs[input] = nullptr;
  }
  return inputs;
}

bool weft::hasStep(ModuleOp module, StringRef entry) {
  return bool(StepFunctions::find(module, entry).step);
}

llvm::Expected<VerifyReport> weft::verifyStep(ModuleOp graph, ModuleOp fused, StringRef entry,
                                              const StepCalls *compiled,
                                              const VerifyOptions &options) {
  auto whole = graph.lookupSymbol<func::FuncOp>(entry);
  StepFunctions functions = StepFunctions::find(fused, entry);
  if (!whole || !functions.step)
    return llvm::createStringError("entry '" + entry + "' has no step");
  Attribute name = attrs::Name::getResult(functions.step, 0);
  unsigned output = 0;
  while (output + 1 < whole.getNumResults() && attrs::Name::getResult(whole, output) != name)
    ++output;
  VerifyReport report;
  for (unsigned number = 0; number < options.runs; ++number) {
    llvm::Expected<ValidRun> run = findValidRun(graph, whole, number, options);
    if (!run)
      return run.takeError();
    report.symbols = run->symbols;
    const Tensor &expected = *run->results[output];
    RoundedRuns rounded(whole, *run, options);
    StepInputs inputs;
    for (auto [i, tensor] : llvm::enumerate(run->inputs))
      inputs[argumentName(whole, i)] = tensor;
    InterpretedState state(functions, options);
    StepCalls calls{[&](const auto &symbols, const auto &all) { return state.begin(symbols, all); },
                    [&](const auto &symbols, auto pieces, bool last) {
                      return state.advance(symbols, pieces, last);
                    }};
    if (compiled)
      calls = {[&](const auto &symbols, const auto &all) {
                 return compiled->begin(symbols, namedCallerInputs(all));
               },
               [&](const auto &symbols, auto pieces, bool last) {
                 return compiled->advance(symbols, callerInputs(functions.step, pieces), last);
               },
               compiled->whole};
    for (bool mixed : {false, true}) {
      if (mixed && !functions.last)
        continue;
      auto actual = runPieces(functions, report.symbols, inputs, expected, options.seed + number,
                              mixed, calls);
      if (!actual)
        return actual.takeError();
      ++report.compared;
      double tolerance = compiled ? options.codeTolerance : options.fusionTolerance;
      report.difference = compare(expected, **actual, tolerance);
      if (report.difference && calls.whole) {
        auto results = calls.whole(run->symbols, run->inputs);
        if (!results)
          return results.takeError();
        if (!compare(*(*results)[output], **actual, tolerance)) {
          report.difference.reset();
          continue;
        }
      }
      if (report.difference && compiled && rounded.explains(output, **actual, tolerance, report))
        continue;
      if (report.difference) {
        report.difference->formula = cast<StringAttr>(name).str();
        return report;
      }
      report.worst = std::max(report.worst, relativeError(expected, **actual));
    }
  }
  return report;
}
