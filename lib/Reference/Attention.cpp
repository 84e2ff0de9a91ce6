//===- Attention.cpp - attention by its formula ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// For each row (the output indices on which the weights depend) all scores are computed, then
// normalised, then summed with the values: no tiles, no running maximum.
//
//===----------------------------------------------------------------------------------------===//

#include "Formula.h"

#include "weft/Dialect/Weft/IR/AttentionTypes.h"
#include "weft/Support/Elements.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::reference;

namespace {
class AttentionEvaluator {
public:
  AttentionEvaluator(AttentionOp op, Formula &f, ScalarProgram &score, ScalarProgram &predicate)
      : op(op), f(f), score(score), predicate(predicate), key(f.numOutputIndices),
        numDots(op.getDots()), weightType(getWeightType(op)) {}

  llvm::Error prepare(const Environment &environment);
  void evaluate();

private:
  double dot(size_t i);
  void findBounds();
  bool keyIsSeen();
  void computeWeights();
  void normalize();
  /// The weight of a softmax that multiplies values.
  double getWeight(double score, double largest, double sum);
  double roundWeight(double weight) {
    return weightType.isF32() ? weight : roundReal(*getElementType(weightType), weight);
  }
  void sumValues();

  AttentionOp op;
  Formula &f;
  ScalarProgram &score, &predicate;
  unsigned key;
  size_t numDots;
  Type weightType;
  SmallVector<int64_t> symbols;
  /// For each product, the contracted indices it runs over.
  SmallVector<SmallVector<unsigned>> contracted;
  /// The keys that the bounds let the current row see.
  int64_t begin, end;
  std::vector<double> weights;
  std::vector<bool> seen;
};
} // namespace

llvm::Error AttentionEvaluator::prepare(const Environment &environment) {
  if (f.inputs.size() < 2 * numDots + 1 || f.extents.size() <= key ||
      op.getScales().size() != numDots)
    return errorAt(op, "attention has too few inputs, indices or scales");
  for (unsigned i = 0; i < 2 * numDots + 1; ++i)
    if (!f.inputs[i].tensor->isReal())
      return errorAt(op, "attention needs real queries, keys and values");
  if (ArrayAttr names = op.getBoundSymbolsAttr())
    for (StringAttr name : names.getAsRange<StringAttr>()) {
      llvm::Expected<int64_t> value = environment.symbol(name.getValue());
      if (!value)
        return value.takeError();
      symbols.push_back(*value);
    }
  for (size_t i = 0; i < numDots; ++i) {
    SmallVector<unsigned> &indices = contracted.emplace_back();
    for (unsigned c = key + 1; c < f.extents.size(); ++c)
      if (f.inputs[2 * i].access.uses(c) || f.inputs[2 * i + 1].access.uses(c))
        indices.push_back(c);
  }
  weights.resize(f.extents[key]);
  seen.resize(f.extents[key]);
  return llvm::Error::success();
}

/// Adds products of `n` elements from those at the current point on, along index `i`, to `sum`: one
/// after the other, as others expect sums to be.
static void addProducts(Formula &f, const Input &a, const Input &b, unsigned i, int64_t n,
                        double &sum) {
  std::optional<int64_t> aStride = a.access.stride(i), bStride = b.access.stride(i);
  if (!aStride || !bStride) {
    for (f.point[i] = 0; f.point[i] < n; ++f.point[i])
      sum += a.load(f.point).real * b.load(f.point).real;
    return;
  }
  f.point[i] = 0;
  const double *x = &a.tensor->reals[a.access.offset(f.point)];
  const double *y = &b.tensor->reals[b.access.offset(f.point)];
  for (int64_t k = 0; k < n; ++k)
    sum += x[k * *aStride] * y[k * *bStride];
}

double AttentionEvaluator::dot(size_t i) {
  const Input &query = f.inputs[2 * i], &keys = f.inputs[2 * i + 1];
  double sum = 0.0;
  if (contracted[i].empty())
    return op.getScales()[i] * (query.load(f.point).real * keys.load(f.point).real);
  ArrayRef<unsigned> outer = ArrayRef(contracted[i]).drop_back();
  unsigned inner = contracted[i].back();
  SmallVector<int64_t> extents, point(outer.size());
  for (unsigned c : outer)
    extents.push_back(f.extents[c]);
  if (f.extents[inner] == 0)
    return op.getScales()[i] * sum;
  forEachPoint(extents, 0, point, [&] {
    for (auto [c, value] : llvm::zip(outer, point))
      f.point[c] = value;
    addProducts(f, query, keys, inner, f.extents[inner], sum);
  });
  for (unsigned c : contracted[i])
    f.point[c] = 0;
  return op.getScales()[i] * sum;
}

/// Bounds are functions of the row.
void AttentionEvaluator::findBounds() {
  begin = 0, end = f.extents[key];
  if (auto lower = op.getKeyLower())
    for (AffineExpr expr : lower->getResults())
      begin = std::max(begin, reference::evaluate(expr, f.point, symbols));
  if (auto upper = op.getKeyUpper())
    for (AffineExpr expr : upper->getResults())
      end = std::min(end, reference::evaluate(expr, f.point, symbols));
}

