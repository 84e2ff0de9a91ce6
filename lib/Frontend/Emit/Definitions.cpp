//===- Definitions.cpp - Statements that define tensors -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"
#include "FormulaEmitter.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace weft::sema {

Tensor Elaborator::emit(Formula &formula, Scalar *root, Function &function, StringRef label,
                        SourceRange range, bool constant) {
  return emitFormula(reporter, function, formula, root, label, range, constant);
}

/// Only tensors may be defined again: a later line sees the new one.
bool Elaborator::canDefine(const ast::Identifier &name, Env &env) {
  auto known = env.names.find(name.text);
  if (known == env.names.end())
    return true;
  const Value &value = known->second.value;
  if (value.is(Value::Kind::Tensor) || value.is(Value::Kind::Poison))
    return true;
  error(name.range, "'" + name.text + "' is " + value.describe() + " and cannot become a tensor",
        declaredHere(name.text, known->second.range));
  return false;
}

bool Elaborator::canDeclare(const ast::Identifier &name, Env &env) {
  auto known = env.names.find(name.text);
  if (known == env.names.end())
    return true;
  error(name.range, "'" + name.text + "' is already declared",
        {{known->second.range, "the first declaration is here"}});
  return false;
}

Result Elaborator::evaluateWhole(const ast::Expr &expr, Env &env, StringRef label) {
  Formula formula;
  formula.whole = true;
  SaveAndRestore indices(env.indices, {}); // they do not exist for whole tensors
  Result value = evaluate(expr, env, &formula);
  if (!value || !value->is(Value::Kind::Scalar))
    return value;
  Tensor tensor = emit(formula, value->scalar, *env.function, label, expr.range);
  return tensor ? Result(Value::makeTensor(tensor)) : std::nullopt;
}

/// Makes `name` mean the tensor.
Tensor Elaborator::bindTensor(const Tensor &tensor, const ast::Identifier &name, Env &env) {
  auto renamed = std::make_shared<TensorValue>(*tensor);
  renamed->name = name.text;
  renamed->declared = name.range;
  bind(env, name.text, Value::makeTensor(renamed), name.range);
  return renamed;
}

/// The right side of `(a, b)[n] = M(x[n])`.
Result Elaborator::evaluateMappedTuple(const ast::AssignStmt &stmt, Env &env) {
  Formula formula;
  SaveAndRestore indices(env.indices, {});
  if (!bindIndices(stmt.indices, formula, env))
    return std::nullopt;
  if (isMappedCall(*stmt.value, env))
    return evaluateMapped(*stmt.value, formula, env);
  return error(stmt.value->range, "only the call of a module that is mapped over the indices, as "
                                  "in '(a, b)[n] = M(x[n])', gives several tensors");
}

bool Elaborator::executeAssign(const ast::AssignStmt &stmt, Env &env) {
  StringRef label = stmt.targets.front().text;
  Result value = stmt.indices.empty() ? evaluateWhole(*stmt.value, env, label)
                                      : evaluateMappedTuple(stmt, env);
  if (!value || value->is(Value::Kind::Poison))
    return false;
  SmallVector<Value> values{*value};
  if (value->is(Value::Kind::Tuple))
    values.assign(value->items.begin(), value->items.end());
  if (values.size() != stmt.targets.size()) {
    error(stmt.value->range, "this gives " + counted(values.size(), "tensor") + ", but " +
                                 counted(stmt.targets.size(), "name") +
                                 (stmt.targets.size() == 1 ? " is" : " are") + " on the left");
    return false;
  }
  for (auto [target, tensor] : zip(stmt.targets, values)) {
    if (!canDefine(target, env))
      return false;
    if (!tensor.is(Value::Kind::Tensor)) {
      error(stmt.value->range, "this is " + tensor.describe() + ", no tensor; write 'let " +
                                   target.text + " = ...' for a compile-time value");
      return false;
    }
    bindTensor(tensor.tensor, target, env);
  }
  return true;
}

/// Makes the indices on the left side of a definition.
bool Elaborator::bindIndices(ArrayRef<ast::Binder> binders, Formula &formula, Env &env) {
  bool good = true;
  for (const ast::Binder &binder : binders) {
    for (Index *known : formula.outputs)
      if (known->name == binder.name.text) {
        error(binder.name.range, "the index '" + binder.name.text + "' stands here twice");
        good = false;
      }
    Index *index = formula.addIndex(binder.name.text, binder.name.range);
    good = good && bindRange(binder, index, env);
    formula.outputs.push_back(index);
  }
  env.indices.assign(formula.outputs.begin(), formula.outputs.end());
  return good;
}

/// `name[n] = M(x[n])`: binds the tensor of all results.
Tensor Elaborator::bindMapped(const Value &value, const ast::Identifier &name, SourceRange range,
                              Env &env) {
  if (!value.is(Value::Kind::Tensor)) {
    error(range, "this gives " + Twine(value.items.size()) +
                     " tensors, but 1 name is on the left; write '(a, b)[...] = ...'");
    return nullptr;
  }
  return bindTensor(value.tensor, name, env);
}

/// `name[i, j] = value`, or `name = value` without indices.
Tensor Elaborator::define(const ast::Definition &definition, Env &env, SourceRange range,
                          bool constant) {
  std::optional<ast::Identifier> name = declaredName(definition.name, env);
  if (!name || !canDefine(*name, env))
    return nullptr;
  Formula formula;
  SaveAndRestore indices(env.indices, {});
  if (!bindIndices(definition.indices, formula, env))
    return nullptr;
  if (isMappedCall(*definition.value, env)) {
    Result value = evaluateMapped(*definition.value, formula, env);
    return value ? bindMapped(*value, *name, definition.value->range, env) : nullptr;
  }
  Result value = evaluate(*definition.value, env, &formula);
  Scalar *root = value ? scalars(&formula).toScalar(*value, definition.value->range) : nullptr;
  if (!root)
    return nullptr;
  for (Index *index : formula.outputs)
    if (!index->extent)
      return rangeUnknown(*index, name->text + "[", definition.indices, formula.outputs, "]", env),
             nullptr;
  Tensor tensor = emit(formula, root, *env.function, name->text, range, constant);
  return tensor ? bindTensor(tensor, *name, env) : nullptr;
}

bool Elaborator::executeBuffer(const ast::BufferStmt &stmt, Env &env) {
  return define(stmt.definition, env, stmt.range, /*constant=*/true) != nullptr;
}

} // namespace weft::sema
