//===- Panels.h - how a packed weight is addressed ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A packed weight is `[ceil(N/nr)][K][nr]`. The pass that packs and whoever recognises a packed
// factor build the same affine expressions here, so that they can be compared.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_WEFTTOKERNELS_PANELS_H
#define WEFT_CONVERSION_WEFTTOKERNELS_PANELS_H

#include "mlir/IR/AffineMap.h"

namespace weft {

/// The row-major position of `coordinates` in the shape `sizes`; 0 of no coordinates.
mlir::AffineExpr linearize(llvm::ArrayRef<mlir::AffineExpr> coordinates,
                           llvm::ArrayRef<int64_t> sizes, mlir::MLIRContext *context);

/// `(n floordiv nr, k, n mod nr)`: where element (k, n) of a packed weight lies.
llvm::SmallVector<mlir::AffineExpr, 3> panelCoordinates(mlir::AffineExpr k, mlir::AffineExpr n,
                                                        int64_t nr);

} // namespace weft

#endif // WEFT_CONVERSION_WEFTTOKERNELS_PANELS_H