/// Whether the bounds and the predicate let the current row see the current key.
bool AttentionEvaluator::keyIsSeen() {
  if (f.point[key] < begin || f.point[key] >= end)
    return false;
  if (op.getPredicate().empty())
    return true;
  f.loadArguments(predicate, /*first=*/2 * numDots + 1);
  predicate.run();
  return predicate.result().integer;
}

void AttentionEvaluator::computeWeights() {
  findBounds();
  for (f.point[key] = 0; f.point[key] < f.extents[key]; ++f.point[key]) {
    int64_t s = f.point[key];
    weights[s] = 0.0;
    seen[s] = keyIsSeen();
    if (!seen[s])
      continue;
    for (size_t i = 0; i < numDots; ++i)
      score.argument(i).real = dot(i);
    f.loadArguments(score, /*first=*/2 * numDots + 1, /*argument=*/numDots);
    score.run();
    weights[s] = score.result().real;
  }
}

double AttentionEvaluator::getWeight(double score, double largest, double sum) {
  // A power of two takes the largest one's place.
  double power = std::ceil(largest / llvm::numbers::ln2) * llvm::numbers::ln2;
  return roundWeight(std::exp(score - power)) * (std::exp(power - largest) / sum);
}

void AttentionEvaluator::normalize() {
  if (op.getNormalizer() == Normalizer::None) {
    if (f.outputs.size() > 1) {
      Scalar sum;
      sum.real = std::accumulate(weights.begin(), weights.end(), 0.0);
      f.store(sum, /*result=*/1);
    }
    for (double &weight : weights)
      weight = roundWeight(weight);
    return;
  }
  double largest = -INFINITY, sum = 0.0;
  for (auto [weight, isSeen] : llvm::zip(weights, seen))
    largest = isSeen ? std::max(largest, weight) : largest;
  for (auto [weight, isSeen] : llvm::zip(weights, seen))
    sum += isSeen ? std::exp(weight - largest) : 0.0;
  if (largest == -INFINITY) // nothing to attend to
    llvm::fill(seen, false);
  if (f.outputs.size() > 1) {
    Scalar logSum;
    logSum.real = largest == -INFINITY ? INFINITY : largest + std::log(sum);
    f.store(logSum, /*result=*/1);
  }
  if (f.outputs.size() > 2) {
    Scalar most;
    most.real = largest;
    f.store(most, /*result=*/2);
  }
  for (auto [s, isSeen] : llvm::enumerate(seen))
    if (op.getNormalizer() == Normalizer::Softmax)
      weights[s] = isSeen ? getWeight(weights[s], largest, sum) : 0.0;
    else
      weights[s] = isSeen ? weights[s] - largest - std::log(sum) : -INFINITY;
}

void AttentionEvaluator::sumValues() {
  const Input &value = f.inputs[2 * numDots];
  Scalar sum;
  sum.real = 0.0;
  std::optional<int64_t> stride = value.access.stride(key);
  f.point[key] = 0;
  const double *first =
      stride && !weights.empty() ? &value.tensor->reals[value.access.offset(f.point)] : nullptr;
  for (int64_t &s = f.point[key]; s < f.extents[key]; ++s)
    if (double weight = weights[s]; weight != 0.0)
      sum.real += weight * (first ? first[s * *stride] : value.load(f.point).real);
  f.point[key] = 0;
  f.store(sum);
}

void AttentionEvaluator::evaluate() {
  SmallVector<int64_t> rows, columns;
  for (unsigned i = 0; i < f.numOutputIndices; ++i) {
    rows.push_back(op.selectsRow(i) ? f.extents[i] : std::min<int64_t>(1, f.extents[i]));
    columns.push_back(op.selectsRow(i) ? 1 : f.extents[i]);
  }
  SmallVector<int64_t> row(rows.size()), column(rows.size());
  forEachPoint(rows, 0, row, [&] {
    llvm::fill(f.point, 0);
    llvm::copy(row, f.point.begin());
    computeWeights();
    normalize();
    forEachPoint(columns, 0, column, [&] {
      for (unsigned i = 0; i < row.size(); ++i)
        f.point[i] = row[i] + column[i];
      sumValues();
    });
  });
}

llvm::Error weft::reference::evaluate(AttentionOp op, Formula &f, const Environment &environment) {
  auto score = ScalarProgram::compile(op.getScore(), f.extents.size(), environment);
  if (!score)
    return score.takeError();
  auto predicate = ScalarProgram::compile(op.getPredicate(), f.extents.size(), environment);
  if (!predicate)
    return predicate.takeError();
  AttentionEvaluator evaluator(op, f, *score, *predicate);
  if (llvm::Error error = evaluator.prepare(environment))
    return error;
  evaluator.evaluate();
  return llvm::Error::success();
}
