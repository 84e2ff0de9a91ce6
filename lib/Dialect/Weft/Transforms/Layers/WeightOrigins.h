//===- WeightOrigins.h - what depends on weights only ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of every tensor of a module, from callers to callees: an argument is what all calls pass. A call
// for weights only is inlined, as what it computes belongs to what its caller computes of weights.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_WEIGHTORIGINS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_WEIGHTORIGINS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/StringMap.h"

namespace weft {

/// What a tensor depends on; of several the greatest counts.
enum class Origin { Constants, Weights, Inputs };

class WeightOrigins {
public:
  explicit WeightOrigins(mlir::ModuleOp module);

  Origin of(mlir::Value tensor) const;
  /// Of a formula or a check.
  Origin of(IndexedOpInterface op) const;
  /// `copy` computes what `op` computes.
  void copy(mlir::Operation *op, mlir::Operation *copy);
  /// Before what defines it is erased.
  void forget(mlir::Value tensor) { origins.erase(tensor); }

  /// The functions that are left, each before those that it calls.
  llvm::ArrayRef<mlir::func::FuncOp> getCallersFirst() const { return callersFirst; }
  llvm::ArrayRef<mlir::func::CallOp> getCallsOf(mlir::func::FuncOp function) const;

private:
  void sortFunctions(mlir::ModuleOp module);
  void visit(mlir::func::FuncOp function);
  bool isForWeights(mlir::func::CallOp call);
  void inlineHere(mlir::func::CallOp call);
  bool eraseUncalled(mlir::func::FuncOp function);

  llvm::SmallVector<mlir::func::FuncOp> callersFirst;
  llvm::StringMap<mlir::func::FuncOp> functions;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::func::CallOp>> callsOf;
  llvm::DenseMap<mlir::Value, Origin> origins; ///< of what does not depend on inputs
};

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_LAYERS_WEIGHTORIGINS_H
