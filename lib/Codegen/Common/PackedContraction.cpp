//===- PackedContraction.cpp - a contraction seen as a matrix product -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/PackedContraction.h"

using namespace mlir;
using namespace weft;

std::optional<SmallVector<int64_t>> weft::getLinearCoefficients(AffineExpr expr, unsigned numDims) {
  if (!expr.isPureAffine())
    return std::nullopt;
  bool divides = false;
  expr.walk([&](AffineExpr part) {
    divides |= part.getKind() == AffineExprKind::FloorDiv ||
               part.getKind() == AffineExprKind::CeilDiv || part.getKind() == AffineExprKind::Mod;
  });
  if (divides)
    return std::nullopt;
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> zeros(numDims, getAffineConstantExpr(0, context));
  auto evaluate = [&](ArrayRef<AffineExpr> point) {
    return cast<AffineConstantExpr>(expr.replaceDims(point)).getValue();
  };
  int64_t origin = evaluate(zeros);
  SmallVector<int64_t> coefficients;
  for (unsigned i = 0; i != numDims; ++i) {
    SmallVector<AffineExpr> point = zeros;
    point[i] = getAffineConstantExpr(1, context);
    coefficients.push_back(evaluate(point) - origin);
  }
  return coefficients;
}

/// Orders the dimensions with a coefficient so that they number `0 .. size-1` in row-major order,
/// and returns the size; nullopt if they do not.
static std::optional<int64_t> orderRowMajor(ArrayRef<int64_t> coefficients, ArrayAttr indices,
                                            SmallVectorImpl<unsigned> &dims) {
  for (auto [i, coefficient] : llvm::enumerate(coefficients))
    if (coefficient != 0)
      dims.push_back(i);
  // Indices with one value go first: whatever their coefficient, they do not count.
  auto sizeOf = [&](unsigned dim) { return cast<IndexAttr>(indices[dim]).getSize(); };
  llvm::sort(dims, [&](unsigned a, unsigned b) {
    bool unitA = sizeOf(a) == 1, unitB = sizeOf(b) == 1;
    return std::tuple(!unitA, -coefficients[a], a) < std::tuple(!unitB, -coefficients[b], b);
  });
  int64_t size = 1;
  for (unsigned dim : llvm::reverse(dims)) {
    auto index = cast<IndexAttr>(indices[dim]);
    if (index.getDynamic() || (index.getSize() != 1 && coefficients[dim] != size))
      return std::nullopt;
    size *= index.getSize();
  }
  return size;
}

/// The linear n of `(n floordiv nr, k, n mod nr)`. Affine expressions are simplified when they
/// are built, so the coefficients are found by evaluation and the map is then built again.
static std::optional<SmallVector<int64_t>> recoverPanelCoordinate(AffineMap map, int64_t nr) {
  unsigned numDims = map.getNumDims();
  MLIRContext *context = map.getContext();
  SmallVector<int64_t> coefficients;
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (unsigned i = 0; i != numDims; ++i) {
    SmallVector<AffineExpr> point(numDims, getAffineConstantExpr(0, context));
    point[i] = getAffineConstantExpr(1, context);
    auto panel = dyn_cast<AffineConstantExpr>(map.getResult(0).replaceDims(point));
    auto lane = dyn_cast<AffineConstantExpr>(map.getResult(2).replaceDims(point));
    if (!panel || !lane)
      return std::nullopt;
    coefficients.push_back(panel.getValue() * nr + lane.getValue());
    linear = linear + getAffineDimExpr(i, context) * coefficients.back();
  }
  auto same = [&](AffineExpr a, AffineExpr b) {
    return simplifyAffineExpr(a, numDims, 0) == simplifyAffineExpr(b, numDims, 0);
  };
  if (!same(linear.floorDiv(nr), map.getResult(0)) || !same(linear % nr, map.getResult(2)))
    return std::nullopt;
  return coefficients;
}

static std::optional<PackedContraction> matchInput(ContractOp op, unsigned input) {
  FormulaOpInterface formula = op;
  auto type = dyn_cast<MemRefType>(op.getInputs()[input].getType());
  AffineMap map = formula.getInputMap(input), otherMap = formula.getInputMap(1 - input);
  if (!type || type.getRank() != 3 || !type.hasStaticShape() || map.getNumSymbols())
    return std::nullopt;
  PackedContraction result;
  result.packed = input;
  result.nr = type.getDimSize(2);
  result.numPanels = type.getDimSize(0);
  auto nCoefficients = recoverPanelCoordinate(map, result.nr);
  auto kCoefficients = getLinearCoefficients(map.getResult(1), map.getNumDims());
  if (!nCoefficients || !kCoefficients)
    return std::nullopt;
  auto sizeN = orderRowMajor(*nCoefficients, op.getIndices(), result.n);
  auto sizeK = orderRowMajor(*kCoefficients, op.getIndices(), result.k);
  if (!sizeN || !sizeK || *sizeK != type.getDimSize(1) ||
      (*sizeN + result.nr - 1) / result.nr != result.numPanels)
    return std::nullopt;
  result.sizeN = *sizeN;
  result.sizeK = *sizeK;

  for (unsigned i = formula.getNumOutputIndices(); i != formula.getNumIndices(); ++i)
    if (formula.getIndexAttr(i).getSize() == 1 && !llvm::is_contained(result.k, i))
      result.k.insert(result.k.begin(), i);

  // Every index must be of one kind, and the other factor must not depend on n.
  unsigned numOutput = formula.getNumOutputIndices();
  for (AffineExpr expr : formula.getOutputIndexingMap().getResults()) {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    if (!llvm::is_contained(result.n, position))
      result.m.push_back(position);
  }
  if (llvm::any_of(result.n, [&](unsigned i) { return i >= numOutput; }) ||
      llvm::any_of(result.k, [&](unsigned i) { return i < numOutput; }) ||
      result.k.size() != formula.getNumIndices() - numOutput)
    return std::nullopt;
  for (AffineExpr expr : otherMap.getResults()) {
    bool usesN = llvm::any_of(result.n, [&](unsigned i) { return expr.isFunctionOfDim(i); });
    bool usesK = llvm::any_of(result.k, [&](unsigned i) { return expr.isFunctionOfDim(i); });
    if (usesN || (usesK && !getLinearCoefficients(expr, otherMap.getNumDims())))
      return std::nullopt;
  }
  return result;
}

std::optional<PackedContraction> PackedContraction::match(ContractOp op) {
  for (unsigned input : {1u, 0u})
    if (auto result = matchInput(op, input))
      return result;
  return std::nullopt;
}

std::optional<int64_t> weft::getPanelWidth(ContractOp op, int64_t width) {
  if (width == 1)
    return std::nullopt;
  std::optional<PackedContraction> shape = PackedContraction::match(op);
  if (!shape || shape->nr % width != 0)
    return std::nullopt;
  return shape->nr;
}
