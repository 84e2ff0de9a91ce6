//===- KernelCounts.h - how much a kernel computes ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_KERNELCOUNTS_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_KERNELCOUNTS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Told of so many operations for each value of the indices at these positions.
using AddCount = llvm::function_ref<void(double operations, mlir::ArrayAttr indices,
                                         llvm::ArrayRef<unsigned> positions)>;

/// Operations on reals of an anchor. Contractions and attentions count their products and sums
/// only. The other formulas count each operation on reals of an element; a reduction, also one of a
/// row, one more to put the element to the others, a softmax five: largest, difference,
/// exponential, sum, quotient. All without regard to masks, but each element of running reductions
/// (`findRunning`) counts once.
void countFlops(mlir::Operation *anchor, AddCount add);

/// Its exponentials and other functions, those too that countFlops leaves out.
void countFunctions(mlir::Operation *anchor, AddCount add);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_KERNELCOUNTS_H
