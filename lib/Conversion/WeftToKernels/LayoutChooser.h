//===- LayoutChooser.h - which order of dimensions tensors want -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_LAYOUTCHOOSER_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_LAYOUTCHOOSER_H

#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

namespace weft {

/// Stored dimension j is the declared dimension order[j]. Empty: as declared.
using DimensionOrder = llvm::SmallVector<unsigned>;

/// The orders of all classes, decided in rounds: what a contraction with a weight reads, then what
/// it writes, then what element-wise formulas carry on. An earlier round wins.
llvm::SmallVector<DimensionOrder> chooseLayouts(mlir::ModuleOp module,
                                                const TensorClasses &classes);

/// Stores a tensor in the order; the maps and coordinates of all that make or read it follow.
void permuteValue(mlir::Value value, llvm::ArrayRef<unsigned> order);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_LAYOUTCHOOSER_H
