//===- PositionPairs.cpp - which tensors are over pairs of positions ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PositionPairs.h"
#include "IndexDependence.h"

using namespace mlir;
using namespace weft;

/// The index of the formula on which dimension `dim` of what `map` reads depends, if it is one.
static std::optional<unsigned> getOnlyIndex(AffineMap map, unsigned dim) {
  llvm::SmallBitVector used = getUsedIndices(map.getResult(dim), map.getNumDims());
  return used.count() == 1 ? std::optional<unsigned>(used.find_first()) : std::nullopt;
}

namespace {
/// Follows a tensor through element-wise formulas to the sums over its dimension `key`, of
/// something that does not depend on its dimension `query`, if that is given.
class WeightsSearch {
public:
  bool isSummed(Value tensor, unsigned key, std::optional<unsigned> query) {
    for (OpOperand &use : tensor.getUses()) {
      auto formula = dyn_cast<FormulaOpInterface>(use.getOwner());
      // The inputs are the first operands of a formula.
      unsigned input = use.getOperandNumber();
      if (!formula || input >= formula.getInputs().size() || !visited.insert(&use).second)
        continue;
      AffineMap map = formula.getInputMap(input);
      std::optional<unsigned> keyIndex = getOnlyIndex(map, key);
      std::optional<unsigned> queryIndex = query ? getOnlyIndex(map, *query) : std::nullopt;
      if (!keyIndex || (query && !queryIndex))
        continue;
      bool isElementWise = isa<MapOp, SoftmaxOp>(use.getOwner());
      if (isElementWise ? isSummed(formula->getResult(0), *keyIndex, queryIndex)
                        : isSumOver(formula, input, *keyIndex, queryIndex))
        return true;
    }
    return false;
  }

private:
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

  llvm::SmallPtrSet<OpOperand *, 8> visited;
};
} // namespace

bool weft::areWeights(Value value) {
  for (unsigned key = 0, e = cast<ShapedType>(value.getType()).getRank(); key != e; ++key)
    if (WeightsSearch().isSummed(value, key, std::nullopt))
      return true;
  return false;
}

bool weft::hasPositionPairs(Value value, StringRef batch) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return false;
  SmallVector<unsigned> positions;
  for (unsigned dim = 0, e = type.getRank(); dim != e; ++dim)
    if (StringRef symbol = getSymbol(type, dim); !symbol.empty() && symbol != batch)
      positions.push_back(dim);
  for (unsigned query : positions)
    for (unsigned key : positions)
      if (query != key && (getSymbol(type, query) == getSymbol(type, key) ||
                           WeightsSearch().isSummed(value, key, query)))
        return true;
  return false;
}
