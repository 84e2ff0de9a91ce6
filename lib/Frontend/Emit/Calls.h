//===- Calls.h - Calls of functions and modules ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A call of a fn evaluates its body in the caller's formula; one of a module is the business of
// ModuleCalls.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_CALLS_H
#define WEFT_LIB_FRONTEND_EMIT_CALLS_H

#include "Env.h"
#include "ModuleCalls.h"

namespace weft::sema {

struct Elaboration;

class Calls {
public:
  explicit Calls(Elaboration &shared);

  Result evaluateCall(const ast::CallExpr &expr, Env &env, Formula *formula);
  Result evaluateScopedCall(const ast::ScopedCallExpr &expr, Env &env);

private:
  Result callFn(const Value &fn, const ast::CallExpr &expr, Env &env, Formula *formula);

  Elaboration &shared;
  Reporter &reporter;
  ModuleCalls modules;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_CALLS_H
