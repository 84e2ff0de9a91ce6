//===- ModuleArguments.cpp - What a module gets from its caller -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ModuleArguments.h"

#include "Dimensions.h"
#include "Elaboration.h"
#include "Types.h"

using namespace llvm;

namespace weft::sema {

ModuleArguments::ModuleArguments(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

/// A name that is new means the extent that is passed; any other expression must be that.
bool ModuleArguments::bindDimension(const ast::Parameter &parameter, unsigned dim,
                                    SourceRange range, Env &env, Extent &extent) {
  const ast::Expr &expr = *parameter.type.dims[dim];
  auto *name = dyn_cast<ast::NameExpr>(&expr);
  if (name && name->path.isIdentifier() && !env.names.count(name->path.str())) {
    Value value = Value::makeSymbol(extent);
    if (!extent.dynamic) {
      extent.name = name->path.str();
      value = Value::makeInt(extent.size);
      value.extent = std::make_shared<Extent>(extent);
    }
    env.bind(name->path.str(), value, expr.range);
    return true;
  }
  std::optional<Extent> wanted = shared.dimensions->evaluateExtent(expr, env);
  if (!wanted)
    return false;
  if (!wanted->same(extent)) {
    reporter.error(range,
                   "dimension " + Twine(dim) + " of the argument '" + parameter.name.text +
                       "' is " + extent.str() + ", but the parameter needs " + wanted->str(),
                   declaredHere(parameter.name.text, parameter.name.range));
    return false;
  }
  if (!wanted->name.empty())
    extent = *wanted;
  return true;
}

/// Binds the dimension names of a parameter's type to the extents of the tensor that is passed.
bool ModuleArguments::bindDimensions(const ast::Parameter &parameter, const TensorValue &tensor,
                                     SourceRange range, Env &env, TensorValue &local) {
  auto note = declaredHere(parameter.name.text, parameter.name.range);
  const ast::TensorType &type = parameter.type;
  // A parameter takes elements however they are stored, if it does not say how.
  bool fits = type.element == tensor.element || type.element == computeType(tensor.kind());
  if (!fits || type.dims.size() != tensor.rank()) {
    reporter.error(range,
                   "the argument '" + parameter.name.text + "' is " + typeText(tensor) +
                       ", but the parameter has " + counted(type.dims.size(), "dimension") +
                       " of type " + infoOf(type.element).name,
                   note);
    return false;
  }
  for (unsigned i = 0; i < type.dims.size(); ++i)
    if (!bindDimension(parameter, i, range, env, local.dims[i]))
      return false;
  return true;
}

/// A compile-time value for a parameter with a type: `n: int`.
static bool fits(const Value &value, const ast::TensorType &type) {
  if (!type.dims.empty())
    return false;
  switch (type.kind()) {
  case ast::ElementKind::Int:
    return value.is(Value::Kind::Int) || value.is(Value::Kind::Symbol);
  case ast::ElementKind::Bool:
    return value.is(Value::Kind::Bool);
  case ast::ElementKind::Real:
    return value.isNumber();
  }
  return false;
}

static StringRef wanted(const ast::TensorType &type) {
  return !type.dims.empty()                      ? "a tensor"
         : type.kind() == ast::ElementKind::Int  ? "an integer"
         : type.kind() == ast::ElementKind::Bool ? "true or false"
                                                 : "a number";
}

/// Makes a tensor argument of the function and binds the parameter to it.
bool ModuleArguments::bindModuleTensor(const ast::Parameter &parameter, const Tensor &tensor,
                                       SourceRange range, Function &function, Env &env) {
  auto local = std::make_shared<TensorValue>(*tensor);
  local->name = parameter.name.text;
  local->declared = parameter.name.range;
  local->passed = nullptr; // an argument of the caller
  local->mapped.clear();
  if (!tensor->weights.empty())
    local->weights = {{"", int(function.numTensors)}};
  if (parameter.hasType && !bindDimensions(parameter, *tensor, range, env, *local))
    return false;
  local->value = function.op.getBody().front().addArgument(
      tensorType(shared.context, tensor->element, tensor->dims),
      reporter.location(parameter.name.range));
  ++function.numTensors;
  env.bind(parameter.name.text, Value::makeTensor(local), parameter.name.range);
  return true;
}

/// Binds every parameter of a module: what is known at compile time first, because the types of the
/// tensors may name it.
bool ModuleArguments::bindModuleArguments(const ast::ModuleDecl &decl,
                                          const BoundArguments &arguments, Function &function,
                                          Env &env) {
  for (auto [parameter, argument] : zip(decl.parameters, arguments)) {
    const auto &[value, range] = argument;
    if (value.is(Value::Kind::Tensor))
      continue;
    if (parameter.hasType && !fits(value, parameter.type)) {
      reporter.error(range,
                     "the argument '" + parameter.name.text + "' is " + value.describe() +
                         ", but " + wanted(parameter.type) + " is needed",
                     declaredHere(parameter.name.text, parameter.name.range));
      return false;
    }
    env.bind(parameter.name.text, value, parameter.name.range);
  }
  for (auto [parameter, argument] : zip(decl.parameters, arguments))
    if (argument.first.is(Value::Kind::Tensor) &&
        !bindModuleTensor(parameter, argument.first.tensor, argument.second, function, env))
      return false;
  return true;
}

} // namespace weft::sema
