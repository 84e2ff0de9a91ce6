//===- Modules.cpp - Module calls and the functions they become -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A module is elaborated once for each different set of compile-time arguments and tensor types.
// The parameters below it become arguments after its tensors; their full names are known at the
// call, so that all layers of a model share one function.
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft::sema {

std::string Elaborator::uniqueSymbol(StringRef name) {
  std::string candidate = name.str();
  auto isTaken = [&] {
    return !symbolNames.try_emplace(candidate, 1).second ||
           (!mappers.empty() && module.lookupSymbol(candidate)); // mapped functions name themselves
  };
  while (isTaken())
    candidate = (name + "_" + Twine(symbolNames[name]++)).str();
  return candidate;
}

/// Returns the results; names the arguments.
void Elaborator::finishModule(const ast::ModuleDecl &decl, const Bound &arguments,
                              Function &function) {
  mlir::OpBuilder &builder = function.builder;
  SmallVector<mlir::Value> values;
  for (const Tensor &tensor : function.results)
    values.push_back(tensor->value);
  mlir::func::ReturnOp::create(builder, location(decl.range), values);
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

ModuleInstance *Elaborator::instantiate(const Value &callee, const Bound &arguments,
                                        const ast::CallExpr &expr) {
  auto &decl = cast<ast::ModuleDecl>(*callee.declaration);
  auto [it, added] = instances.try_emplace(instanceKey(decl, arguments));
  ModuleInstance &instance = it->second;
  if (!added) // already there; while it is under construction the call is recursive
    return &instance;
  constexpr size_t maxCalls = 64;
  instance.failed = true;
  if (reporter.callDepth() >= maxCalls) {
    error(expr.range, "module calls are nested more than " + Twine(maxCalls) + " deep");
    return &instance;
  }
  instance.function = std::make_unique<Function>(&context);
  instance.failed = !elaborateModule(callee, arguments, expr.range, *instance.function);
  return &instance;
}

bool Elaborator::elaborateModule(const Value &callee, const Bound &arguments, SourceRange call,
                                 Function &function) {
  auto &decl = cast<ast::ModuleDecl>(*callee.declaration);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  function.op =
      mlir::func::FuncOp::create(builder, location(decl.name.range), uniqueSymbol(decl.name.text),
                                 builder.getFunctionType({}, {}));
  function.op.setPrivate();
  function.builder.setInsertionPointToEnd(function.op.addEntryBlock());
  Env env;
  env.file = callee.file;
  env.function = &function;
  reporter.enterCall(decl, decl.name.text, call);
  bool good = bindModuleArguments(decl, arguments, function, env) && executeBlock(decl.body, env);
  if (good && !function.returned) {
    error(decl.name.range, "the module '" + decl.name.text + "' does not return anything");
    good = false;
  }
  reporter.leaveCall();
  if (good)
    finishModule(decl, arguments, function);
  return good;
}

Result Elaborator::callModule(const Value &callee, const ast::CallExpr &expr, StringRef scope,
                              Env &env) {
  auto &decl = cast<ast::ModuleDecl>(*callee.declaration);
  Formula *mapping = std::exchange(env.mapping, nullptr);
  if (!env.function)
    return error(expr.range, "a function cannot call the module '" + decl.name.text + "'");
  auto bound = bindArguments({decl.parameters, decl.name, callee.file, /*isModule=*/true}, expr,
                             env, mapping);
  if (!bound)
    return std::nullopt;
  if (reporter.isInProgress(decl))
    return error(expr.range, "'" + decl.name.text + "' calls itself; recursion is not possible");
  for (const auto &[value, range] : *bound)
    if (value.is(Value::Kind::Tuple))
      return error(range, "this is " + value.describe() + "; an argument is a single one");
  ModuleInstance *instance = instantiate(callee, *bound, expr);
  if (instance->failed)
    return std::nullopt;
  return emitCall(*instance, decl, *bound, scope, expr.range, *env.function, mapping);
}

static std::string below(StringRef scope, StringRef name) {
  return scope.empty() ? name.str() : (scope + "." + name).str();
}

/// The names by which a parameter of a callee may be found, seen from the caller.
static std::vector<WeightRef> resolveTied(const Parameter &parameter, StringRef scope,
                                          ArrayRef<Tensor> tensors) {
  std::vector<WeightRef> names;
  for (const WeightRef &tied : parameter.tied) {
    if (tied.argument < 0) {
      names.push_back({below(scope, tied.name), -1});
      continue;
    }
    const std::vector<WeightRef> &passed = tensors[tied.argument]->weights;
    names.insert(names.end(), passed.begin(), passed.end());
  }
  return names;
}

/// A result of a mapped call has the dimensions of the indices in front.
static void addMappedDims(const Formula &mapping, TensorValue &result) {
  for (const Index *index : reverse(mapping.outputs)) {
    result.dims.insert(result.dims.begin(), *index->extent);
    result.indexNames.insert(result.indexNames.begin(), index->name);
  }
}

Result Elaborator::emitCall(ModuleInstance &instance, const ast::ModuleDecl &decl,
                            const Bound &arguments, StringRef scope, SourceRange range,
                            Function &caller, Formula *mapping) {
  Function &callee = *instance.function;
  SmallVector<mlir::Value> operands;
  SmallVector<Tensor> tensors;
  for (const auto &[value, argumentRange] : arguments)
    if (value.is(Value::Kind::Tensor)) {
      tensors.push_back(value.tensor);
      operands.push_back(value.tensor->value);
    }
  for (const Parameter &parameter : callee.parameters) {
    Parameter outer = parameter;
    outer.name = below(scope, parameter.name);
    outer.tied = resolveTied(parameter, scope, tensors);
    outer.value = {};
    Parameter *added = addParameter(caller, std::move(outer));
    if (!added)
      return std::nullopt;
    operands.push_back(added->value);
  }
  mlir::func::FuncOp target = callee.op;
  if (mapping)
    target = mapFunction(callee, decl.name.text, tensors, *mapping);
  if (!target)
    return std::nullopt;
  auto call = mlir::func::CallOp::create(caller.builder, location(range), target, operands);
  Value tuple(Value::Kind::Tuple);
  for (auto [i, tensor] : enumerate(callee.results)) {
    auto copy = std::make_shared<TensorValue>(*tensor);
    copy->value = call.getResult(i);
    copy->name = decl.name.text;
    copy->declared = range;
    copy->weights.clear();
    if (mapping)
      addMappedDims(*mapping, *copy);
    tuple.items.push_back(Value::makeTensor(copy));
  }
  return tuple.items.size() == 1 ? tuple.items[0] : tuple;
}

} // namespace weft::sema
