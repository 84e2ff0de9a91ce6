//===- Formula.cpp - maps, reductions, softmax and checks, element by element ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Formula.h"

#include "ScalarReduction.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::reference;

llvm::Expected<SmallVector<int64_t>> weft::reference::extentsOf(IndexedOpInterface op,
                                                                const Environment &environment) {
  SmallVector<int64_t> extents;
  for (IndexAttr index : op.getIndexList()) {
    llvm::Expected<int64_t> extent = environment.extent(index);
    if (!extent)
      return extent.takeError();
    extents.push_back(*extent);
  }
  return extents;
}

llvm::Expected<SmallVector<Input, 0>> weft::reference::inputsOf(IndexedOpInterface op,
                                                                ArrayRef<int64_t> extents,
                                                                const Environment &environment) {
  SmallVector<Input, 0> inputs;
  for (auto [i, value] : llvm::enumerate(op.getInputs())) {
    llvm::Expected<TensorRef> tensor = environment.tensor(value);
    if (!tensor)
      return tensor.takeError();
    llvm::Expected<Access> access = Access::create(**tensor, op.getInputMap(i), extents);
    if (!access)
      return errorAt(op, "input " + Twine(i) + ": " + llvm::toString(access.takeError()));
    inputs.push_back({*tensor, *access});
  }
  return inputs;
}

static llvm::Expected<Output> createOutput(FormulaOpInterface op, unsigned number,
                                           ArrayRef<int64_t> extents, Arithmetic arithmetic) {
  AffineMap map = op.getOutputIndexingMap(number);
  SmallVector<int64_t> shape;
  for (AffineExpr expr : map.getResults())
    shape.push_back(extents[cast<AffineDimExpr>(expr).getPosition()]);
  Type type = op.getOutputType(number).getElementType();
  llvm::Expected<Tensor::Kind> kind = Tensor::kindOf(type);
  if (!kind)
    return kind.takeError();
  if (llvm::Error error = Tensor::checkSize(shape))
    return errorAt(op, llvm::toString(std::move(error)));
  auto tensor = std::make_shared<Tensor>(*kind, shape);
  llvm::Expected<Access> access = Access::create(*tensor, map, extents);
  if (!access)
    return access.takeError();
  return Output{std::move(tensor), *getElementType(type), *access, arithmetic};
}

llvm::Expected<Formula> Formula::create(Operation *op, const Environment &environment) {
  auto interface = cast<FormulaOpInterface>(op);
  if (interface.hasBufferSemantics())
    return errorAt(op, "the interpreter runs formulas on tensors only");
  llvm::Expected<SmallVector<int64_t>> extents = extentsOf(interface, environment);
  if (!extents)
    return extents.takeError();
  auto inputs = inputsOf(interface, *extents, environment);
  if (!inputs)
    return inputs.takeError();
  Formula formula;
  formula.op = op;
  formula.numOutputIndices = interface.getNumOutputIndices();
  formula.extents = *extents;
  formula.inputs = std::move(*inputs);
  formula.point.resize(extents->size());
  for (unsigned i = 0; i != op->getNumResults(); ++i) {
    llvm::Expected<Output> output =
        createOutput(interface, i, *extents, environment.getArithmetic());
    if (!output)
      return output.takeError();
    formula.outputs.push_back(std::move(*output));
  }
  return formula;
}

void Formula::loadArguments(ScalarProgram &program, unsigned first, unsigned argument) {
  program.setIndices(point);
  for (unsigned i = first; i < inputs.size(); ++i)
    program.argument(argument++) = inputs[i].load(point);
}

Line::Line(Formula &formula, unsigned index) : f(formula), index(index) {
  for (const Input &input : f.inputs) {
    std::optional<int64_t> stride = input.access.stride(index);
    isEven &= stride.has_value();
    reads.push_back({input.tensor.get(), 0, stride.value_or(0)});
  }
}

