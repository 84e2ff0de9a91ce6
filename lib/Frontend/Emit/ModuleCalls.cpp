//===- ModuleCalls.cpp - Calls of modules ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ModuleCalls.h"

#include "Elaboration.h"
#include "ModuleMapping.h"
#include "Parameters.h"

using namespace llvm;

namespace weft::sema {

ModuleCalls::ModuleCalls(Elaboration &shared)
    : shared(shared), reporter(shared.reporter), instances(shared) {}

Result ModuleCalls::callModule(const Value &callee, const ast::CallExpr &expr, StringRef scope,
                               Env &env) {
  auto &decl = cast<ast::ModuleDecl>(*callee.declaration);
  Formula *mapping = std::exchange(env.mapping, nullptr);
  if (!env.function)
    return reporter.error(expr.range, "a function cannot call the module '" + decl.name.text + "'");
  auto bound = ArgumentBinder(shared).bindArguments(
      {decl.parameters, decl.name, callee.file, /*isModule=*/true}, expr, env, mapping);
  if (!bound)
    return std::nullopt;
  if (reporter.isInProgress(decl))
    return reporter.error(expr.range,
                          "'" + decl.name.text + "' calls itself; recursion is not possible");
  for (const auto &[value, range] : *bound)
    if (value.is(Value::Kind::Tuple))
      return reporter.error(range, "this is " + value.describe() + "; an argument is a single one");
  Function *function = instances.instantiate(callee, *bound, expr);
  if (!function)
    return std::nullopt;
  return emitCall(*function, decl, *bound, scope, expr.range, *env.function, mapping);
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

/// Adds the parameters of the callee, which are the caller's under their longer names.
bool ModuleCalls::addOperands(const Function &callee, ArrayRef<Tensor> tensors, StringRef scope,
                              Function &caller, SmallVectorImpl<mlir::Value> &operands) {
  for (const Parameter &parameter : callee.parameters) {
    Parameter outer = parameter;
    outer.name = below(scope, parameter.name);
    outer.tied = resolveTied(parameter, scope, tensors);
    outer.value = {};
    Parameter *added = shared.parameters->addParameter(caller, std::move(outer));
    if (!added)
      return false;
    operands.push_back(added->value);
  }
  return true;
}

Result ModuleCalls::emitCall(const Function &callee, const ast::ModuleDecl &decl,
                             const BoundArguments &arguments, StringRef scope, SourceRange range,
                             Function &caller, Formula *mapping) {
  SmallVector<mlir::Value> operands;
  SmallVector<Tensor> tensors;
  for (const auto &[value, argumentRange] : arguments)
    if (value.is(Value::Kind::Tensor)) {
      tensors.push_back(value.tensor);
      operands.push_back(value.tensor->value);
    }
  if (!addOperands(callee, tensors, scope, caller, operands))
    return std::nullopt;
  mlir::func::FuncOp target = callee.op;
  if (mapping)
    target = shared.mapping->mapFunction(callee, decl.name.text, tensors, *mapping);
  if (!target)
    return std::nullopt;
  auto call =
      mlir::func::CallOp::create(caller.builder, reporter.location(range), target, operands);
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
