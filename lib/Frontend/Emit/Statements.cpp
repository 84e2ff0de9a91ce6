//===- Statements.cpp - Statements ----------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Statements.h"

#include "Definitions.h"
#include "Dimensions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "Inputs.h"
#include "Outputs.h"
#include "Parameters.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace weft::sema {

Statements::Statements(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

/// After an error the names that `stmt` would have defined are unknown, not wrong.
static void poison(const ast::Stmt &stmt, Env &env) {
  auto poisonName = [&](const ast::Identifier &name) { env.poison(name.text, name.range); };
  auto poisonPath = [&](const ast::Path &path) {
    if (path.isPlain())
      poisonName({path.str(), path.range});
  };
  if (auto *formula = dyn_cast<ast::FormulaStmt>(&stmt))
    poisonPath(formula->definition.name);
  else if (auto *buffer = dyn_cast<ast::BufferStmt>(&stmt))
    poisonPath(buffer->definition.name);
  else if (auto *output = dyn_cast<ast::OutputStmt>(&stmt))
    poisonPath(output->definition.name);
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

bool Statements::executeBlock(const ast::Block &block, Env &env) {
  bool good = true;
  for (const ast::StmtPtr &stmt : block.statements) {
    if (!shared.limits.goOn())
      return false;
    if (env.function->returned) {
      reporter.error(stmt->range, "this is never reached: the module has returned");
      return false;
    }
    good &= execute(*stmt, env);
  }
  return good;
}

bool Statements::execute(const ast::Stmt &stmt, Env &env) {
  bool good = shared.limits.enter(stmt.range);
  if (good) {
    good = dispatch(stmt, env);
    shared.limits.leave();
  }
  if (!good)
    poison(stmt, env);
  return good;
}

bool Statements::dispatch(const ast::Stmt &stmt, Env &env) {
  return TypeSwitch<const ast::Stmt *, bool>(&stmt)
      .Case([&](const ast::LetStmt *s) { return executeLet(*s, env); })
      .Case([&](const ast::DimStmt *s) { return shared.dimensions->executeDim(*s, env); })
      .Case([&](const ast::InputStmt *s) { return shared.inputs->executeInput(*s, env); })
      .Case([&](const ast::ParamStmt *s) { return shared.parameters->executeParam(*s, env); })
      .Case([&](const ast::BufferStmt *s) {
        return shared.definitions->define(s->definition, env, s->range,
                                          /*constant=*/true) != nullptr;
      })
      .Case([&](const ast::FormulaStmt *s) {
        return shared.definitions->define(s->definition, env, s->range,
                                          /*constant=*/false) != nullptr;
      })
      .Case([&](const ast::AssignStmt *s) { return shared.definitions->executeAssign(*s, env); })
      .Case([&](const ast::OutputStmt *s) { return shared.outputs->executeOutput(*s, env); })
      .Case([&](const ast::GenerateStmt *s) { return shared.outputs->executeGenerate(*s, env); })
      .Case([&](const ast::ForStmt *s) { return executeFor(*s, env); })
      .Case([&](const ast::IfStmt *s) { return executeIf(*s, env); })
      .Case([&](const ast::MatchStmt *s) { return executeMatch(*s, env); })
      .Case([&](const ast::AssertStmt *s) { return executeAssert(*s, env); })
      .Case([&](const ast::ReturnStmt *s) { return shared.outputs->executeReturn(*s, env); })
      .Case([&](const ast::CheckpointStmt *s) { return executeCheckpoint(*s); })
      .Case([&](const ast::ConfigStmt *s) { return executeConfig(*s, env); })
      .Default([&](const ast::Stmt *) -> bool {
        llvm_unreachable("the parser keeps declarations and entries out of blocks");
      });
}

bool Statements::executeLet(const ast::LetStmt &stmt, Env &env) {
  bool good = true;
  for (const ast::LetStmt::Binding &binding : stmt.bindings) {
    Result value = shared.evaluator->evaluate(*binding.value, env, nullptr);
    if (value && !value->isCompileTime() && !value->is(Value::Kind::Symbol) &&
        !value->is(Value::Kind::Fn) && !value->is(Value::Kind::Poison)) {
      reporter.error(binding.value->range, "'let' names a compile-time value, and this is " +
                                               value->describe() + "; write '" + binding.name.text +
                                               " = ...' without 'let'");
      value.reset();
    }
    good &= value.has_value();
    env.bind(binding.name.text, value ? *value : Value(Value::Kind::Poison), binding.name.range);
  }
  return good;
}

/// Executes the body for every value; then the variable means what it meant before.
bool Statements::unroll(const ast::ForStmt &stmt, int64_t from, int64_t to, Env &env) {
  auto outer = env.names.find(stmt.variable.text);
  std::optional<Env::Binding> saved;
  if (outer != env.names.end())
    saved = outer->second;
  bool good = true;
  // What a failed turn would have defined is poisoned inside.
  for (int64_t i = from; i < to && good && !shared.limits.hasStopped(); ++i) {
    env.bind(stmt.variable.text, Value::makeInt(i), stmt.variable.range);
    good = executeBlock(stmt.body, env);
  }
  env.names.erase(stmt.variable.text);
  if (saved)
    env.names[stmt.variable.text] = std::move(*saved);
  return good;
}

bool Statements::executeFor(const ast::ForStmt &stmt, Env &env) {
  std::optional<int64_t> from =
      shared.evaluator->evaluateInteger(*stmt.from, env, "the start of a loop");
  std::optional<int64_t> to = shared.evaluator->evaluateInteger(*stmt.to, env, "the end of a loop");
  if (!from || !to)
    return false;
  // Of layers, heads, whatever is counted: less than none.
  if (*to < 0 && *from >= 0) {
    reporter.error(stmt.to->range, "the loop would count from " + Twine(*from) + " to " +
                                       Twine(*to) + "; its end is below 0");
    return false;
  }
  constexpr int64_t maxIterations = 100000;
  int64_t count = *to > *from ? int64_t(uint64_t(*to) - uint64_t(*from)) : 0;
  if (count < 0 || count > maxIterations ||
      !shared.limits.allowSteps(count * stmt.body.statements.size())) {
    reporter.error(stmt.range, "the loop runs " + Twine(uint64_t(count)) +
                                   " times, more than the compiler is willing to unroll");
    shared.limits.stop();
    return false;
  }
  return unroll(stmt, *from, *to, env);
}

/// Rules are the whole checkpoint's, wherever they stand.
bool Statements::executeCheckpoint(const ast::CheckpointStmt &stmt) {
  auto append = [](auto &list, auto item) {
    if (!is_contained(list, item))
      list.push_back(std::move(item));
  };
  for (const ast::CheckpointStmt::Rule &rule : stmt.rules) {
    const std::string &pattern = rule.pattern.text;
    switch (rule.kind) {
    case ast::CheckpointStmt::RuleKind::Prefix:
      append(shared.result.rules.prefixes, pattern);
      break;
    case ast::CheckpointStmt::RuleKind::Rename:
      append(shared.result.rules.renames, std::make_pair(pattern, rule.replacement.text));
      break;
    case ast::CheckpointStmt::RuleKind::Ignore:
      append(shared.result.rules.ignores, pattern);
      break;
    }
  }
  return true;
}

/// The first value that is not null counts.
bool Statements::executeConfig(const ast::ConfigStmt &stmt, Env &env) {
  Result value =
      shared.evaluator->evaluateCompileTime(*stmt.value, env, "a value of the configuration");
  if (!value)
    return false;
  const ConfigValue *known = &shared.result.config;
  std::string path = stmt.path.str();
  for (StringRef name : split(path, '.'))
    known = known ? known->get(name) : nullptr;
  if (value->is(Value::Kind::Null) || known)
    return true;
  Error error = shared.result.config.setPath(path, toConfigValue(*value));
  if (!error)
    return true;
  reporter.error(stmt.path.range, toString(std::move(error)));
  return false;
}

bool Statements::executeIf(const ast::IfStmt &stmt, Env &env) {
  std::optional<bool> condition =
      shared.evaluator->evaluateCondition(*stmt.condition, env, "the condition of 'if'");
  if (!condition)
    return false;
  if (*condition)
    return executeBlock(stmt.thenBlock, env);
  return !stmt.hasElse || executeBlock(stmt.elseBlock, env);
}

bool Statements::executeMatch(const ast::MatchStmt &stmt, Env &env) {
  SmallVector<const std::vector<ast::ExprPtr> *> arms;
  for (const ast::MatchStmt::Arm &arm : stmt.arms)
    arms.push_back(&arm.patterns);
  std::optional<int> chosen = shared.evaluator->chooseArm(*stmt.subject, arms, env);
  return chosen && executeBlock(stmt.arms[*chosen].body, env);
}

bool Statements::executeAssert(const ast::AssertStmt &stmt, Env &env) {
  std::optional<bool> condition =
      shared.evaluator->evaluateCondition(*stmt.condition, env, "an assertion");
  if (!condition)
    return false;
  if (*condition)
    return true;
  std::string text = "the assertion does not hold";
  if (stmt.message) {
    Result message =
        shared.evaluator->evaluateCompileTime(*stmt.message, env, "the text of an assertion");
    if (!message)
      return false;
    if (!message->is(Value::Kind::String)) {
      reporter.unusable(*message, stmt.message->range, "a string");
      return false;
    }
    text += ": " + message->text;
  }
  reporter.error(stmt.condition->range, text);
  shared.limits.stop(); // what follows rests on it
  return false;
}

} // namespace weft::sema
