//===- AccessCost.cpp - what reading along an index costs -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/AccessCost.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

int64_t weft::getUsefulWidth(int64_t width, IndexAttr index) {
  return std::min<int64_t>(width, llvm::PowerOf2Ceil(std::max<int64_t>(index.getSize(), 1)));
}

/// Whether the coordinate moves by one when the index does, or not at all.
static bool isUnitStride(AffineExpr expr, unsigned position, unsigned numDims) {
  if (!expr.isFunctionOfDim(position))
    return true;
  AffineExpr inner = expr;
  if (expr.getKind() == AffineExprKind::Mod)
    inner = cast<AffineBinaryOpExpr>(expr).getLHS();
  AffineExpr dim = getAffineDimExpr(position, expr.getContext());
  AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
  return simplifyAffineExpr(inner - inner.replace(dim, zero), numDims, 0) == dim;
}

/// Rows of a panel that lie side by side, from which on a vector of them hardly ever leaves these.
static constexpr int64_t kRun = 16;

/// The dimension along which elements lie side by side: the last one of the columns of panels,
/// which a vector hardly ever leaves, or of long runs. Nothing if there is none.
static std::optional<unsigned> getFastestDim(ShapedType type) {
  LayoutAttr layout = getLayout(type);
  if (layout && layout.getKr() >= kRun)
    return unsigned(layout.getK().back());
  if (layout)
    return layout.getKr() == 1 ? std::optional<unsigned>(layout.getN().back()) : std::nullopt;
  for (unsigned dim = type.getRank(); dim-- > 0;)
    if (type.getDimSize(dim) != 1)
      return dim;
  return std::nullopt;
}

bool weft::isContiguous(AffineMap map, ShapedType type, unsigned position) {
  std::optional<unsigned> fastest = getFastestDim(type);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (type.getDimSize(unsigned(dim)) == 1)
      continue;
    // A group's number, `h floordiv G`, hardly ever changes within a vector.
    bool isGroup = expr.getKind() == AffineExprKind::FloorDiv;
    if (fastest == dim ? !isUnitStride(expr, position, map.getNumDims())
                       : expr.isFunctionOfDim(position) && !isGroup)
      return false;
  }
  return true;
}

bool weft::movesAlong(AffineMap map, ShapedType type, unsigned position) {
  std::optional<unsigned> fastest = getFastestDim(type);
  return fastest && map.getResult(*fastest).isFunctionOfDim(position);
}

int64_t weft::getVectorCost(FormulaOpInterface formula, unsigned numFactors, unsigned position,
                            int64_t width) {
  int64_t cost = 0;
  for (unsigned i = 0; i != numFactors; ++i)
    cost += isContiguous(formula.getInputMap(i), cast<ShapedType>(formula.getInputs()[i].getType()),
                         position)
                ? 1
                : width;
  return cost;
}

/// Adds the indices on which `value`, computed in a region of the reduction, depends.
static void addDependence(Value value, ReduceOp reduce, ReadIndices &access) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    Operation *op = current.getDefiningOp();
    auto argument = dyn_cast<BlockArgument>(current);
    if (argument && argument.getOwner()->getParentOp() == reduce) {
      AffineMap map = FormulaOpInterface(reduce).getInputMap(argument.getArgNumber());
      for (unsigned i = 0; i != access.through.size(); ++i)
        if (map.isFunctionOfDim(i))
          access.through.set(i);
    } else if (argument || op->getNumRegions()) {
      access.direct.set(); // the index of a loop inside the region: anything may depend on it
    } else if (auto index = dyn_cast<weft::IndexOp>(op)) {
      access.direct.set(index.getPosition());
    } else if (auto at = dyn_cast<AtOp>(op)) {
      ReadIndices element{llvm::SmallBitVector(access.direct.size()), access.through};
      for (Value coordinate : at.getCoordinates())
        addDependence(coordinate, reduce, element);
      access.through |= element.through;
      access.through |= element.direct;
    } else if (reduce->isAncestor(op)) {
      llvm::append_range(work, op->getOperands());
    }
  }
}

static ReadIndices getNoIndices(unsigned numIndices) {
  return {llvm::SmallBitVector(numIndices), llvm::SmallBitVector(numIndices)};
}

/// What the elements cost that regions read at computed coordinates, as getVectorCost().
static int64_t getGatherCost(ReduceOp reduce, unsigned position, int64_t width) {
  int64_t cost = 0;
  reduce->walk([&](AtOp at) {
    ReadIndices access = getNoIndices(reduce.getIndices().size());
    for (auto [i, coordinate] : llvm::enumerate(at.getCoordinates())) {
      auto index = coordinate.getDefiningOp<weft::IndexOp>();
      bool isLast = i + 1 == at.getCoordinates().size();
      if (!isLast || !index || index.getPosition() != position)
        addDependence(coordinate, reduce, access);
    }
    cost += access.dependsOn(position) ? width : 1;
  });
  return cost;
}

std::optional<unsigned> weft::getLastOutput(FormulaOpInterface formula) {
  for (AffineExpr expr : llvm::reverse(formula.getOutputIndexingMap().getResults())) {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    if (formula.getIndexAttr(position).getExtent() != 1)
      return position;
  }
  return std::nullopt;
}

unsigned weft::getNumFactors(FormulaOpInterface reduction) {
  return isa<ContractOp>(reduction.getOperation()) ? 2 : reduction.getInputs().size();
}

double weft::getLaneCost(FormulaOpInterface reduction, unsigned position, int64_t width) {
  int64_t useful = getUsefulWidth(width, reduction.getIndexAttr(position));
  int64_t cost = getVectorCost(reduction, getNumFactors(reduction), position, useful);
  if (auto reduce = dyn_cast<ReduceOp>(reduction.getOperation()))
    cost += getGatherCost(reduce, position, useful);
  return double(cost + 1) / useful;
}

SmallVector<ReadIndices> weft::getReadIndices(FormulaOpInterface formula, unsigned numFactors) {
  SmallVector<ReadIndices> accesses;
  unsigned numIndices = formula.getNumIndices();
  for (unsigned input = 0; input != numFactors; ++input) {
    ReadIndices &access = accesses.emplace_back(getNoIndices(numIndices));
    for (unsigned i = 0; i != numIndices; ++i)
      if (formula.getInputMap(input).isFunctionOfDim(i))
        access.direct.set(i);
  }
  if (auto reduce = dyn_cast<ReduceOp>(formula.getOperation()))
    reduce->walk([&](AtOp at) {
      ReadIndices &access = accesses.emplace_back(getNoIndices(numIndices));
      for (Value coordinate : at.getCoordinates())
        addDependence(coordinate, reduce, access);
    });
  return accesses;
}
