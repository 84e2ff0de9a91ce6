//===- Calls.cpp - Arguments, and calls of functions ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Builtins.h"
#include "Elaborator.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

namespace weft::sema {

std::optional<Elaborator::Arguments> Elaborator::matchArguments(const Callee &callee,
                                                                const ast::CallExpr &expr) {
  const std::string &name = callee.name.text;
  auto note = declaredHere(name, callee.name.range);
  SmallVector<StringRef> names;
  for (const ast::Parameter &parameter : callee.parameters)
    names.push_back(parameter.name.text);
  Arguments given(names.size(), nullptr);
  for (auto [position, argument] : enumerate(expr.arguments)) {
    const ast::Identifier &keyword = argument.keyword;
    size_t slot = position;
    if (!keyword.text.empty()) {
      slot = find(names, keyword.text) - names.begin();
      if (slot == names.size())
        return error(keyword.range,
                     "'" + name + "' has no parameter '" + keyword.text + "'" +
                         suggestion(keyword.text, names),
                     note);
    }
    if (slot >= names.size())
      return error(argument.value->range,
                   "'" + name + "' takes " + counted(names.size(), "argument") + ", but " +
                       Twine(expr.arguments.size()) + " are given",
                   note);
    if (given[slot])
      return error(argument.value->range, "'" + names[slot] + "' is given twice");
    given[slot] = &argument;
  }
  for (auto [parameter, argument] : zip(callee.parameters, given))
    if (!argument && !parameter.defaultValue)
      return error(expr.range,
                   "the argument '" + parameter.name.text + "' of '" + name + "' is missing", note);
  return given;
}

std::optional<Elaborator::Bound> Elaborator::bindArguments(const Callee &callee,
                                                           const ast::CallExpr &expr, Env &env,
                                                           Formula *formula) {
  std::optional<Arguments> given = matchArguments(callee, expr);
  if (!given)
    return std::nullopt;
  Env defaults;
  defaults.file = callee.file;
  // An argument of a module is a whole tensor or known at compile time, or, if the module is mapped
  // over the indices of a formula, a tensor for each of their values; of a fn anything.
  auto evaluateArgument = [&](const ast::Expr &value, StringRef name) {
    auto *element = dyn_cast<ast::ElementExpr>(&value);
    return !callee.isModule     ? evaluate(value, env, formula)
           : formula && element ? evaluateSlice(*element, env, *formula)
                                : evaluateWhole(value, env, name);
  };
  Bound bound;
  for (auto [parameter, argument] : zip(callee.parameters, *given)) {
    const ast::Expr &value = argument ? *argument->value : *parameter.defaultValue;
    Result result = argument ? evaluateArgument(value, parameter.name.text)
                             : evaluate(value, defaults, nullptr);
    if (!result || result->is(Value::Kind::Poison))
      return std::nullopt;
    bound.emplace_back(std::move(*result), value.range);
  }
  return bound;
}

Result Elaborator::callFn(const Value &fn, const ast::CallExpr &expr, Env &env, Formula *formula) {
  auto &decl = cast<ast::FnDecl>(*fn.declaration);
  auto bound =
      bindArguments({decl.parameters, decl.name, fn.file, /*isModule=*/false}, expr, env, formula);
  if (!bound)
    return std::nullopt;
  if (reporter.isInProgress(decl))
    return error(expr.range, "'" + decl.name.text + "' calls itself; recursion is not possible");
  Env body;
  body.file = fn.file;
  for (auto [parameter, argument] : zip(decl.parameters, *bound))
    bind(body, parameter.name.text, argument.first, parameter.name.range);
  reporter.enterCall(decl, decl.name.text, expr.range);
  Result result = evaluate(*decl.body, body, formula);
  reporter.leaveCall();
  return result;
}

static bool namesCallable(const Env &env, StringRef name) {
  auto it = env.names.find(name);
  return it != env.names.end() &&
         (it->second.value.is(Value::Kind::Fn) || it->second.value.is(Value::Kind::Module));
}

bool Elaborator::callsBuiltin(ArrayRef<std::string> segments, const Env &env) const {
  const std::string &name = segments.front();
  return segments.size() == 1 && isBuiltin(name) && !env.file->declarations.count(name) &&
         !namesCallable(env, name);
}

/// Like lookup(), but a value that cannot be called does not hide a function of the same name.
Result Elaborator::lookupCallee(ArrayRef<std::string> segments, SourceRange range, Env &env) {
  if (segments.size() == 1 && !namesCallable(env, segments[0]))
    if (Result declared = fileMember(*env.file, segments[0]))
      return declared;
  return lookup(segments, range, env);
}

Result Elaborator::evaluateCall(const ast::CallExpr &expr, Env &env, Formula *formula) {
  auto segments = evaluatePath(expr.callee, env);
  if (!segments)
    return std::nullopt;
  if (callsBuiltin(*segments, env))
    return callBuiltin(segments->front(), expr, env, formula);
  Result callee = lookupCallee(*segments, expr.callee.range, env);
  if (!callee || callee->is(Value::Kind::Poison))
    return std::nullopt;
  if (callee->is(Value::Kind::Fn))
    return callFn(*callee, expr, env, formula);
  if (callee->is(Value::Kind::Module) && isa<ast::ModuleDecl>(callee->declaration))
    return callModule(*callee, expr, /*scope=*/"", env);
  if (callee->is(Value::Kind::Module))
    return error(expr.callee.range, "'" + expr.callee.str() +
                                        "' is a model; only modules and "
                                        "functions can be called");
  return error(expr.callee.range, "'" + expr.callee.str() + "' is " + callee->describe() +
                                      "; only modules and functions can be called");
}

Result Elaborator::evaluateScopedCall(const ast::ScopedCallExpr &expr, Env &env) {
  auto scope = evaluatePath(expr.scope, env);
  auto segments = evaluatePath(expr.call->callee, env);
  if (!scope || !segments)
    return std::nullopt;
  if (callsBuiltin(*segments, env))
    return error(expr.call->callee.range,
                 "'" + segments->front() + "' is a function; only a module can have a scope");
  Result callee = lookupCallee(*segments, expr.call->callee.range, env);
  if (!callee || callee->is(Value::Kind::Poison))
    return std::nullopt;
  if (!callee->is(Value::Kind::Module) || !isa<ast::ModuleDecl>(callee->declaration))
    return error(expr.call->callee.range, "'" + expr.call->callee.str() + "' is " +
                                              callee->describe() +
                                              "; only a module can have a scope");
  return callModule(*callee, *expr.call, join(*scope, "."), env);
}

} // namespace weft::sema
