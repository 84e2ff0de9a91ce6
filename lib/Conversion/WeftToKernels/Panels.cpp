//===- Panels.cpp - how a packed weight is addressed ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Conversion/WeftToKernels/Panels.h"

using namespace mlir;

AffineExpr weft::linearize(ArrayRef<AffineExpr> coordinates, ArrayRef<int64_t> sizes,
                           MLIRContext *context) {
  AffineExpr position = getAffineConstantExpr(0, context);
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, sizes))
    position = position * size + coordinate;
  return position;
}

SmallVector<AffineExpr, 3> weft::panelCoordinates(AffineExpr k, AffineExpr n, int64_t nr) {
  return {n.floorDiv(nr), k, n % nr};
}
