//===- ModuleInstances.cpp - The functions of modules ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ModuleInstances.h"

#include "Elaboration.h"
#include "FunctionTable.h"
#include "ModuleArguments.h"
#include "Statements.h"

using namespace llvm;

namespace weft::sema {

ModuleInstances::ModuleInstances(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

/// Returns the results; names the arguments.
void ModuleInstances::finishModule(const ast::ModuleDecl &decl, const BoundArguments &arguments,
                                   Function &function) {
  mlir::OpBuilder &builder = function.builder;
  SmallVector<mlir::Value> values;
  for (const Tensor &tensor : function.results)
    values.push_back(tensor->value);
  mlir::func::ReturnOp::create(builder, reporter.location(decl.range), values);
  mlir::Block &block = function.op.getBody().front();
  function.op.setType(
      builder.getFunctionType(block.getArgumentTypes(), mlir::ValueRange(values).getTypes()));
  SmallVector<mlir::DictionaryAttr> names;
  for (auto [parameter, argument] : zip(decl.parameters, arguments))
    if (argument.first.is(Value::Kind::Tensor))
      names.push_back(nameAttribute(builder, parameter.name.text));
  for (const Parameter &parameter : function.parameters)
    names.push_back(nameAttribute(builder, parameter.name));
  function.op.setAllArgAttrs(names);
}

/// Equal texts are the same function.
static std::string instanceKey(const ast::ModuleDecl &decl,
                               ArrayRef<std::pair<Value, SourceRange>> arguments) {
  std::string key;
  raw_string_ostream os(key);
  os << &decl;
  for (const auto &[value, range] : arguments) {
    os << ";";
    value.printKey(os);
  }
  return key;
}

Function *ModuleInstances::instantiate(const Value &callee, const BoundArguments &arguments,
                                       const ast::CallExpr &expr) {
  auto &decl = cast<ast::ModuleDecl>(*callee.declaration);
  auto [it, added] = instances.try_emplace(instanceKey(decl, arguments));
  Instance &instance = it->second;
  if (!added) // already there; while it is under construction the call is recursive
    return instance.failed ? nullptr : instance.function.get();
  constexpr size_t maxCalls = 64;
  instance.failed = true;
  if (reporter.callDepth() >= maxCalls) {
    reporter.error(expr.range, "module calls are nested more than " + Twine(maxCalls) + " deep");
    return nullptr;
  }
  instance.function = std::make_unique<Function>(&shared.context);
  instance.failed = !elaborateModule(callee, arguments, expr.range, *instance.function);
  return instance.failed ? nullptr : instance.function.get();
}

bool ModuleInstances::elaborateModule(const Value &callee, const BoundArguments &arguments,
                                      SourceRange call, Function &function) {
  auto &decl = cast<ast::ModuleDecl>(*callee.declaration);
  shared.functions->begin(function, decl.name.text, decl.name.range);
  function.op.setPrivate();
  Env env;
  env.file = callee.file;
  env.function = &function;
  reporter.enterCall(decl, decl.name.text, call);
  bool good = ModuleArguments(shared).bindModuleArguments(decl, arguments, function, env) &&
              shared.statements->executeBlock(decl.body, env);
  if (good && !function.returned) {
    reporter.error(decl.name.range, "the module '" + decl.name.text + "' does not return anything");
    good = false;
  }
  reporter.leaveCall();
  if (good)
    finishModule(decl, arguments, function);
  return good;
}

} // namespace weft::sema
