//===- Definitions.cpp - Formulas and whole tensors -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Definitions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "FormulaEmitter.h"
#include "IndexRanges.h"
#include "ModuleMapping.h"
#include "Names.h"
#include "ScalarBuilder.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace weft::sema {

Definitions::Definitions(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

Result Definitions::evaluateWhole(const ast::Expr &expr, Env &env, StringRef label) {
  Formula formula;
  formula.whole = true;
  SaveAndRestore indices(env.indices, {}); // they do not exist for whole tensors
  Result value = shared.evaluator->evaluate(expr, env, &formula);
  if (!value || !value->is(Value::Kind::Scalar))
    return value;
  Tensor tensor = emitFormula(reporter, *env.function, formula, value->scalar, label, expr.range,
                              /*constant=*/false);
  return tensor ? Result(Value::makeTensor(tensor)) : std::nullopt;
}

/// The right side of `(a, b)[n] = M(x[n])`.
Result Definitions::evaluateMappedTuple(const ast::AssignStmt &stmt, Env &env) {
  Formula formula;
  SaveAndRestore indices(env.indices, {});
  if (!bindIndices(stmt.indices, formula, env))
    return std::nullopt;
  if (shared.mapping->isMappedCall(*stmt.value, env))
    return shared.mapping->evaluateMapped(*stmt.value, formula, env);
  return reporter.error(stmt.value->range,
                        "only the call of a module that is mapped over the indices, as "
                        "in '(a, b)[n] = M(x[n])', gives several tensors");
}

bool Definitions::executeAssign(const ast::AssignStmt &stmt, Env &env) {
  StringRef label = stmt.targets.front().text;
  Result value = stmt.indices.empty() ? evaluateWhole(*stmt.value, env, label)
                                      : evaluateMappedTuple(stmt, env);
  if (!value || value->is(Value::Kind::Poison))
    return false;
  SmallVector<Value> values{*value};
  if (value->is(Value::Kind::Tuple))
    values.assign(value->items.begin(), value->items.end());
  if (values.size() != stmt.targets.size()) {
    reporter.error(stmt.value->range, "this gives " + counted(values.size(), "tensor") + ", but " +
                                          counted(stmt.targets.size(), "name") +
                                          (stmt.targets.size() == 1 ? " is" : " are") +
                                          " on the left");
    return false;
  }
  for (auto [target, tensor] : zip(stmt.targets, values)) {
    if (!env.canDefine(target, reporter))
      return false;
    if (!tensor.is(Value::Kind::Tensor)) {
      reporter.error(stmt.value->range, "this is " + tensor.describe() +
                                            ", no tensor; write 'let " + target.text +
                                            " = ...' for a compile-time value");
      return false;
    }
    env.bindTensor(tensor.tensor, target);
  }
  return true;
}

/// Makes the indices on the left side of a definition.
bool Definitions::bindIndices(ArrayRef<ast::Binder> binders, Formula &formula, Env &env) {
  bool good = true;
  for (const ast::Binder &binder : binders) {
    for (Index *known : formula.outputs)
      if (known->name == binder.name.text) {
        reporter.error(binder.name.range, "the index '" + binder.name.text + "' stands here twice");
        good = false;
      }
    Index *index = formula.addIndex(binder.name.text, binder.name.range);
    good = good && shared.ranges->bindRange(binder, index, env);
    formula.outputs.push_back(index);
  }
  env.indices.assign(formula.outputs.begin(), formula.outputs.end());
  return good;
}

/// `name[n] = M(x[n])`: binds the tensor of all results.
Tensor Definitions::bindMapped(const Value &value, const ast::Identifier &name, SourceRange range,
                               Env &env) {
  if (!value.is(Value::Kind::Tensor)) {
    reporter.error(range, "this gives " + Twine(value.items.size()) +
                              " tensors, but 1 name is on the left; write '(a, b)[...] = ...'");
    return nullptr;
  }
  return env.bindTensor(value.tensor, name);
}

/// `name[i, j] = value`, or `name = value` without indices.
Tensor Definitions::define(const ast::Definition &definition, Env &env, SourceRange range,
                           bool constant) {
  std::optional<ast::Identifier> name = shared.names->declaredName(definition.name, env);
  if (!name || !env.canDefine(*name, reporter))
    return nullptr;
  Formula formula;
  SaveAndRestore indices(env.indices, {});
  if (!bindIndices(definition.indices, formula, env))
    return nullptr;
  if (shared.mapping->isMappedCall(*definition.value, env)) {
    Result value = shared.mapping->evaluateMapped(*definition.value, formula, env);
    return value ? bindMapped(*value, *name, definition.value->range, env) : nullptr;
  }
  Result value = shared.evaluator->evaluate(*definition.value, env, &formula);
  Scalar *root =
      value ? ScalarBuilder(reporter, formula).toScalar(*value, definition.value->range) : nullptr;
  if (!root)
    return nullptr;
  for (Index *index : formula.outputs)
    if (!index->extent)
      return shared.ranges->rangeUnknown(*index, name->text + "[", definition.indices,
                                         formula.outputs, "]", env),
             nullptr;
  Tensor tensor = emitFormula(reporter, *env.function, formula, root, name->text, range, constant);
  return tensor ? env.bindTensor(tensor, *name) : nullptr;
}

} // namespace weft::sema
