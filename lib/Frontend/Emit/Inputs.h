//===- Inputs.h - Inputs --------------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `input`, and `given(name)`, which asks whether the caller has passed one.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_INPUTS_H
#define WEFT_LIB_FRONTEND_EMIT_INPUTS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Inputs {
public:
  explicit Inputs(Elaboration &shared);

  bool executeInput(const ast::InputStmt &stmt, Env &env);
  bool declareInput(const ast::Identifier &name, llvm::ArrayRef<ast::Binder> indices,
                    const ast::TensorType &type, const ast::Expr *defaultValue, Env &env);
  Result evaluateGiven(const ast::CallExpr &expr, Env &env, Formula *formula);

private:
  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_INPUTS_H
