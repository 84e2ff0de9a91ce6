//===- Statements.cpp - The statements of a body --------------------------===//

#include "Elaborator.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace weft::sema {

void Elaborator::bind(Env &env, StringRef name, Value value, SourceRange range) {
  env.names[name] = Env::Binding{std::move(value), range};
}

/// After an error the names that `stmt` would have defined are unknown, not wrong.
void Elaborator::poison(const ast::Stmt &stmt, Env &env) {
  auto poisonName = [&](const ast::Identifier &name) {
    bind(env, name.text, Value(Value::Kind::Poison), name.range);
  };
  if (auto *formula = dyn_cast<ast::FormulaStmt>(&stmt))
    poisonName(formula->definition.name);
  else if (auto *buffer = dyn_cast<ast::BufferStmt>(&stmt))
    poisonName(buffer->definition.name);
  else if (auto *output = dyn_cast<ast::OutputStmt>(&stmt))
    poisonName(output->definition.name);
  else if (auto *assign = dyn_cast<ast::AssignStmt>(&stmt))
    for (const ast::Identifier &target : assign->targets)
      poisonName(target);
  else if (auto *let = dyn_cast<ast::LetStmt>(&stmt)) {
    for (const ast::LetStmt::Binding &binding : let->bindings)
      if (!env.names.count(binding.name.text))
        poisonName(binding.name);
  } else if (auto *choice = dyn_cast<ast::IfStmt>(&stmt)) {
    for (const ast::StmtPtr &inner : choice->thenBlock.statements)
      poison(*inner, env);
    for (const ast::StmtPtr &inner : choice->elseBlock.statements)
      poison(*inner, env);
  } else if (auto *match = dyn_cast<ast::MatchStmt>(&stmt)) {
    for (const ast::MatchStmt::Arm &arm : match->arms)
      for (const ast::StmtPtr &inner : arm.body.statements)
        poison(*inner, env);
  }
}

bool Elaborator::executeBlock(const ast::Block &block, Env &env) {
  bool good = true;
  for (const ast::StmtPtr &stmt : block.statements) {
    if (stopped || diagnostics.tooManyErrors())
      return false;
    if (env.function->returned) {
      error(stmt->range, "this is never reached: the module has returned");
      return false;
    }
    if (execute(*stmt, env))
      continue;
    good = false;
    poison(*stmt, env);
  }
  return good;
}

bool Elaborator::execute(const ast::Stmt &stmt, Env &env) {
  constexpr uint64_t maxDepth = 1200;
  if (depth >= maxDepth) {
    error(stmt.range, "statements are nested too deeply");
    stopped = true;
    return false;
  }
  ++steps;
  ++depth;
  bool good = TypeSwitch<const ast::Stmt *, bool>(&stmt)
                  .Case([&](const ast::LetStmt *s) { return executeLet(*s, env); })
                  .Case([&](const ast::DimStmt *s) { return executeDim(*s, env); })
                  .Case([&](const ast::InputStmt *s) { return executeInput(*s, env); })
                  .Case([&](const ast::ParamStmt *s) { return executeParam(*s, env); })
                  .Case([&](const ast::BufferStmt *s) { return executeBuffer(*s, env); })
                  .Case([&](const ast::FormulaStmt *s) {
                    return define(s->definition, env, s->range, false) != nullptr;
                  })
                  .Case([&](const ast::AssignStmt *s) { return executeAssign(*s, env); })
                  .Case([&](const ast::OutputStmt *s) { return executeOutput(*s, env); })
                  .Case([&](const ast::GenerateStmt *s) { return executeGenerate(*s, env); })
                  .Case([&](const ast::ForStmt *s) { return executeFor(*s, env); })
                  .Case([&](const ast::IfStmt *s) { return executeIf(*s, env); })
                  .Case([&](const ast::MatchStmt *s) { return executeMatch(*s, env); })
                  .Case([&](const ast::AssertStmt *s) { return executeAssert(*s, env); })
                  .Case([&](const ast::ReturnStmt *s) { return executeReturn(*s, env); })
                  .Case([&](const ast::CheckpointStmt *s) { return executeCheckpoint(*s); })
                  .Case([&](const ast::EntryStmt *s) {
                    error(s->name.range, "an entry must stand directly in a model");
                    return false;
                  })
                  .Default([&](const ast::Stmt *s) {
                    error(s->range, "this declaration must stand at the top of a file");
                    return false;
                  });
  --depth;
  return good;
}

//===----------------------------------------------------------------------===//
// Compile time
//===----------------------------------------------------------------------===//

bool Elaborator::executeLet(const ast::LetStmt &stmt, Env &env) {
  bool good = true;
  for (const ast::LetStmt::Binding &binding : stmt.bindings) {
    Result value = evaluate(*binding.value, env, nullptr);
    if (value && !value->isCompileTime() && !value->is(Value::Kind::Symbol) &&
        !value->is(Value::Kind::Fn) && !value->is(Value::Kind::Poison)) {
      error(binding.value->range, "'let' names a compile-time value, and this is " +
                                      value->describe() + "; write '" + binding.name.text +
                                      " = ...' without 'let'");
      value.reset();
    }
    good &= value.has_value();
    bind(env, binding.name.text, value ? *value : Value(Value::Kind::Poison), binding.name.range);
  }
  return good;
}

