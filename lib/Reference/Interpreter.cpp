//===- Interpreter.cpp - functions of formulas, op by op ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Reference/Interpreter.h"

#include "Environment.h"
#include "Formula.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::reference;

char CheckFailure::ID = 0;

llvm::Expected<SmallVector<TensorRef>>
weft::reference::evaluateFormula(FormulaOpInterface op, const Environment &environment) {
  llvm::Expected<Formula> formula = Formula::create(op, environment);
  if (!formula)
    return formula.takeError();
  llvm::Error error =
      TypeSwitch<Operation *, llvm::Error>(op.getOperation())
          .Case<MapOp, ReduceOp, ContractOp, SoftmaxOp, RowOp, AttentionOp>(
              [&](auto typed) { return reference::evaluate(typed, *formula, environment); })
          .Default([](Operation *other) {
            return errorAt(other, "the interpreter does not know '" +
                                      other->getName().getStringRef() + "'");
          });
  if (error)
    return std::move(error);
  return llvm::map_to_vector(formula->outputs,
                             [](Output &output) { return TensorRef(output.tensor); });
}

namespace {
class Interpreter {
public:
  explicit Interpreter(const InterpreterOptions &options)
      : options(options), symbols(options.symbols) {}

  llvm::Expected<std::vector<TensorRef>> call(func::FuncOp function, ArrayRef<TensorRef> inputs);

private:
  llvm::Error bind(func::FuncOp function, unsigned number, const TensorRef &tensor,
                   Environment &environment);
  llvm::Error run(Operation &op, Environment &environment);
  llvm::Error runCall(func::CallOp op, Environment &environment);
  llvm::Error runAppend(AppendOp op, Environment &environment);
  llvm::Error runWeight(WeightOp op, Environment &environment);
  void observe(FormulaOpInterface op, const Tensor &tensor);

  const InterpreterOptions &options;
  llvm::StringMap<int64_t> symbols;
  DenseMap<Value, TensorRef> own; ///< for what is given
  unsigned depth = 0;
};
} // namespace

/// Gives an argument its value; a symbol of its type that is not known yet is taken from its shape.
llvm::Error Interpreter::bind(func::FuncOp function, unsigned number, const TensorRef &tensor,
                              Environment &environment) {
  auto type = dyn_cast<RankedTensorType>(function.getArgument(number).getType());
  if (!type || type.getRank() != int64_t(tensor->shape().size()))
    return errorAt(function, "argument " + Twine(number) + " has the wrong rank");
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t actual = tensor->shape()[i], expected = type.getDimSize(i);
    if (StringRef symbol = getSymbol(type, i); !symbol.empty()) {
      expected = symbols.try_emplace(symbol, actual).first->second;
      if (actual > getBound(type, i))
        return errorAt(function, "symbol '" + symbol + "' is " + Twine(actual) +
                                     ", above its bound " + Twine(getBound(type, i)));
    }
    if (actual != expected && expected != ShapedType::kDynamic)
      return errorAt(function, "dimension " + Twine(i) + " of argument " + Twine(number) + " is " +
                                   Twine(actual) + ", expected " + Twine(expected));
  }
  environment.set(function.getArgument(number), tensor);
  return llvm::Error::success();
}

/// Hands the first result, which is what the label names, out with its dimensions in the order of
/// the output indices.
void Interpreter::observe(FormulaOpInterface op, const Tensor &tensor) {
  if (!options.observer || !attrs::Label::isOn(op))
    return;
  if (!op.getOutputMapsAttr()) {
    options.observer(op, tensor);
    return;
  }
  AffineMap map = op.getOutputIndexingMap();
  SmallVector<int64_t> shape(tensor.shape().size()), point(op.getNumIndices());
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    shape[cast<AffineDimExpr>(expr).getPosition()] = tensor.shape()[i];
  Tensor logical(tensor.kind(), shape);
  int64_t next = 0;
  forEachPoint(shape, 0, point, [&] {
    int64_t offset = 0;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      offset += tensor.strides()[i] * point[cast<AffineDimExpr>(expr).getPosition()];
    logical.store(next++, tensor.load(offset));
  });
  options.observer(op, logical);
}

llvm::Error Interpreter::runCall(func::CallOp op, Environment &environment) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee)
    return errorAt(op, "there is no function '" + op.getCallee() + "'");
  std::vector<TensorRef> arguments;
  for (Value operand : op.getOperands()) {
    llvm::Expected<TensorRef> tensor = environment.tensor(operand);
    if (!tensor)
      return tensor.takeError();
    arguments.push_back(*tensor);
  }
  llvm::Expected<std::vector<TensorRef>> results = call(callee, arguments);
  if (!results)
    return results.takeError();
  for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
    environment.set(value, tensor);
  return llvm::Error::success();
}

