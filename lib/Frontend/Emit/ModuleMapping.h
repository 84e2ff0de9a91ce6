//===- ModuleMapping.h - Modules over an index ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `y[n] = M(x[n], w)` calls the module for every n. It is elaborated once, for what it is given at
// one n, and the function is then mapped over the index as a model is over a batch.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_MODULEMAPPING_H
#define WEFT_LIB_FRONTEND_EMIT_MODULEMAPPING_H

#include "Env.h"
#include "weft/Dialect/Weft/Transforms/MapFunctions.h"

#include <map>

namespace weft::sema {

struct Elaboration;

class ModuleMapping {
public:
  explicit ModuleMapping(Elaboration &shared);

  /// A module call with an argument that is read at indices.
  bool isMappedCall(const ast::Expr &expr, Env &env);
  /// The tensors of all results of such a call; the indices are the outputs of `formula`.
  Result evaluateMapped(const ast::Expr &expr, Formula &formula, Env &env);
  /// `x[n]`: what a module that is mapped over n gets of x.
  Result evaluateSlice(const ast::ElementExpr &expr, Env &env, Formula &mapping);
  /// The function of a module for all values of the indices, the first of which comes first in the
  /// results; null after an error.
  mlir::func::FuncOp mapFunction(const Function &callee, llvm::StringRef name,
                                 llvm::ArrayRef<Tensor> arguments, const Formula &mapping);
  /// Whether there are mapped functions. They have names of their own making.
  bool isUsed() const { return !mappers.empty(); }

private:
  bool bindSliceIndex(const ast::Expr &expr, TensorValue &slice, const Extent &dim,
                      const Formula &mapping);
  bool coversDimension(const Index &index, const TensorValue &argument);

  Elaboration &shared;
  Reporter &reporter;
  std::map<const void *, FunctionMapper> mappers; ///< by index
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_MODULEMAPPING_H
