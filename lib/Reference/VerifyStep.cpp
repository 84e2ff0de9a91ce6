//===- VerifyStep.cpp - is a sequence in pieces the sequence as a whole? --------------------===//

#include "weft/Reference/Verify.h"

#include <random>

using namespace mlir;
using namespace weft;

namespace {
/// The functions of a step and the symbols it is about.
struct StepFunctions {
  mutable func::FuncOp step, start; ///< `start` may be null
  StringRef length, count;
};

/// The interpreter's state of a sequence, as its step wants it.
class InterpretedState {
public:
  InterpretedState(const StepFunctions &functions, const VerifyOptions &options)
      : functions(functions), options(options) {}

  llvm::Error begin(llvm::StringMap<int64_t> symbols, const StepInputs &inputs);
  llvm::Expected<TensorRef> advance(const llvm::StringMap<int64_t> &symbols,
                                    ArrayRef<TensorRef> inputs);

private:
  const StepFunctions &functions;
  const VerifyOptions &options;
  std::vector<TensorRef> parts; ///< in the order of the step's arguments
};
} // namespace

static StringRef argumentName(func::FuncOp function, unsigned i) {
  auto name = function.getArgAttrOfType<StringAttr>(i, attrs::kName);
  return name ? name.getValue() : "";
}

static StepFunctions findStep(ModuleOp module, StringRef entry) {
  StepFunctions functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto names = function->getAttrOfType<ArrayAttr>(attrs::kStep);
        names && cast<StringAttr>(names[0]).getValue() == entry) {
      functions.step = function;
      functions.length = cast<StringAttr>(names[1]).getValue();
      functions.count = cast<StringAttr>(names[2]).getValue();
    }
  for (auto function : module.getOps<func::FuncOp>())
    if (functions.step && function->getAttr(attrs::kStart) == functions.step.getSymNameAttr())
      functions.start = function;
  return functions;
}

/// The inputs of `function` that are no state, by name.
static llvm::Expected<std::vector<TensorRef>> pickInputs(func::FuncOp function,
                                                         const StepInputs &inputs) {
  std::vector<TensorRef> picked;
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    if (function.getArgAttr(i, attrs::kState))
      continue;
    auto found = inputs.find(argumentName(function, i));
    if (found == inputs.end())
      return llvm::createStringError("the whole entry has no input '" + argumentName(function, i) +
                                     "'");
    picked.push_back(found->second);
  }
  return picked;
}

llvm::Error InterpretedState::begin(llvm::StringMap<int64_t> symbols, const StepInputs &inputs) {
  InterpreterOptions interpreter;
  interpreter.symbols = std::move(symbols);
  interpreter.weights = options.weights;
  llvm::StringMap<TensorRef> made;
  if (functions.start) {
    // As the compiled start does: tables for all the positions that there can be.
    auto module = functions.start->getParentOfType<ModuleOp>();
    auto bounds = module->getAttrOfType<BoundsAttr>(attrs::kSymbols);
    for (auto [symbol, bound] : llvm::zip(bounds.getSymbols(), bounds.getBounds()))
      if (symbol.getValue() == functions.length)
        interpreter.symbols[functions.length] = bound;
    auto given = pickInputs(functions.start, inputs);
    if (!given)
      return given.takeError();
    auto results = interpret(functions.start, *given, interpreter);
    if (!results)
      return results.takeError();
    for (auto [i, result] : llvm::enumerate(*results))
      made[functions.start.getResultAttrOfType<StringAttr>(i, attrs::kName).getValue()] = result;
  }
  parts.clear();
  for (unsigned i = 0; i != functions.step.getNumArguments(); ++i) {
    if (!functions.step.getArgAttr(i, attrs::kState))
      continue;
    if (TensorRef part = made.lookup(argumentName(functions.step, i))) {
      parts.push_back(part);
      continue;
    }
    auto type = cast<RankedTensorType>(functions.step.getArgumentTypes()[i]);
    llvm::Expected<Tensor::Kind> kind = Tensor::kindOf(type.getElementType());
    if (!kind)
      return kind.takeError();
    parts.push_back(std::make_shared<Tensor>(*kind, type.getShape()));
  }
  return llvm::Error::success();
}

llvm::Expected<TensorRef> InterpretedState::advance(const llvm::StringMap<int64_t> &symbols,
                                                    ArrayRef<TensorRef> inputs) {
  InterpreterOptions interpreter;
  interpreter.symbols = symbols;
  interpreter.weights = options.weights;
  std::vector<TensorRef> all(inputs.begin(), inputs.end());
  llvm::append_range(all, parts);
  auto results = interpret(functions.step, all, interpreter);
  if (!results)
    return results.takeError();
  // Caches with their new rows take the place of those without, by name.
  func::FuncOp step = functions.step;
  for (unsigned i = 1; i != step.getNumResults(); ++i) {
    unsigned next = 0;
    for (unsigned j = 0; j != step.getNumArguments(); ++j) {
      if (!step.getArgAttr(j, attrs::kState))
        continue;
      if (step.getArgAttr(j, attrs::kName) == step.getResultAttr(i, attrs::kName))
        parts[next] = (*results)[i];
      ++next;
    }
  }
  return results->front();
}