void Line::begin(std::initializer_list<ScalarProgram *> programs) {
  f.point[index] = 0;
  for (ScalarProgram *program : programs)
    program->setIndices(f.point);
  for (auto [read, input] : llvm::zip(reads, f.inputs))
    read.first = input.access.offset(f.point);
}

Scalar Line::run(ScalarProgram &program, int64_t position) {
  f.point[index] = position;
  if (!isEven)
    return f.run(program);
  program.index(index).integer = position;
  for (auto [i, read] : llvm::enumerate(reads))
    program.argument(i) = read.tensor->load(read.first + position * read.stride);
  program.run();
  return program.result();
}

//===----------------------------------------------------------------------------------------===//
// Map
//===----------------------------------------------------------------------------------------===//

llvm::Error weft::reference::evaluate(MapOp op, Formula &f, const Environment &environment) {
  auto body = ScalarProgram::compile(op.getBody(), f.extents.size(), environment);
  if (!body)
    return body.takeError();
  forEachPoint(f.extents, 0, f.point, [&] { f.store(f.run(*body)); });
  return llvm::Error::success();
}

//===----------------------------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------------------------===//

namespace {
/// A formula's element expression and where it counts.
struct Elements {
  static llvm::Expected<Elements> create(Region &body, Region &predicate, Formula &formula,
                                         const Environment &environment) {
    auto bodyProgram = ScalarProgram::compile(body, formula.extents.size(), environment);
    if (!bodyProgram)
      return bodyProgram.takeError();
    auto predicateProgram = ScalarProgram::compile(predicate, formula.extents.size(), environment);
    if (!predicateProgram)
      return predicateProgram.takeError();
    return Elements{std::move(*bodyProgram), std::move(*predicateProgram), !predicate.empty()};
  }

  bool holds(Formula &formula) { return !hasPredicate || formula.run(predicate).integer; }

  ScalarProgram body, predicate;
  bool hasPredicate;
};

struct Candidate {
  Scalar value;
  int64_t position;
};
} // namespace

/// The position of the `rank`-th largest candidate (from 0), ties by position; 0 if there is none.
/// What is not a number is no candidate.
static int64_t positionOfLargest(std::vector<Candidate> &candidates, int64_t rank, bool isReal) {
  llvm::erase_if(candidates,
                 [&](const Candidate &c) { return isReal && std::isnan(c.value.real); });
  if (rank < 0 || rank >= int64_t(candidates.size()))
    return 0;
  llvm::sort(candidates, [&](const Candidate &a, const Candidate &b) {
    bool isEqual = isReal ? a.value.real == b.value.real : a.value.integer == b.value.integer;
    if (isEqual)
      return a.position < b.position;
    return isReal ? a.value.real > b.value.real : a.value.integer > b.value.integer;
  });
  return candidates[rank].position;
}

/// The elements of the current row as `argmax` and `argtop` see them.
static int64_t positionInRow(ReduceOp op, Formula &f, Elements &elements, bool isReal) {
  std::vector<Candidate> candidates;
  int64_t rank = 0;
  forEachPoint(f.extents, f.numOutputIndices, f.point, [&] {
    if (!elements.holds(f))
      return;
    candidates.push_back({f.run(elements.body), f.point.back()});
    if (op.getKind() == ReduceKind::ArgTop)
      rank = elements.body.result(1).integer;
  });
  return positionOfLargest(candidates, rank, isReal);
}

/// What `reduction` makes of the elements of the current row, in lines along the last index.
static Scalar reduceRow(Formula &f, Elements &elements, Line &line, ScalarReduction reduction) {
  SmallVector<int64_t> lines(f.extents);
  int64_t length = std::exchange(lines.back(), std::min<int64_t>(1, lines.back()));
  forEachPoint(lines, f.numOutputIndices, f.point, [&] {
    line.begin({&elements.body, &elements.predicate});
    for (int64_t i = 0; i < length; ++i)
      if (!elements.hasPredicate || line.run(elements.predicate, i).integer)
        reduction.add(line.run(elements.body, i));
    f.point.back() = 0;
  });
  return reduction.result();
}

