//===- ArgumentBinder.cpp - Arguments of calls ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ArgumentBinder.h"
#include "Definitions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "ModuleMapping.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

namespace weft::sema {

ArgumentBinder::ArgumentBinder(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

/// The argument of the call for each parameter; null where there is none.
std::optional<ArgumentBinder::Arguments> ArgumentBinder::matchArguments(const Callee &callee,
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
        return reporter.error(keyword.range,
                              "'" + name + "' has no parameter '" + keyword.text + "'" +
                                  suggestion(keyword.text, names),
                              note);
    }
    if (slot >= names.size())
      return reporter.error(argument.value->range,
                            "'" + name + "' takes " + counted(names.size(), "argument") + ", but " +
                                Twine(expr.arguments.size()) + " are given",
                            note);
    if (given[slot])
      return reporter.error(argument.value->range, "'" + names[slot] + "' is given twice");
    given[slot] = &argument;
  }
  for (auto [parameter, argument] : zip(callee.parameters, given))
    if (!argument && !parameter.defaultValue)
      return reporter.error(
          expr.range, "the argument '" + parameter.name.text + "' of '" + name + "' is missing",
          note);
  return given;
}

/// An argument of a module is a whole tensor or known at compile time, or, if the module is mapped
/// over the indices of a formula, a tensor for each of their values; of a fn anything.
Result ArgumentBinder::evaluateArgument(const Callee &callee, const ast::Expr &value,
                                        StringRef name, Env &env, Formula *formula) {
  if (!callee.isModule)
    return shared.evaluator->evaluate(value, env, formula);
  auto *element = dyn_cast<ast::ElementExpr>(&value);
  return formula && element ? shared.mapping->evaluateSlice(*element, env, *formula)
                            : shared.definitions->evaluateWhole(value, env, name);
}

std::optional<BoundArguments> ArgumentBinder::bindArguments(const Callee &callee,
                                                            const ast::CallExpr &expr, Env &env,
                                                            Formula *formula) {
  std::optional<Arguments> given = matchArguments(callee, expr);
  if (!given)
    return std::nullopt;
  Env defaults;
  defaults.file = callee.file;
  BoundArguments bound;
  for (auto [parameter, argument] : zip(callee.parameters, *given)) {
    const ast::Expr &value = argument ? *argument->value : *parameter.defaultValue;
    Result result = argument ? evaluateArgument(callee, value, parameter.name.text, env, formula)
                             : shared.evaluator->evaluate(value, defaults, nullptr);
    if (!result || result->is(Value::Kind::Poison))
      return std::nullopt;
    bound.emplace_back(std::move(*result), value.range);
  }
  return bound;
}

} // namespace weft::sema
