//===- DerivedWeights.h - weights that are computed from weights ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a model computes from its weights alone, `weft-derive-weights` makes weights of their own:
// names that no checkpoint has, and, in a module inside the module, functions of weights that say
// what they are. Whoever packs weights calls these; no stage behind `fused` sees them.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_DERIVEDWEIGHTS_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_DERIVEDWEIGHTS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/OwningOpRef.h"

namespace weft {

/// What the names of derived weights begin with.
constexpr llvm::StringLiteral kDerivedPrefix = "derived:";

/// A weight that `function` computes, and the weights that are its arguments.
struct DerivedWeight {
  std::string name;
  std::vector<std::string> from;
  mlir::func::FuncOp function;
};

/// Whether a formula is a part of one tensor of reals as it is: at constant places of some
/// dimensions, or behind such places.
bool isPart(mlir::Operation *op);
/// If its elements are neighbours in the weight, which of these is the first.
std::optional<int64_t> findFirstOfPart(mlir::Operation *op);
/// The same of a function that computes such a part, and nothing else.
std::optional<int64_t> findFirstOfPart(mlir::func::FuncOp function);

/// The module of their functions; null if nothing is derived.
mlir::ModuleOp findDerivedModule(mlir::ModuleOp module);
/// Takes it out of the module; null if there is none.
mlir::OwningOpRef<mlir::ModuleOp> takeDerivedModule(mlir::ModuleOp module);

/// The weights that its functions say that they compute.
std::vector<DerivedWeight> listDerivedWeights(mlir::ModuleOp derived);

/// Numbers of the weights that the model's text asks for: not of those that are computed from them.
int64_t countParameters(mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_TRANSFORMS_DERIVEDWEIGHTS_H