llvm::Error weft::reference::evaluate(ReduceOp op, Formula &f, const Environment &environment) {
  auto elements = Elements::create(op.getBody(), op.getPredicate(), f, environment);
  if (!elements)
    return elements.takeError();
  bool isReal = isa<FloatType>(op.getBody().front().getTerminator()->getOperand(0).getType());
  bool isPosition = op.getKind() == ReduceKind::ArgMax || op.getKind() == ReduceKind::ArgTop;
  Line line(f, f.extents.size() - 1);
  forEachPoint(ArrayRef(f.extents).take_front(f.numOutputIndices), 0, f.point, [&] {
    Scalar value{};
    if (isPosition) {
      value.integer = positionInRow(op, f, *elements, isReal);
    } else {
      value = reduceRow(f, *elements, line, ScalarReduction(op.getKind(), isReal));
    }
    f.store(value);
  });
  return llvm::Error::success();
}

//===----------------------------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------------------------===//

/// One row, along `axis`, of the formula at its current point. Where no element is above -inf there
/// is nothing to normalise: as in an empty row, softmax is 0 and log-softmax -inf.
static void evaluateRow(SoftmaxOp op, Formula &f, Elements &elements, std::vector<double> &row) {
  unsigned axis = op.getAxis();
  double largest = -INFINITY, sum = 0.0;
  std::vector<bool> holds(row.size());
  for (f.point[axis] = 0; f.point[axis] < f.extents[axis]; ++f.point[axis]) {
    int64_t i = f.point[axis];
    holds[i] = elements.holds(f);
    if (!holds[i])
      continue;
    row[i] = f.run(elements.body).real;
    largest = std::max(largest, row[i]);
  }
  for (size_t i = 0; i < row.size(); ++i)
    sum += holds[i] ? std::exp(row[i] - largest) : 0.0;
  bool isLog = op.getNormalizer() == Normalizer::LogSoftmax;
  for (f.point[axis] = 0; f.point[axis] < f.extents[axis]; ++f.point[axis]) {
    int64_t i = f.point[axis];
    Scalar value;
    bool counts = holds[i] && largest != -INFINITY;
    if (isLog)
      value.real = counts ? row[i] - largest - std::log(sum) : -INFINITY;
    else
      value.real = counts ? std::exp(row[i] - largest) / sum : 0.0;
    f.store(value);
  }
  f.point[axis] = 0;
}

llvm::Error weft::reference::evaluate(SoftmaxOp op, Formula &f, const Environment &environment) {
  auto elements = Elements::create(op.getBody(), op.getPredicate(), f, environment);
  if (!elements)
    return elements.takeError();
  unsigned axis = op.getAxis();
  std::vector<double> row(f.extents[axis]);
  SmallVector<int64_t> rows(f.extents);
  rows[axis] = 1;
  forEachPoint(rows, 0, f.point, [&] { evaluateRow(op, f, *elements, row); });
  return llvm::Error::success();
}

//===----------------------------------------------------------------------------------------===//
// Check
//===----------------------------------------------------------------------------------------===//

llvm::Error weft::reference::evaluateCheck(CheckOp op, const Environment &environment) {
  auto extents = extentsOf(op, environment);
  if (!extents)
    return extents.takeError();
  auto inputs = inputsOf(op, *extents, environment);
  if (!inputs)
    return inputs.takeError();
  auto body = ScalarProgram::compile(op.getBody(), extents->size(), environment);
  if (!body)
    return body.takeError();
  Formula f;
  f.inputs = std::move(*inputs);
  f.point.resize(extents->size());
  bool holds = true;
  forEachPoint(*extents, 0, f.point, [&] { holds &= bool(f.run(*body).integer); });
  if (holds)
    return llvm::Error::success();
  constexpr int kErrorIndex = 2; // WEFT_ERROR_INDEX
  return llvm::make_error<CheckFailure>(op.getMessage().str(), kErrorIndex);
}
