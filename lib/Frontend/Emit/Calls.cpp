//===- Calls.cpp - Calls of functions and modules -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Calls.h"

#include "Builtins.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "Names.h"

using namespace llvm;

namespace weft::sema {

Calls::Calls(Elaboration &shared) : shared(shared), reporter(shared.reporter), modules(shared) {}

Result Calls::callFn(const Value &fn, const ast::CallExpr &expr, Env &env, Formula *formula) {
  auto &decl = cast<ast::FnDecl>(*fn.declaration);
  auto bound = ArgumentBinder(shared).bindArguments(
      {decl.parameters, decl.name, fn.file, /*isModule=*/false}, expr, env, formula);
  if (!bound)
    return std::nullopt;
  if (reporter.isInProgress(decl))
    return reporter.error(expr.range,
                          "'" + decl.name.text + "' calls itself; recursion is not possible");
  Env body;
  body.file = fn.file;
  for (auto [parameter, argument] : zip(decl.parameters, *bound))
    body.bind(parameter.name.text, argument.first, parameter.name.range);
  reporter.enterCall(decl, decl.name.text, expr.range);
  Result result = shared.evaluator->evaluate(*decl.body, body, formula);
  reporter.leaveCall();
  return result;
}

Result Calls::evaluateCall(const ast::CallExpr &expr, Env &env, Formula *formula) {
  auto segments = shared.names->evaluatePath(expr.callee, env);
  if (!segments)
    return std::nullopt;
  if (callsBuiltin(*segments, env))
    return BuiltinCalls(shared).callBuiltin(segments->front(), expr, env, formula);
  Result callee = shared.names->lookupCallee(*segments, expr.callee.range, env);
  if (!callee || callee->is(Value::Kind::Poison))
    return std::nullopt;
  if (callee->is(Value::Kind::Fn))
    return callFn(*callee, expr, env, formula);
  if (callee->is(Value::Kind::Module) && isa<ast::ModuleDecl>(callee->declaration))
    return modules.callModule(*callee, expr, /*scope=*/"", env);
  if (callee->is(Value::Kind::Module))
    return reporter.error(expr.callee.range, "'" + expr.callee.str() +
                                                 "' is a model; only modules and "
                                                 "functions can be called");
  return reporter.error(expr.callee.range, "'" + expr.callee.str() + "' is " + callee->describe() +
                                               "; only modules and functions can be called");
}

Result Calls::evaluateScopedCall(const ast::ScopedCallExpr &expr, Env &env) {
  auto scope = shared.names->evaluatePath(expr.scope, env);
  auto segments = shared.names->evaluatePath(expr.call->callee, env);
  if (!scope || !segments)
    return std::nullopt;
  if (callsBuiltin(*segments, env))
    return reporter.error(expr.call->callee.range,
                          "'" + segments->front() +
                              "' is a function; only a module can have a scope");
  Result callee = shared.names->lookupCallee(*segments, expr.call->callee.range, env);
  if (!callee || callee->is(Value::Kind::Poison))
    return std::nullopt;
  if (!callee->is(Value::Kind::Module) || !isa<ast::ModuleDecl>(callee->declaration))
    return reporter.error(expr.call->callee.range, "'" + expr.call->callee.str() + "' is " +
                                                       callee->describe() +
                                                       "; only a module can have a scope");
  return modules.callModule(*callee, *expr.call, join(*scope, "."), env);
}

} // namespace weft::sema