bool Elaborator::executeFor(const ast::ForStmt &stmt, Env &env) {
  std::optional<int64_t> from = evaluateInteger(*stmt.from, env, "the start of a loop");
  std::optional<int64_t> to = evaluateInteger(*stmt.to, env, "the end of a loop");
  if (!from || !to)
    return false;
  constexpr int64_t maxIterations = 100000;
  constexpr uint64_t maxSteps = 2000000;
  int64_t count = *to > *from ? int64_t(uint64_t(*to) - uint64_t(*from)) : 0;
  if (count < 0 || count > maxIterations ||
      steps + count * stmt.body.statements.size() > maxSteps) {
    error(stmt.range, "the loop runs " + Twine(uint64_t(count)) +
                          " times, more than the compiler is willing to unroll");
    stopped = true;
    return false;
  }
  auto outer = env.names.find(stmt.variable.text);
  std::optional<Env::Binding> saved;
  if (outer != env.names.end())
    saved = outer->second;
  bool good = true;
  for (int64_t i = *from; i < *to && good && !stopped; ++i) {
    bind(env, stmt.variable.text, Value::makeInt(i), stmt.variable.range);
    good = executeBlock(stmt.body, env);
  }
  env.names.erase(stmt.variable.text);
  if (saved)
    env.names[stmt.variable.text] = std::move(*saved);
  if (!good) // what the body defines has been poisoned inside
    return false;
  return true;
}

/// Rules are the whole checkpoint's, wherever they stand.
bool Elaborator::executeCheckpoint(const ast::CheckpointStmt &stmt) {
  auto append = [](auto &list, auto item) {
    if (!is_contained(list, item))
      list.push_back(std::move(item));
  };
  for (const ast::CheckpointStmt::Rule &rule : stmt.rules) {
    const std::string &pattern = rule.pattern.text;
    switch (rule.kind) {
    case ast::CheckpointStmt::RuleKind::Prefix:
      append(result.rules.prefixes, pattern);
      break;
    case ast::CheckpointStmt::RuleKind::Rename:
      append(result.rules.renames, std::make_pair(pattern, rule.replacement.text));
      break;
    case ast::CheckpointStmt::RuleKind::Ignore:
      append(result.rules.ignores, pattern);
      break;
    }
  }
  return true;
}

bool Elaborator::executeIf(const ast::IfStmt &stmt, Env &env) {
  std::optional<bool> condition = evaluateCondition(*stmt.condition, env, "the condition of 'if'");
  if (!condition)
    return false;
  if (*condition)
    return executeBlock(stmt.thenBlock, env);
  return !stmt.hasElse || executeBlock(stmt.elseBlock, env);
}

bool Elaborator::executeMatch(const ast::MatchStmt &stmt, Env &env) {
  SmallVector<const std::vector<ast::ExprPtr> *> arms;
  for (const ast::MatchStmt::Arm &arm : stmt.arms)
    arms.push_back(&arm.patterns);
  std::optional<int> chosen = chooseArm(*stmt.subject, arms, env);
  return chosen && executeBlock(stmt.arms[*chosen].body, env);
}

bool Elaborator::executeAssert(const ast::AssertStmt &stmt, Env &env) {
  std::optional<bool> condition = evaluateCondition(*stmt.condition, env, "an assertion");
  if (!condition)
    return false;
  if (*condition)
    return true;
  std::string text = "the assertion does not hold";
  if (stmt.message) {
    Result message = evaluateCompileTime(*stmt.message, env, "the text of an assertion");
    if (!message)
      return false;
    if (!message->is(Value::Kind::String)) {
      unusable(*message, stmt.message->range, "a string");
      return false;
    }
    text += ": " + message->text;
  }
  error(stmt.condition->range, text);
  stopped = true; // what follows rests on it
  return false;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

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

bool Elaborator::executeAssign(const ast::AssignStmt &stmt, Env &env) {
  StringRef label = stmt.targets.front().text;
  Result value = evaluateWhole(*stmt.value, env, label);
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

/// `name[i, j] = value`, or `name = value` without indices.
Tensor Elaborator::define(const ast::Definition &definition, Env &env, SourceRange range,
                          bool constant) {
  if (!canDefine(definition.name, env))
    return nullptr;
  Formula formula;
  SmallVector<Index *> outer = std::move(env.indices);
  env.indices.clear();
  bool good = true;
  for (const ast::Binder &binder : definition.indices) {
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
  Result value = good ? evaluate(*definition.value, env, &formula) : std::nullopt;
  Scalar *root = value ? toScalar(*value, definition.value->range, &formula) : nullptr;
  env.indices = std::move(outer);
  if (!root)
    return nullptr;
  for (Index *index : formula.outputs)
    if (!index->extent)
      return error(index->range, "the range of index '" + index->name +
                                     "' does not follow from its use; write '" +
                                     definition.name.text + "[" + index->name + ": N]'"),
             nullptr;
  Tensor tensor =
      emitFormula(*this, *env.function, formula, root, definition.name.text, range, constant);
  if (!tensor)
    return nullptr;
  tensor = renamed(tensor, definition.name);
  bind(env, definition.name.text, Value::makeTensor(tensor), definition.name.range);
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
  for (auto &[name, tensor] : function.outputs)
    if (name.text == definition.name.text) {
      error(definition.name.range, "the output '" + name.text + "' is already declared",
            {{name.range, "the first declaration is here"}});
      return false;
    }
  Tensor tensor;
  if (!definition.indices.empty()) {
    tensor = define(definition, env, stmt.range, false);
  } else {
    Result value = definition.value ? evaluateWhole(*definition.value, env, definition.name.text)
                                    : lookup({definition.name.text}, definition.name.range, env);
    if (!value || value->is(Value::Kind::Poison))
      return false;
    if (!value->is(Value::Kind::Tensor)) {
      unusable(*value, definition.value ? definition.value->range : definition.name.range,
               "a tensor");
      return false;
    }
    tensor = renamed(value->tensor, definition.name);
    if (!canDefine(definition.name, env))
      return false;
    bind(env, definition.name.text, Value::makeTensor(tensor), definition.name.range);
  }
  if (!tensor)
    return false;
  function.outputs.emplace_back(definition.name, tensor);
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
