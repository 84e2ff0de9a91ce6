//===- CountWork.h - operations and bytes of a kernel ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_COUNTWORK_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_COUNTWORK_H

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Support/WorkCount.h"

namespace weft {

/// What a kernel does, in its symbols by their places in `symbols`. Elements of inputs and outputs
/// count as often as they are reached by another map or read at computed coordinates, but no buffer
/// more than once. `weights`: which of the arguments are weights.
WorkCount countWork(mlir::func::FuncOp kernel, llvm::ArrayRef<llvm::StringRef> symbols,
                    const llvm::BitVector &weights);

/// Which arguments of the kernels that entries run are weights.
class WeightArguments {
public:
  explicit WeightArguments(mlir::ModuleOp module);
  llvm::BitVector of(mlir::func::FuncOp function) const;

private:
  void visit(mlir::func::FuncOp function, const llvm::BitVector &passed);

  mlir::SymbolTable functions;
  llvm::DenseMap<mlir::Operation *, llvm::BitVector> known;
};

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_COUNTWORK_H
