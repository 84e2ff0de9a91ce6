//===- Definitions.cpp - Statements that define tensors --------------------===//

#include "Elaborator.h"

using namespace llvm;

namespace weft::sema {

/// Only tensors may be defined again: a later line sees the new one.
bool Elaborator::canDefine(const ast::Identifier &name, Env &env) {
  auto known = env.names.find(name.text);
  if (known == env.names.end())
    return true;
  const Value &value = known->second.value;
  if (value.is(Value::Kind::Tensor) || value.is(Value::Kind::Poison))
    return true;
  error(name.range, "'" + name.text + "' is " + value.describe() + " and cannot become a tensor",
        {{known->second.range, "'" + name.text + "' is declared here"}});
  return false;
}

Result Elaborator::evaluateWhole(const ast::Expr &expr, Env &env, StringRef label) {
  Formula formula;
  formula.whole = true;
  SmallVector<Index *> outer = std::move(env.indices); // they do not exist for whole tensors
  env.indices.clear();
  Result value = evaluate(expr, env, &formula);
  env.indices = std::move(outer);
  if (!value || !value->is(Value::Kind::Scalar))
    return value;
  Tensor tensor =
      emitFormula(*this, *env.function, formula, value->scalar, label, expr.range, false);
  if (!tensor)
    return std::nullopt;
  return Value::makeTensor(tensor);
}

static Tensor renamed(const Tensor &tensor, const ast::Identifier &name) {
  auto copy = std::make_shared<TensorValue>(*tensor);
  copy->name = name.text;
  copy->declared = name.range;
  return copy;
}

/// The right side of `(a, b)[n] = M(x[n])`.
Result Elaborator::evaluateMappedTuple(const ast::AssignStmt &stmt, Env &env) {
  Formula formula;
  SmallVector<Index *> outer = std::move(env.indices);
  bool good = bindIndices(stmt.indices, formula, env);
  Result value;
  if (good && isMappedCall(*stmt.value, env))
    value = evaluateMapped(*stmt.value, formula, env);
  else if (good)
    error(stmt.value->range, "only the call of a module that is mapped over the indices, as in "
                             "'(a, b)[n] = M(x[n])', gives several tensors");
  env.indices = std::move(outer);
  return value;
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
    error(stmt.value->range,
          "this gives " + Twine(values.size()) + (values.size() == 1 ? " tensor" : " tensors") +
              ", but " + Twine(stmt.targets.size()) +
              (stmt.targets.size() == 1 ? " name is" : " names are") + " on the left");
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
    bind(env, target.text, Value::makeTensor(renamed(tensor.tensor, target)), target.range);
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
  Tensor tensor = renamed(value.tensor, name);
  bind(env, name.text, Value::makeTensor(tensor), name.range);
  return tensor;
}

/// `name[i, j] = value`, or `name = value` without indices.
Tensor Elaborator::define(const ast::Definition &definition, Env &env, SourceRange range,
                          bool constant) {
  std::optional<ast::Identifier> name = declaredName(definition.name, env);
  if (!name || !canDefine(*name, env))
    return nullptr;
  Formula formula;
  SmallVector<Index *> outer = std::move(env.indices);
  env.indices.clear();
  bool good = bindIndices(definition.indices, formula, env);
  if (good && isMappedCall(*definition.value, env)) {
    Result value = evaluateMapped(*definition.value, formula, env);
    env.indices = std::move(outer);
    return value ? bindMapped(*value, *name, definition.value->range, env) : nullptr;
  }
  Result value = good ? evaluate(*definition.value, env, &formula) : std::nullopt;
  Scalar *root = value ? toScalar(*value, definition.value->range, &formula) : nullptr;
  env.indices = std::move(outer);
  if (!root)
    return nullptr;
  for (Index *index : formula.outputs)
    if (!index->extent)
      return error(index->range, "the range of index '" + index->name +
                                     "' does not follow from its use; write '" + name->text + "[" +
                                     index->name + ": N]'"),
             nullptr;
  Tensor tensor = emitFormula(*this, *env.function, formula, root, name->text, range, constant);
  if (!tensor)
    return nullptr;
  tensor = renamed(tensor, *name);
  bind(env, name->text, Value::makeTensor(tensor), name->range);
  return tensor;
}

bool Elaborator::executeBuffer(const ast::BufferStmt &stmt, Env &env) {
  return define(stmt.definition, env, stmt.range, /*constant=*/true) != nullptr;
}

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

bool Elaborator::executeOutput(const ast::OutputStmt &stmt, Env &env) {
  Function &function = *env.function;
  const ast::Definition &definition = stmt.definition;
  if (!function.isEntry) {
    error(stmt.range, "an output belongs to the model; a module has 'return'");
    return false;
  }
  if (severalEntries && !function.inEntryBlock) {
    error(stmt.range, "this model has entries, so its outputs belong to them");
    return false;
  }
  std::optional<ast::Identifier> name = declaredName(definition.name, env);
  if (!name)
    return false;
  for (auto &[known, tensor] : function.outputs)
    if (known.text == name->text) {
      error(name->range, "the output '" + name->text + "' is already declared",
            {{known.range, "the first declaration is here"}});
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
    tensor = renamed(value->tensor, *name);
    if (!canDefine(*name, env))
      return false;
    bind(env, name->text, Value::makeTensor(tensor), name->range);
  }
  if (!tensor)
    return false;
  function.outputs.emplace_back(*name, tensor);
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
