//===- Results.cpp - What leaves a function -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"

using namespace llvm;

namespace weft::sema {

bool Elaborator::executeReturn(const ast::ReturnStmt &stmt, Env &env) {
  Function &function = *env.function;
  if (function.isEntry) {
    error(stmt.range, "'return' belongs to a module; a model has 'output'");
    return false;
  }
  for (const ast::ExprPtr &expr : stmt.values) {
    Result value = evaluateWhole(*expr, env, "result");
    if (!value || value->is(Value::Kind::Poison))
      return false;
    if (stmt.values.size() == 1 && value->is(Value::Kind::Tuple)) {
      for (const Value &item : value->items)
        function.results.push_back(item.tensor);
      continue;
    }
    if (!value->is(Value::Kind::Tensor)) {
      unusable(*value, expr->range, "a tensor");
      return false;
    }
    function.results.push_back(value->tensor);
  }
  function.returned = true;
  return true;
}

/// Whether an output may stand here.
bool Elaborator::canOutput(const ast::OutputStmt &stmt, const Function &function) {
  if (!function.isEntry) {
    error(stmt.range, "an output belongs to the model; a module has 'return'");
    return false;
  }
  if (severalEntries && !function.inEntryBlock) {
    error(stmt.range, "this model has entries, so its outputs belong to them");
    return false;
  }
  return true;
}

bool Elaborator::executeOutput(const ast::OutputStmt &stmt, Env &env) {
  Function &function = *env.function;
  const ast::Definition &definition = stmt.definition;
  std::optional<ast::Identifier> name =
      canOutput(stmt, function) ? declaredName(definition.name, env) : std::nullopt;
  if (!name)
    return false;
  for (const Output &known : function.outputs)
    if (known.name.text == name->text) {
      error(name->range, "the output '" + name->text + "' is already declared",
            {{known.name.range, "the first declaration is here"}});
      return false;
    }
  Tensor tensor;
  if (!definition.indices.empty()) {
    tensor = define(definition, env, stmt.range, false);
  } else {
    Result value = definition.value ? evaluateWhole(*definition.value, env, name->text)
                                    : lookup({name->text}, name->range, env);
    if (!value || value->is(Value::Kind::Poison))
      return false;
    if (!value->is(Value::Kind::Tensor)) {
      unusable(*value, definition.value ? definition.value->range : name->range, "a tensor");
      return false;
    }
    if (!canDefine(*name, env))
      return false;
    tensor = bindTensor(value->tensor, *name, env);
  }
  if (!tensor)
    return false;
  ElementType element = stmt.element.value_or(computeType(tensor->kind()));
  if (infoOf(element).kind != tensor->kind()) {
    error(stmt.elementRange, "the output '" + name->text + "' is " + ast::spelling(tensor->kind()) +
                                 " and cannot be stored as " + infoOf(element).name);
    return false;
  }
  if (stmt.element && element != tensor->element) {
    tensor = storeAs(element, tensor, *name, function);
    if (!tensor)
      return false;
    tensor = bindTensor(tensor, *name, env);
  }
  function.outputs.push_back({*name, tensor, element});
  return true;
}

bool Elaborator::executeGenerate(const ast::GenerateStmt &stmt, Env &env) {
  Function &function = *env.function;
  if (!function.isEntry || (severalEntries && !function.inEntryBlock)) {
    error(stmt.range, "'generate' belongs to the model or the entry that has the output");
    return false;
  }
  if (function.generate) {
    error(stmt.range, "'generate' already stands above",
          {{function.generate->range, "the first one is here"}});
    return false;
  }
  Result dimension = lookup({stmt.dimension.text}, stmt.dimension.range, env);
  if (!dimension || dimension->is(Value::Kind::Poison))
    return false;
  bool bounded =
      dimension->is(Value::Kind::Symbol) || (dimension->extent && dimension->extent->fixed);
  if (!bounded) {
    error(stmt.dimension.range,
          "'" + stmt.dimension.text +
              "' is not a run-time dimension; 'generate' needs a bounded one");
    return false;
  }
  function.generate = &stmt;
  return true;
}

} // namespace weft::sema
