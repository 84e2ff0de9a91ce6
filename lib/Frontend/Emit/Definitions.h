//===- Definitions.h - Formulas and whole tensors -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What makes a tensor and gives it a name: `y[i] = ...`, `y = ...`, `(a, b) = M(x)`, `buffer`.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_DEFINITIONS_H
#define WEFT_LIB_FRONTEND_EMIT_DEFINITIONS_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Definitions {
public:
  explicit Definitions(Elaboration &shared);

  /// `name[i, j] = value`, or `name = value` without indices; null after an error. A constant one
  /// rests on compile-time data only.
  Tensor define(const ast::Definition &definition, Env &env, SourceRange range, bool constant);
  bool executeAssign(const ast::AssignStmt &stmt, Env &env);
  /// The tensor of a whole-tensor expression, or the tensors of a module call with several results.
  Result evaluateWhole(const ast::Expr &expr, Env &env, llvm::StringRef label);

private:
  bool bindIndices(llvm::ArrayRef<ast::Binder> binders, Formula &formula, Env &env);
  Tensor bindMapped(const Value &value, const ast::Identifier &name, SourceRange range, Env &env);
  Result evaluateMappedTuple(const ast::AssignStmt &stmt, Env &env);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_DEFINITIONS_H
