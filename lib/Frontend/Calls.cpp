//===- Calls.cpp - Calls of functions and the binding of arguments --------===//

#include "Elaborator.h"

using namespace llvm;

namespace weft::sema {

std::optional<Elaborator::Bound> Elaborator::bindArguments(ArrayRef<ast::Parameter> parameters,
                                                           StringRef callee, SourceRange declared,
                                                           const ast::CallExpr &expr, Env &env,
                                                           FileScope *file, bool isModule,
                                                           Formula *formula) {
  std::pair<SourceRange, std::string> note{declared, ("'" + callee + "' is declared here").str()};
  SmallVector<const ast::Argument *> given(parameters.size(), nullptr);
  for (auto [position, argument] : enumerate(expr.arguments)) {
    size_t slot = position;
    if (!argument.keyword.text.empty()) {
      SmallVector<StringRef> names;
      for (const ast::Parameter &parameter : parameters)
        names.push_back(parameter.name.text);
      slot = find(names, argument.keyword.text) - names.begin();
      if (slot == names.size())
        return error(argument.keyword.range,
                     "'" + callee + "' has no parameter '" + argument.keyword.text + "'" +
                         suggestion(argument.keyword.text, names),
                     note);
    }
    if (slot >= parameters.size())
      return error(argument.value->range,
                   "'" + callee + "' takes " + Twine(parameters.size()) +
                       (parameters.size() == 1 ? " argument, but " : " arguments, but ") +
                       Twine(expr.arguments.size()) + " are given",
                   note);
    if (given[slot])
      return error(argument.value->range, "'" + parameters[slot].name.text + "' is given twice");
    given[slot] = &argument;
  }
  Bound bound;
  Env defaults;
  defaults.file = file;
  for (auto [parameter, argument] : zip(parameters, given)) {
    const ast::Expr *value = argument ? argument->value.get() : parameter.defaultValue.get();
    if (!value)
      return error(expr.range,
                   "the argument '" + parameter.name.text + "' of '" + callee + "' is missing",
                   note);
    // An argument of a module is a whole tensor or known at compile time, or, if the module is
    // mapped over the indices of a formula, a tensor for each of their values; of a fn anything.
    auto *element = dyn_cast<ast::ElementExpr>(value);
    Result result = !argument                        ? evaluate(*value, defaults, nullptr)
                    : isModule && formula && element ? evaluateSlice(*element, env, *formula)
                    : isModule ? evaluateWhole(*value, env, parameter.name.text)
                               : evaluate(*value, env, formula);
    if (!result || result->is(Value::Kind::Poison))
      return std::nullopt;
    bound.emplace_back(std::move(*result), value->range);
  }
  return bound;
}

Result Elaborator::callFn(const Value &fn, const ast::CallExpr &expr, Env &env, Formula *formula) {
  auto &decl = cast<ast::FnDecl>(*fn.declaration);
  auto bound = bindArguments(decl.parameters, decl.name.text, decl.name.range, expr, env, fn.file,
                             /*isModule=*/false, formula);
  if (!bound)
    return std::nullopt;
  for (const Frame &frame : frames)
    if (frame.callee == &decl)
      return error(expr.range, "'" + decl.name.text + "' calls itself; recursion is not possible");
  Env body;
  body.file = fn.file;
  for (auto [parameter, argument] : zip(decl.parameters, *bound))
    bind(body, parameter.name.text, argument.first, parameter.name.range);
  frames.push_back({&decl, decl.name.text, expr.range});
  Result result = evaluate(*decl.body, body, formula);
  frames.pop_back();
  return result;
}

static bool namesCallable(const Env &env, StringRef name) {
  auto it = env.names.find(name);
  return it != env.names.end() &&
         (it->second.value.is(Value::Kind::Fn) || it->second.value.is(Value::Kind::Module));
}

/// Like lookup(), but a value that cannot be called does not hide a function of the same name.
Result Elaborator::lookupCallee(ArrayRef<std::string> segments, SourceRange range, Env &env) {
  if (segments.size() == 1 && !namesCallable(env, segments[0]))
    if (std::optional<Value> declared = fileMember(*env.file, segments[0]))
      return *declared;
  return lookup(segments, range, env);
}

Result Elaborator::evaluateCall(const ast::CallExpr &expr, StringRef scope, Env &env,
                                Formula *formula) {
  auto segments = evaluatePath(expr.callee, env);
  if (!segments)
    return std::nullopt;
  const std::string &name = segments->front();
  bool declared = env.file->declarations.count(name) || namesCallable(env, name);
  if (segments->size() == 1 && !declared) {
    if (name == "given")
      return evaluateGiven(expr, env, formula);
    if (isBuiltin(name))
      return callBuiltin(name, expr, env, formula);
  }
  Result callee = lookupCallee(*segments, expr.callee.range, env);
  if (!callee || callee->is(Value::Kind::Poison))
    return std::nullopt;
  if (callee->is(Value::Kind::Fn))
    return callFn(*callee, expr, env, formula);
  if (callee->is(Value::Kind::Module) && isa<ast::ModuleDecl>(callee->declaration))
    return callModule(*callee, expr, scope, env);
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
  const std::string &first = segments->front();
  if (segments->size() == 1 && isBuiltin(first) && !env.file->declarations.count(first))
    return error(expr.call->callee.range,
                 "'" + first + "' is a function; only a module can have a scope");
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
