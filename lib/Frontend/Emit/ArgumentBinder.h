//===- ArgumentBinder.h - Arguments of calls ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a call gives to the parameters of a fn or a module, by position, by name, or by default.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_ARGUMENTBINDER_H
#define WEFT_LIB_FRONTEND_EMIT_ARGUMENTBINDER_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

/// What is called, as the binding of its arguments sees it.
struct Callee {
  const std::vector<ast::Parameter> &parameters;
  const ast::Identifier &name;
  FileScope *file; ///< where defaults are read
  bool isModule;
};

/// The values of the parameters, and where they stand.
using BoundArguments = llvm::SmallVector<std::pair<Value, SourceRange>, 4>;

class ArgumentBinder {
public:
  explicit ArgumentBinder(Elaboration &shared);

  /// One value for each parameter: from the call or the default.
  std::optional<BoundArguments> bindArguments(const Callee &callee, const ast::CallExpr &expr,
                                              Env &env, Formula *formula);

private:
  using Arguments = llvm::SmallVector<const ast::Argument *>;
  std::optional<Arguments> matchArguments(const Callee &callee, const ast::CallExpr &expr);
  Result evaluateArgument(const Callee &callee, const ast::Expr &value, llvm::StringRef name,
                          Env &env, Formula *formula);

  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_ARGUMENTBINDER_H