//===----------------------------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------------------------===//

/// Calls `visit(offset in the whole, offset in the part)` for the elements of a part.
static void forEachElement(ArrayRef<int64_t> whole, ArrayRef<int64_t> start,
                           ArrayRef<int64_t> extent, function_ref<void(int64_t, int64_t)> visit) {
  int64_t count = 1;
  for (int64_t e : extent)
    count *= e;
  for (int64_t i = 0; i != count; ++i) {
    int64_t offset = 0, stride = 1, rest = i;
    for (size_t d = extent.size(); d-- > 0;) {
      offset += stride * (start[d] + rest % extent[d]);
      rest /= extent[d];
      stride *= whole[d];
    }
    visit(offset, i);
  }
}

/// Where the rows from `first` on lie in a tensor of `type` whose whole has the shape `whole`.
static void locatePart(const StepFunctions &functions, RankedTensorType type,
                       ArrayRef<int64_t> whole, int64_t first, int64_t count,
                       SmallVector<int64_t> &start, SmallVector<int64_t> &extent) {
  for (unsigned d = 0; d != type.getRank(); ++d) {
    bool isRows = getSymbol(type, d) == functions.count;
    bool isSeen = getSymbol(type, d) == functions.length;
    start.push_back(isRows ? first : 0);
    extent.push_back(isRows ? count : isSeen ? first + count : whole[d]);
  }
}

static TensorRef takePart(const StepFunctions &functions, RankedTensorType type,
                          const Tensor &whole, int64_t first, int64_t count) {
  SmallVector<int64_t> start, extent;
  locatePart(functions, type, whole.shape(), first, count, start, extent);
  auto part = std::make_shared<Tensor>(whole.kind(), extent);
  forEachElement(whole.shape(), start, extent,
                 [&](int64_t from, int64_t to) { part->store(to, whole.load(from)); });
  return part;
}

/// The output of the step for the whole sequence, fed in pieces.
static llvm::Expected<TensorRef> runPieces(const StepFunctions &functions,
                                           llvm::StringMap<int64_t> symbols,
                                           const StepInputs &inputs, ArrayRef<int64_t> shape,
                                           uint64_t seed, const StepCalls &calls) {
  if (llvm::Error error = calls.begin(symbols, inputs))
    return std::move(error);
  int64_t length = symbols.lookup(functions.length);
  auto result = std::make_shared<Tensor>(Tensor::Kind::Real, shape);
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
    llvm::Expected<TensorRef> rows = calls.advance(symbols, pieces);
    if (!rows)
      return rows.takeError();
    SmallVector<int64_t> start, extent;
    locatePart(functions, type, shape, first, count, start, extent);
    forEachElement(shape, start, extent,
                   [&](int64_t to, int64_t from) { result->store(to, (*rows)->load(from)); });
  }
  return result;
}

bool weft::hasStep(ModuleOp module, StringRef entry) { return bool(findStep(module, entry).step); }

llvm::Expected<VerifyReport> weft::verifyStep(ModuleOp graph, ModuleOp fused, StringRef entry,
                                              const StepCalls *compiled,
                                              const VerifyOptions &options) {
  auto whole = graph.lookupSymbol<func::FuncOp>(entry);
  StepFunctions functions = findStep(fused, entry);
  if (!whole || !functions.step)
    return llvm::createStringError("entry '" + entry + "' has no step");
  Attribute name = functions.step.getResultAttr(0, attrs::kName);
  unsigned output = 0;
  while (output + 1 < whole.getNumResults() && whole.getResultAttr(output, attrs::kName) != name)
    ++output;
  VerifyReport report;
  for (unsigned number = 0; number < options.runs; ++number) {
    report.symbols = chooseSymbols(graph, number, options.symbolLimit);
    auto given = randomInputs(whole, report.symbols, options.seed + number);
    if (!given)
      return given.takeError();
    InterpreterOptions interpreter;
    interpreter.symbols = report.symbols;
    interpreter.weights = options.weights;
    auto expected = interpret(whole, *given, interpreter);
    if (!expected)
      return expected.takeError();
    StepInputs inputs;
    for (auto [i, tensor] : llvm::enumerate(*given))
      inputs[argumentName(whole, i)] = tensor;
    InterpretedState state(functions, options);
    StepCalls interpreted{
        [&](const auto &symbols, const auto &all) { return state.begin(symbols, all); },
        [&](const auto &symbols, auto pieces) { return state.advance(symbols, pieces); }};
    auto actual = runPieces(functions, report.symbols, inputs, (*expected)[output]->shape(),
                            options.seed + number, compiled ? *compiled : interpreted);
    if (!actual)
      return actual.takeError();
    ++report.compared;
    double tolerance = compiled ? options.codeTolerance : options.fusionTolerance;
    report.difference = compare(*(*expected)[output], **actual, tolerance);
    if (report.difference) {
      report.difference->formula = cast<StringAttr>(name).str();
      return report;
    }
    report.worst = std::max(report.worst, relativeError(*(*expected)[output], **actual));
  }
  return report;
}