llvm::Error Interpreter::runAppend(AppendOp op, Environment &environment) {
  llvm::Expected<TensorRef> rows = environment.tensor(op.getRows());
  if (!rows)
    return rows.takeError();
  llvm::Expected<TensorRef> cache = environment.tensor(op.getCache());
  if (!cache)
    return cache.takeError();
  llvm::Expected<int64_t> length = environment.symbol(op.getLength());
  if (!length)
    return length.takeError();
  unsigned rowDim = op.getRowDim();
  int64_t count = (*rows)->shape()[rowDim], most = (*cache)->shape()[rowDim];
  int64_t first = *length - count;
  if (first < 0 || *length > most)
    return errorAt(op, "the cache does not hold " + Twine(*length) + " rows");
  auto result = std::make_shared<Tensor>(**cache);
  int64_t row = (*cache)->strides()[rowDim], run = count * row;
  for (int64_t i = 0, e = (*rows)->size(); i != e; ++i)
    result->store(i / run * most * row + first * row + i % run, (*rows)->load(i));
  environment.set(op.getResult(), result);
  return llvm::Error::success();
}

llvm::Error Interpreter::runWeight(WeightOp op, Environment &environment) {
  if (!options.weights)
    return errorAt(op, "the weight '" + op.getName() + "' is not known");
  llvm::Expected<TensorRef> tensor = options.weights(op);
  if (!tensor)
    return tensor.takeError();
  auto type = cast<ShapedType>(op.getResult().getType());
  if ((*tensor)->shape() != type.getShape())
    return errorAt(op, "the weight '" + op.getName() + "' has the wrong shape");
  environment.set(op.getResult(), *tensor);
  return llvm::Error::success();
}

llvm::Error Interpreter::run(Operation &op, Environment &environment) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return runCall(call, environment);
  if (auto weight = dyn_cast<WeightOp>(op))
    return runWeight(weight, environment);
  if (auto append = dyn_cast<AppendOp>(op))
    return runAppend(append, environment);
  if (auto check = dyn_cast<CheckOp>(op))
    return evaluateCheck(check, environment);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return llvm::Error::success(); // a scalar, which regions read by themselves
    llvm::Expected<Tensor> tensor = Tensor::fromAttribute(elements);
    if (!tensor)
      return errorAt(&op, llvm::toString(tensor.takeError()));
    environment.set(constant.getResult(), std::make_shared<Tensor>(std::move(*tensor)));
    return llvm::Error::success();
  }
  auto formula = dyn_cast<FormulaOpInterface>(op);
  if (!formula) {
    bool isScalar = llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
    if (isScalar && isPure(&op))
      return llvm::Error::success();
    return errorAt(&op, "the interpreter does not know '" + op.getName().getStringRef() + "'");
  }
  llvm::Expected<SmallVector<TensorRef>> tensors = evaluateFormula(formula, environment);
  if (!tensors)
    return tensors.takeError();
  for (auto [result, tensor] : llvm::zip_equal(op.getResults(), *tensors)) {
    TensorRef given = options.given.lookup(result);
    environment.set(result, given ? given : tensor);
    if (given)
      own[result] = tensor;
  }
  observe(formula, *tensors->front());
  return llvm::Error::success();
}

llvm::Expected<std::vector<TensorRef>> Interpreter::call(func::FuncOp function,
                                                         ArrayRef<TensorRef> inputs) {
  constexpr unsigned kMaxDepth = 256;
  if (function.isExternal() || depth == kMaxDepth)
    return errorAt(function, "the function '" + function.getName() +
                                 (depth == kMaxDepth ? "' is recursive" : "' has no body"));
  if (inputs.size() != function.getNumArguments())
    return errorAt(function, "'" + function.getName() + "' takes " +
                                 Twine(function.getNumArguments()) + " arguments, given " +
                                 Twine(inputs.size()));
  Environment environment(symbols, options.arithmetic);
  for (auto [i, tensor] : llvm::enumerate(inputs))
    if (llvm::Error error = bind(function, i, tensor, environment))
      return std::move(error);
  ++depth;
  for (Operation &op : function.front().without_terminator())
    if (llvm::Error error = run(op, environment))
      return std::move(error);
  --depth;
  std::vector<TensorRef> results;
  for (Value value : function.front().getTerminator()->getOperands()) {
    llvm::Expected<TensorRef> tensor = environment.tensor(value);
    if (!tensor)
      return tensor.takeError();
    TensorRef mine = own.lookup(value);
    results.push_back(mine ? mine : *tensor);
  }
  return results;
}

llvm::Expected<std::vector<TensorRef>> weft::interpret(func::FuncOp function,
                                                       ArrayRef<TensorRef> inputs,
                                                       const InterpreterOptions &options) {
  return Interpreter(options).call(function, inputs);
}

llvm::Expected<SmallVector<TensorRef>> weft::interpretOp(FormulaOpInterface op,
                                                         const DenseMap<Value, TensorRef> &known) {
  llvm::StringMap<int64_t> noSymbols;
  Environment environment(noSymbols);
  for (const auto &[value, tensor] : known)
    environment.set(value, tensor);
  return evaluateFormula(op, environment);
}
