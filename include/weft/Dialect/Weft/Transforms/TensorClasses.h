//===- TensorClasses.h - one tensor across functions ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A layer is one function that is called many times, so a decision about how a tensor lies in
// memory is a decision for all tensors that reach the same argument or leave by the same result.
// So it is for a part of a state, which one entry makes and another reads, and for a weight, which
// several functions name. Values joined so form a class; passes decide for classes and rewrite all
// members.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_TENSORCLASSES_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_TENSORCLASSES_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

namespace weft {

class TensorClasses {
public:
  explicit TensorClasses(mlir::ModuleOp module);

  /// Classes are numbered from 0 in the order of the module's text.
  unsigned size() const { return members.size(); }
  unsigned classOf(mlir::Value value) const { return classes.lookup(value); }
  llvm::ArrayRef<mlir::Value> getMembers(unsigned id) const { return members[id]; }

  /// Every source of the class is a `weft.weight` op or a constant, and there is one.
  bool isWeight(unsigned id) const { return weight[id]; }
  /// Not of a tensor that was made later.
  bool isWeight(mlir::Value value) const {
    auto known = classes.find(value);
    return known != classes.end() && isWeight(known->second);
  }

private:
  llvm::DenseMap<mlir::Value, unsigned> classes;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> members;
  llvm::SmallVector<bool> weight;
};

/// Gives all of `members` elements of this type.
void setElementType(llvm::ArrayRef<mlir::Value> members, mlir::Type element);

/// A tensor of another type beside each of `members`, which are all of a class of weights, by what
/// it stands beside: weights are cloned and `change`d, functions get arguments, calls operands.
/// Twins that nobody reads are left to who called.
mlir::IRMapping addTwins(
    mlir::ModuleOp module, llvm::ArrayRef<mlir::Value> members, mlir::RankedTensorType type,
    llvm::function_ref<void(WeightOp)> change = [](WeightOp) {});

/// The function type and the types of call results follow from the types of arguments, call
/// operands and returned values: sets the function types of all functions with a body.
void updateFunctionTypes(mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_TRANSFORMS_TENSORCLASSES_H
