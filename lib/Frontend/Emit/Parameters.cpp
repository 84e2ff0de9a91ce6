//===- Parameters.cpp - Parameters ----------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Parameters.h"

#include "Dimensions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "Names.h"
#include "Sema/Bounds.h"
#include "Types.h"
#include "weft/Import/StoredWeight.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft::sema {

Parameters::Parameters(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

/// What was checked when the parameter was declared.
static int64_t sizeOf(ArrayRef<Extent> dims) { return *elementCount(dims); }

/// Finds or makes the function's value for a parameter. The same name with another view of the same
/// elements is another value.
Parameter *Parameters::addParameter(Function &function, Parameter parameter) {
  mlir::RankedTensorType type = tensorType(shared.context, parameter.element, parameter.dims);
  SmallVector<size_t, 1> &named = function.named[parameter.name];
  for (size_t number : named) {
    Parameter &known = function.parameters[number];
    if (known.element != parameter.element) {
      reporter.error(parameter.range,
                     "the parameter '" + parameter.name + "' is " + infoOf(parameter.element).name +
                         " here but " + infoOf(known.element).name + " elsewhere",
                     {{known.range, "the other declaration is here"}});
      return nullptr;
    }
    if (sizeOf(known.dims) != sizeOf(parameter.dims)) {
      reporter.error(parameter.range,
                     "the parameter '" + parameter.name + "' has " + Twine(sizeOf(parameter.dims)) +
                         " elements here but " + Twine(sizeOf(known.dims)) + " elsewhere",
                     {{known.range, "the other declaration is here"}});
      return nullptr;
    }
    if (known.value.getType() == type && known.tied.size() == parameter.tied.size())
      return &known;
  }
  parameter.value =
      function.isEntry
          ? createWeight(function, parameter, type)
          : function.op.getBody().front().addArgument(type, reporter.location(parameter.range));
  named.push_back(function.parameters.size());
  function.parameters.push_back(std::move(parameter));
  return &function.parameters.back();
}

/// The weights of an entry stand at its start, in the order of their declaration.
mlir::Value Parameters::createWeight(Function &function, const Parameter &parameter,
                                     mlir::RankedTensorType type) {
  mlir::OpBuilder &builder = function.builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (!function.parameters.empty())
    builder.setInsertionPointAfterValue(function.parameters.back().value);
  else
    builder.setInsertionPointToStart(&function.op.getBody().front());
  SmallVector<mlir::Attribute> tied;
  for (const WeightRef &name : parameter.tied)
    tied.push_back(builder.getStringAttr(name.name));
  shared.result.rules.declared.push_back(parameter.name);
  return WeightOp::create(builder, reporter.location(parameter.range), type,
                          builder.getStringAttr(parameter.name), CodedAttr(),
                          tied.empty() ? mlir::ArrayAttr() : builder.getArrayAttr(tied),
                          mlir::IntegerAttr());
}

bool Parameters::declareTied(const ast::Expr &tied, Parameter &parameter, Env &env) {
  Result target = shared.evaluator->evaluate(tied, env, nullptr);
  if (!target || target->is(Value::Kind::Poison))
    return false;
  if (!target->is(Value::Kind::Tensor) || target->tensor->weights.empty()) {
    reporter.error(tied.range, "a parameter can only be tied to a parameter, and this is " +
                                   target->describe());
    return false;
  }
  const TensorValue &tensor = *target->tensor;
  if (tensor.element != parameter.element) {
    reporter.error(tied.range,
                   "'" + parameter.name + "' is " + infoOf(parameter.element).name + ", but '" +
                       tensor.name + "', to which it is tied, is " + infoOf(tensor.element).name,
                   declaredHere(tensor.name, tensor.declared));
    return false;
  }
  if (sizeOf(tensor.dims) != sizeOf(parameter.dims)) {
    reporter.error(tied.range,
                   "'" + parameter.name + "' has " + Twine(sizeOf(parameter.dims)) +
                       " elements, but '" + tensor.name + "', to which it is tied, has " +
                       Twine(sizeOf(tensor.dims)),
                   declaredHere(tensor.name, tensor.declared));
    return false;
  }
  parameter.tied = tensor.weights;
  shared.unreadTensors.markUsed(tensor.value);
  return true;
}

/// The leading dimensions of a parameter that is made of several tensors run over them.
bool Parameters::checkStacks(const ast::ParamStmt::Param &param, ArrayRef<Extent> stacks,
                             ArrayRef<Extent> dims) {
  int64_t count = 1;
  for (auto [i, stack] : enumerate(stacks)) {
    if (i >= dims.size() || !dims[i].same(stack)) {
      reporter.error(param.type.range,
                     "the parameter is made of " + stack.str() + " tensors, so dimension " +
                         Twine(i) + " must be that" +
                         (i < dims.size() ? ", not " + dims[i].str() : std::string()));
      return false;
    }
    count = saturate(__int128(count) * stack.size);
  }
  if (count > maxStackedTensors) {
    reporter.error(param.name.range, "a parameter can be made of at most " +
                                         Twine(maxStackedTensors) + " tensors, not of " +
                                         Twine(count));
    return false;
  }
  if (!stacks.empty() && param.alias.text.empty()) {
    reporter.error(param.range, "a parameter made of several tensors needs a name: 'as NAME'");
    return false;
  }
  return true;
}

/// Evaluates and checks what the text says about a parameter.
bool Parameters::readParam(const ast::ParamStmt::Param &param, Parameter &parameter, Env &env) {
  SmallVector<Extent> stacks;
  auto segments = shared.names->evaluatePath(param.name, env, &stacks);
  if (!segments)
    return false;
  parameter.name = join(*segments, ".");
  parameter.element = param.type.element;
  parameter.range = param.name.range;
  if (!env.canDeclare({parameter.name, param.name.range}, reporter) ||
      !shared.dimensions->evaluateDims(param.type, env, parameter.dims) ||
      !shared.dimensions->checkSize(parameter.dims, param.range, parameter.name))
    return false;
  for (auto [dim, expr] : zip(parameter.dims, param.type.dims))
    if (dim.isBounded()) {
      reporter.error(expr->range,
                     "a parameter cannot have the run-time dimension '" + dim.name + "'");
      return false;
    }
  return checkStacks(param, stacks, parameter.dims) &&
         (!param.tied || declareTied(*param.tied, parameter, env));
}

bool Parameters::declareParam(const ast::ParamStmt::Param &param, Env &env) {
  Parameter parameter;
  if (!readParam(param, parameter, env))
    return false;
  auto tensor = std::make_shared<TensorValue>();
  tensor->name = parameter.name;
  tensor->element = parameter.element;
  tensor->dims = parameter.dims;
  tensor->declared = param.name.range;
  tensor->indexNames = indexNames(tensor->dims);
  tensor->weights.push_back({parameter.name, -1});
  tensor->weights.insert(tensor->weights.end(), parameter.tied.begin(), parameter.tied.end());
  Parameter *added = addParameter(*env.function, std::move(parameter));
  if (!added)
    return false;
  tensor->value = added->value;
  shared.unreadTensors.declare(tensor->value, "parameter", tensor->name, param.range);
  Value value = Value::makeTensor(tensor);
  env.bind(tensor->name, value, param.name.range);
  if (!param.alias.text.empty())
    env.bind(param.alias.text, value, param.alias.range);
  return true;
}

bool Parameters::executeParam(const ast::ParamStmt &stmt, Env &env) {
  bool good = true;
  for (const ast::ParamStmt::Param &param : stmt.params) {
    if (declareParam(param, env))
      continue;
    good = false;
    if (param.name.isPlain())
      env.poisonNew(param.name.str(), param.name.range);
    if (!param.alias.text.empty())
      env.poison(param.alias.text, param.alias.range);
  }
  return good;
}

} // namespace weft::sema
