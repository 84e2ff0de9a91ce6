//===- Outputs.cpp - What leaves a function -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Outputs.h"

#include "Definitions.h"
#include "Elaboration.h"
#include "FormulaEmitter.h"
#include "Names.h"
#include "ScalarBuilder.h"

using namespace llvm;

namespace weft::sema {

Outputs::Outputs(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

bool Outputs::executeReturn(const ast::ReturnStmt &stmt, Env &env) {
  Function &function = *env.function;
  if (function.isEntry) {
    reporter.error(stmt.range, "'return' belongs to a module; a model has 'output'");
    return false;
  }
  for (const ast::ExprPtr &expr : stmt.values) {
    Result value = shared.definitions->evaluateWhole(*expr, env, "result");
    if (!value || value->is(Value::Kind::Poison))
      return false;
    if (stmt.values.size() == 1 && value->is(Value::Kind::Tuple)) {
      for (const Value &item : value->items)
        function.results.push_back(item.tensor);
      continue;
    }
    if (!value->is(Value::Kind::Tensor)) {
      reporter.unusable(*value, expr->range, "a tensor");
      return false;
    }
    function.results.push_back(value->tensor);
  }
  function.returned = true;
  return true;
}

/// Whether an output may stand here.
bool Outputs::canOutput(const ast::OutputStmt &stmt, const Function &function) {
  if (!function.isEntry) {
    reporter.error(stmt.range, "an output belongs to the model; a module has 'return'");
    return false;
  }
  if (shared.severalEntries && !function.inEntryBlock) {
    reporter.error(stmt.range, "this model has entries, so its outputs belong to them");
    return false;
  }
  return true;
}

/// What an output is, under its name; null after an error.
Tensor Outputs::outputTensor(const ast::OutputStmt &stmt, const ast::Identifier &name, Env &env) {
  const ast::Definition &definition = stmt.definition;
  if (!definition.indices.empty())
    return shared.definitions->define(definition, env, stmt.range, /*constant=*/false);
  Result value = definition.value
                     ? shared.definitions->evaluateWhole(*definition.value, env, name.text)
                     : shared.names->lookup({name.text}, name.range, env);
  if (!value || value->is(Value::Kind::Poison))
    return nullptr;
  if (!value->is(Value::Kind::Tensor)) {
    reporter.unusable(*value, definition.value ? definition.value->range : name.range, "a tensor");
    return nullptr;
  }
  return env.canDefine(name, reporter) ? env.bindTensor(value->tensor, name) : nullptr;
}

bool Outputs::executeOutput(const ast::OutputStmt &stmt, Env &env) {
  Function &function = *env.function;
  std::optional<ast::Identifier> name = canOutput(stmt, function)
                                            ? shared.names->declaredName(stmt.definition.name, env)
                                            : std::nullopt;
  if (!name)
    return false;
  for (const Output &known : function.outputs)
    if (known.name.text == name->text) {
      reporter.error(name->range, "the output '" + name->text + "' is already declared",
                     {{known.name.range, "the first declaration is here"}});
      return false;
    }
  Tensor tensor = outputTensor(stmt, *name, env);
  if (!tensor)
    return false;
  ElementType element = stmt.element.value_or(computeType(tensor->kind()));
  if (infoOf(element).kind != tensor->kind()) {
    reporter.error(stmt.elementRange, "the output '" + name->text + "' is " +
                                          ast::spelling(tensor->kind()) +
                                          " and cannot be stored as " + infoOf(element).name);
    return false;
  }
  if (stmt.element && element != tensor->element) {
    tensor = storeAs(element, tensor, *name, function);
    if (!tensor)
      return false;
    tensor = env.bindTensor(tensor, *name);
  }
  function.outputs.push_back({*name, tensor, element});
  return true;
}

bool Outputs::executeGenerate(const ast::GenerateStmt &stmt, Env &env) {
  Function &function = *env.function;
  if (!function.isEntry || (shared.severalEntries && !function.inEntryBlock)) {
    reporter.error(stmt.range, "'generate' belongs to the model or the entry that has the output");
    return false;
  }
  if (function.generate) {
    reporter.error(stmt.range, "'generate' already stands above",
                   {{function.generate->range, "the first one is here"}});
    return false;
  }
  Result dimension = shared.names->lookup({stmt.dimension.text}, stmt.dimension.range, env);
  if (!dimension || dimension->is(Value::Kind::Poison))
    return false;
  bool bounded =
      dimension->is(Value::Kind::Symbol) || (dimension->extent && dimension->extent->fixed);
  if (!bounded) {
    reporter.error(stmt.dimension.range,
                   "'" + stmt.dimension.text +
                       "' is not a run-time dimension; 'generate' needs a bounded one");
    return false;
  }
  function.generate = &stmt;
  return true;
}

Tensor Outputs::storeAs(ElementType element, const Tensor &tensor, const ast::Identifier &name,
                        Function &function) {
  Formula copy;
  copy.whole = true;
  Scalar *root = ScalarBuilder(reporter, copy).wholeElement(tensor, name.range);
  Tensor computed = root ? emitFormula(reporter, function, copy, root, name.text, name.range,
                                       /*constant=*/false)
                         : nullptr;
  if (!computed || computed->element == element)
    return computed;
  auto stored = std::make_shared<TensorValue>(*computed);
  stored->element = element;
  stored->bounds.reset(); // what does not fit is cut
  stored->below.reset();
  stored->value.setType(computed->type().clone(getStorageType(&shared.context, element)));
  return stored;
}

} // namespace weft::sema
