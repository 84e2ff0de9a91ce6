//===- PositionPairs.cpp - which tensors are over pairs of positions ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PositionPairs.h"

#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

/// The index of the formula on which dimension `dim` of what `map` reads depends, if it is one.
static std::optional<unsigned> getOnlyIndex(AffineMap map, unsigned dim) {
  llvm::SmallBitVector used = getUsedIndices(map.getResult(dim), map.getNumDims());
  return used.count() == 1 ? std::optional<unsigned>(used.find_first()) : std::nullopt;
}

/// Whether `formula` sums its input `weights` over its index `key`, times something that has this
/// index and not `query`, if that is given.
static bool isSumOver(FormulaOpInterface formula, unsigned weights, unsigned key,
                      std::optional<unsigned> query) {
  auto reduce = dyn_cast<ReduceOp>(formula.getOperation());
  if (key < formula.getNumOutputIndices() || (reduce && reduce.getKind() != ReduceKind::Sum))
    return false;
  auto isValue = [&](const llvm::SmallBitVector &used) {
    return used.test(key) && !(query && used.test(*query));
  };
  for (unsigned i = 0, e = formula.getInputs().size(); i != e; ++i)
    if (i != weights && isValue(getUsedIndices(formula.getInputMap(i))))
      return true;
  if (!reduce)
    return false;
  WalkResult gathers = reduce.getBody().walk([&](AtOp at) { // a value at computed places
    llvm::SmallBitVector used(formula.getNumIndices());
    for (Value coordinate : at.getCoordinates())
      used |= getDependence(formula, coordinate);
    return isValue(used) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return gathers.wasInterrupted();
}

/// Whether `use` is such a sum: of the weights it uses; or, in `made`, the weights that it makes of
/// them element by element.
bool PositionPairs::follow(OpOperand &use, Weights weights, std::optional<Weights> &made) {
  auto [tensor, key, query] = weights;
  auto formula = dyn_cast<FormulaOpInterface>(use.getOwner());
  // The inputs are the first operands of a formula.
  unsigned input = use.getOperandNumber();
  if (!formula || input >= formula.getInputs().size())
    return false;
  AffineMap map = formula.getInputMap(input);
  std::optional<unsigned> keyIndex = getOnlyIndex(map, key), queryIndex;
  if (query != kNoQuery)
    queryIndex = getOnlyIndex(map, query);
  if (!keyIndex || (query != kNoQuery && !queryIndex))
    return false;
  if (!isa<MapOp, SoftmaxOp>(use.getOwner()))
    return isSumOver(formula, input, *keyIndex, queryIndex);
  made = Weights(formula->getResult(0), *keyIndex, queryIndex.value_or(kNoQuery));
  return false;
}

/// Follows a tensor through element-wise formulas to the sums over its key, depth first.
bool PositionPairs::isSummed(Weights weights) {
  struct Step {
    Weights weights;
    Value::use_iterator next;
  };
  SmallVector<Step> path;
  // Whether it is known to be summed; if nothing is known, it is next.
  auto visit = [&](Weights weights) {
    auto [place, isNew] = known.try_emplace(weights, false);
    if (isNew)
      path.push_back({weights, std::get<Value>(weights).use_begin()});
    return place->second;
  };
  if (visit(weights))
    return true;
  while (!path.empty()) {
    Step &step = path.back();
    if (step.next == Value::use_iterator()) {
      path.pop_back();
      continue;
    }
    std::optional<Weights> made;
    OpOperand &use = *step.next++;
    if (!follow(use, step.weights, made) && !(made && visit(*made)))
      continue;
    for (const Step &passed : path)
      known[passed.weights] = true;
    return true;
  }
  return false;
}

bool PositionPairs::areWeights(Value value) {
  for (unsigned key = 0, e = cast<ShapedType>(value.getType()).getRank(); key != e; ++key)
    if (isSummed({value, key, kNoQuery}))
      return true;
  return false;
}

bool PositionPairs::contain(Value value, StringRef batch) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return false;
  SmallVector<unsigned> positions;
  for (unsigned dim = 0, e = type.getRank(); dim != e; ++dim)
    if (StringRef symbol = getSymbol(type, dim); !symbol.empty() && symbol != batch)
      positions.push_back(dim);
  for (unsigned query : positions)
    for (unsigned key : positions)
      if (query != key &&
          (getSymbol(type, query) == getSymbol(type, key) || isSummed({value, key, query})))
        return true;
  return false;
}
