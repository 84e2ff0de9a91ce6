//===- StorageRules.cpp - Storage rules as functions ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The body of a rule is executed as that of a module is, for one size of the matrix: parameters are
// the arguments of a function. What the matrix's name means at the end is the result.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Frontend/Storage.h"

#include "Elaboration.h"
#include "Evaluator.h"
#include "FunctionTable.h"
#include "Sema/Loader.h"
#include "Statements.h"
#include "mlir/IR/Verifier.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Frontend/Frontend.h"

using namespace llvm;

namespace weft::sema {

namespace {
/// What all that is done with the rules of a file has in common.
class StorageReader {
public:
  StorageReader(mlir::MLIRContext &context, SourceManager &sources, const ast::File &file,
                DiagnosticEngine &diagnostics)
      : loader(sources, diagnostics), reporter(context, sources, diagnostics),
        shared(context, options, diagnostics, reporter), function(&context),
        scope(loader.load(file)) {
    shared.module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
    shared.result.module = shared.module;
  }

  bool isLoaded() const { return scope; }
  std::optional<bool> holds(const ast::StorageDecl &rule, const ConfigValue &config);
  std::optional<StorageFunction> emit(const ast::StorageDecl &rule, const StorageRequest &request);

private:
  Env begin(const ast::StorageDecl &rule);
  bool bindParameters(const ast::StorageDecl &rule, const StorageRequest &request, Env &env);
  Tensor findResult(const ast::StorageDecl &rule, const StorageRequest &request, Env &env);
  void finish(const ast::StorageDecl &rule, const Tensor &result);

  Loader loader;
  Reporter reporter;
  FrontendOptions options;
  Elaboration shared;
  Function function;
  FileScope *scope;
};
} // namespace

Env StorageReader::begin(const ast::StorageDecl &rule) {
  if (!function.op)
    shared.functions->begin(function, "matrix", rule.name.range);
  Env env;
  env.file = scope;
  env.function = &function;
  return env;
}

std::optional<bool> StorageReader::holds(const ast::StorageDecl &rule, const ConfigValue &config) {
  if (!rule.condition)
    return false;
  Env env = begin(rule);
  env.bind("config", Value::makeConfig(config, "config"), rule.name.range);
  return shared.evaluator->evaluateCondition(*rule.condition, env, "the condition of 'storage'");
}

bool StorageReader::bindParameters(const ast::StorageDecl &rule, const StorageRequest &request,
                                   Env &env) {
  for (const ast::Parameter &parameter : rule.parameters) {
    std::optional<Value> value;
    if (parameter.name.text == "config")
      value = Value::makeConfig(*request.config, "config");
    else if (parameter.defaultValue)
      value = shared.evaluator->evaluateCompileTime(*parameter.defaultValue, env, "a default");
    else
      reporter.error(parameter.name.range, "a storage rule is given 'config' only, and '" +
                                               parameter.name.text + "' has no default");
    if (!value)
      return false;
    env.bind(parameter.name.text, *value, parameter.name.range);
  }
  env.bind(rule.rows.text, Value::makeInt(request.rows), rule.rows.range);
  env.bind(rule.columns.text, Value::makeInt(request.columns), rule.columns.range);
  if (rule.anyName)
    env.bind(rule.given.text, Value::makeString(request.tensor), rule.given.range);
  return true;
}

/// What the body returns, or else calls like the matrix.
Tensor StorageReader::findResult(const ast::StorageDecl &rule, const StorageRequest &request,
                                 Env &env) {
  Tensor result;
  auto named = env.names.find(rule.given.text);
  if (function.returned)
    result = function.results.front();
  else if (named != env.names.end() && named->second.value.is(Value::Kind::Tensor))
    result = named->second.value.tensor;
  if (!result || isa<mlir::BlockArgument>(result->value)) {
    reporter.error(rule.name.range, "the storage rule '" + rule.name.text +
                                        "' has no formula for '" + rule.given.text + "'");
    return nullptr;
  }
  if (result->kind() == ElementKind::Real && result->rank() == 2 &&
      result->dims[0].size == request.rows && result->dims[1].size == request.columns)
    return result;
  reporter.error(result->declared, "'" + result->name + "' is " + typeText(*result) +
                                       ", but the matrix is [" + rule.rows.text + " = " +
                                       Twine(request.rows) + ", " + rule.columns.text + " = " +
                                       Twine(request.columns) + "]");
  return nullptr;
}

void StorageReader::finish(const ast::StorageDecl &rule, const Tensor &result) {
  mlir::OpBuilder &builder = function.builder;
  mlir::func::ReturnOp::create(builder, reporter.location(rule.range), result->value);
  mlir::Block &block = function.op.getBody().front();
  function.op.setType(builder.getFunctionType(block.getArgumentTypes(), {result->value.getType()}));
  SmallVector<mlir::DictionaryAttr> names;
  for (const Parameter &parameter : function.parameters)
    names.push_back(nameAttribute(builder, parameter.name));
  function.op.setAllArgAttrs(names);
  function.op.setAllResultAttrs(ArrayRef(nameAttribute(builder, "matrix")));
  attrs::Entry::set(function.op);
  attrs::Model::set(shared.module, "storage");
  attrs::Stage::set(shared.module, "graph");
}

std::optional<StorageFunction> StorageReader::emit(const ast::StorageDecl &rule,
                                                   const StorageRequest &request) {
  Env env = begin(rule);
  if (!bindParameters(rule, request, env) || !shared.statements->executeBlock(rule.body, env))
    return std::nullopt;
  Tensor result = findResult(rule, request, env);
  if (!result)
    return std::nullopt;
  finish(rule, result);
  assert(succeeded(mlir::verify(shared.module)));
  StorageFunction made;
  for (const Parameter &parameter : function.parameters)
    made.parts.push_back(parameter.name);
  made.module = std::move(shared.result.module);
  return made;
}

} // namespace weft::sema

std::optional<std::vector<const weft::ast::StorageDecl *>>
weft::findStorageRules(mlir::MLIRContext &context, SourceManager &sources, const ast::File &file,
                       const ConfigValue &config, DiagnosticEngine &diagnostics) {
  sema::StorageReader reader(context, sources, file, diagnostics);
  if (!reader.isLoaded())
    return std::nullopt;
  std::vector<const ast::StorageDecl *> found;
  for (const ast::StmtPtr &item : file.items) {
    auto *rule = dyn_cast<ast::StorageDecl>(item.get());
    std::optional<bool> holds = rule ? reader.holds(*rule, config) : false;
    if (!holds)
      return std::nullopt;
    if (*holds)
      found.push_back(rule);
  }
  return found;
}

std::optional<weft::StorageFunction>
weft::emitStorage(mlir::MLIRContext &context, SourceManager &sources, const ast::File &file,
                  const ast::StorageDecl &rule, const StorageRequest &request,
                  DiagnosticEngine &diagnostics) {
  context.loadDialect<WeftDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::func::FuncDialect>();
  sema::StorageReader reader(context, sources, file, diagnostics);
  return reader.isLoaded() ? reader.emit(rule, request) : std::nullopt;
}
