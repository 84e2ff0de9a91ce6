//===- Reductions.h - sum, max, softmax and the others --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A reduction is a node of the formula with indices of its own; a softmax runs over one of the
// formula's.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_REDUCTIONS_H
#define WEFT_LIB_FRONTEND_EMIT_REDUCTIONS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Reductions {
public:
  explicit Reductions(Elaboration &shared);

  Result evaluateReduction(const ast::ReductionExpr &expr, Env &env, Formula *formula);

private:
  bool bindReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env, Formula *formula);
  bool bindOwnIndex(const ast::Binder &binder, llvm::StringRef name, Scalar *node, Env &env,
                    Formula *formula);
  bool bindSoftmaxIndex(const ast::Binder &binder, llvm::StringRef name, Scalar *node, Env &env);
  Result readReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env, Formula *formula);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_REDUCTIONS_H
