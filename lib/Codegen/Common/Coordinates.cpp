//===- Coordinates.cpp - affine maps and positions on lanes ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Lanes.h"

using namespace mlir;
using namespace weft;

Lanes LaneBuilder::apply(AffineExpr expr, ArrayRef<Lanes> dims, ArrayRef<Lanes> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return constant(value.getValue());
  auto operation = cast<AffineBinaryOpExpr>(expr);
  Lanes lhs = apply(operation.getLHS(), dims, symbols);
  if (auto divisor = dyn_cast<AffineConstantExpr>(operation.getRHS())) {
    if (expr.getKind() == AffineExprKind::FloorDiv)
      return floorDiv(lhs, divisor.getValue());
    if (expr.getKind() == AffineExprKind::CeilDiv)
      return ceilDiv(lhs, divisor.getValue());
    if (expr.getKind() == AffineExprKind::Mod)
      return mod(lhs, divisor.getValue());
  }
  Lanes rhs = apply(operation.getRHS(), dims, symbols);
  return expr.getKind() == AffineExprKind::Add ? add(lhs, rhs) : mul(lhs, rhs);
}

SmallVector<Lanes> LaneBuilder::apply(AffineMap map, ArrayRef<Lanes> dims,
                                      ArrayRef<Lanes> symbols) {
  return llvm::map_to_vector(map.getResults(),
                             [&](AffineExpr expr) { return apply(expr, dims, symbols); });
}

SmallVector<Lanes> LaneBuilder::delinearize(const Lanes &position, ArrayRef<Lanes> extents) {
  SmallVector<Lanes> coordinates(extents.size());
  Lanes rest = position;
  for (size_t i = extents.size(); i-- > 1;) {
    if (std::optional<int64_t> extent = extents[i].getConstant()) {
      coordinates[i] = mod(rest, *extent);
      rest = floorDiv(rest, *extent);
      continue;
    }
    Interval interval{0, std::max<int64_t>(extents[i].interval.max - 1, 0)};
    coordinates[i] = binary(arith::RemUIOp::getOperationName(), rest, extents[i], interval);
    rest = binary(arith::DivUIOp::getOperationName(), rest, extents[i], {0, rest.interval.max});
  }
  if (!extents.empty()) {
    // The position lies in the box, so what is left is the first coordinate.
    if (extents[0].interval.max != INT64_MAX)
      rest.interval.max =
          std::min(rest.interval.max, std::max<int64_t>(extents[0].interval.max - 1, 0));
    coordinates[0] = rest;
  }
  return coordinates;
}
