//===- InputDefaults.cpp - Defaults of inputs -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InputDefaults.h"

#include "Definitions.h"
#include "Elaboration.h"
#include "Evaluator.h"
#include "FormulaEmitter.h"
#include "InputArguments.h"
#include "ScalarBuilder.h"
#include "Sema/Bounds.h"
#include "Types.h"
#include "weft/Support/Elements.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace weft::sema {

InputDefaults::InputDefaults(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

mlir::TypedAttr InputDefaults::defaultAttribute(const Value &value, ElementType element,
                                                SourceRange range) {
  mlir::Builder builder(&shared.context);
  ast::ElementKind kind = infoOf(element).kind;
  if (kind == ast::ElementKind::Bool) {
    if (value.is(Value::Kind::Bool))
      return builder.getBoolAttr(value.integer);
    reporter.unusable(value, range, "true or false");
    return {};
  }
  if (kind == ast::ElementKind::Int) {
    if (value.is(Value::Kind::Int) && wrapInt(element, value.integer) == value.integer)
      return builder.getI32IntegerAttr(value.integer);
    reporter.unusable(value, range,
                      "an integer of " + std::to_string(infoOf(element).bits) + " bits");
    return {};
  }
  if (value.isNumber())
    return builder.getF32FloatAttr(value.asReal());
  reporter.unusable(value, range, "a number");
  return {};
}

/// What a caller without the tensor passes on where the default is a formula: it is not used.
static mlir::TypedAttr unusedElement(ast::ElementKind element, mlir::MLIRContext &context) {
  mlir::Builder builder(&context);
  switch (element) {
  case ast::ElementKind::Bool:
    return builder.getBoolAttr(false);
  case ast::ElementKind::Int:
    return builder.getI32IntegerAttr(0);
  case ast::ElementKind::Real:
    return builder.getF32FloatAttr(0);
  }
  llvm_unreachable("unknown element");
}

bool InputDefaults::checkInputIndices(ArrayRef<ast::Binder> binders, const TensorValue &tensor) {
  if (!binders.empty() && binders.size() != tensor.rank()) {
    reporter.error(tensor.declared,
                   "'" + tensor.name + "' has " + counted(tensor.rank(), "dimension") + ", but " +
                       Twine(binders.size()) + (binders.size() == 1 ? " index" : " indices"));
    return false;
  }
  SmallVector<StringRef> known;
  for (const ast::Binder &binder : binders) {
    if (is_contained(known, binder.name.text)) {
      reporter.error(binder.name.range, "the index '" + binder.name.text + "' stands here twice");
      return false;
    }
    known.push_back(binder.name.text);
    if (binder.range) {
      reporter.error(binder.range->range, "the type of the input says the range of its indices");
      return false;
    }
  }
  return true;
}

/// Makes the indices of the input's formula: those that are written, or one for each dimension.
static void addInputIndices(ArrayRef<ast::Binder> binders, const TensorValue &tensor,
                            Formula &formula) {
  for (unsigned i = 0; i < tensor.rank(); ++i) {
    Index *index = binders.empty() ? formula.addIndex(tensor.indexNames[i], tensor.declared)
                                   : formula.addIndex(binders[i].name.text, binders[i].name.range);
    index->extent = tensor.dims[i];
    index->isExplicit = true;
    index->sourceRange = tensor.declared;
    formula.outputs.push_back(index);
  }
}

/// The default as an element of `formula`, or a compile-time value.
Result InputDefaults::evaluateDefault(const ast::Expr &expr, bool hasIndices,
                                      const TensorValue &tensor, Formula &formula, Env &env) {
  if (hasIndices) {
    SaveAndRestore indices(env.indices, {formula.outputs.begin(), formula.outputs.end()});
    return shared.evaluator->evaluate(expr, env, &formula);
  }
  Result value = shared.definitions->evaluateWhole(expr, env, tensor.name);
  if (!value)
    return value;
  bool one = value->is(Value::Kind::Symbol) ||
             (value->is(Value::Kind::Tensor) && value->tensor->rank() == 0);
  if (one && tensor.rank() != 0)
    return reporter.error(expr.range, "the default is one number, but '" + tensor.name + "' is " +
                                          typeText(tensor) + "; write '" + tensor.name +
                                          "[...]' with its indices");
  if (one || !value->is(Value::Kind::Tensor))
    return value;
  if (!haveSameShape(*value->tensor, tensor))
    return reporter.error(expr.range, "the default is " + typeText(*value->tensor) + ", but '" +
                                          tensor.name + "' is " + typeText(tensor));
  return toResult(ScalarBuilder(reporter, formula).elementAtOutputs(value->tensor, expr.range));
}

/// The element of a default as an element of the input.
Scalar *InputDefaults::defaultElement(const Value &value, ast::ElementKind element,
                                      SourceRange range, Formula &formula) {
  ScalarBuilder build(reporter, formula);
  Scalar *scalar = build.toScalar(value, range);
  if (!scalar || scalar->type == element)
    return scalar;
  if (element == ast::ElementKind::Real && scalar->isInt())
    return build.toReal(scalar, range);
  reporter.error(range, "the default is " + Twine(ast::spelling(scalar->type)) +
                            ", but the input is " + ast::spelling(element));
  return nullptr;
}

/// `if given then tensor[...] else fallback`.
Tensor InputDefaults::chooseInput(const std::string &name, Scalar *fallback, Formula &formula,
                                  Function &function) {
  Tensor tensor = function.inputs[name].tensor;
  SourceRange range = tensor->declared;
  Tensor presence = InputArguments(shared).presenceOf(function, name);
  if (!presence)
    return nullptr;
  ScalarBuilder build(reporter, formula);
  Scalar *given = build.checked(formula.addRead(presence, {}, range), range);
  Scalar *passed = build.elementAtOutputs(tensor, range);
  Scalar *root = build.add(ScalarOp::Select, tensor->kind(), range, {given, passed, fallback});
  Tensor chosen = root ? emitFormula(reporter, function, formula, root, name, range,
                                     /*constant=*/false)
                       : nullptr;
  if (!chosen)
    return nullptr;
  auto result = std::make_shared<TensorValue>(*chosen);
  result->indexNames = tensor->indexNames;
  result->passed = tensor;
  if (fallback->isInt())
    if (Interval interval = BoundsAnalysis().interval(fallback); isKnown(interval))
      result->defaultBounds = interval;
  return result;
}

Tensor InputDefaults::addOptionalInput(std::shared_ptr<TensorValue> tensor,
                                       ArrayRef<ast::Binder> indices, const ast::Expr &defaultValue,
                                       Env &env) {
  Function &function = *env.function;
  Formula formula;
  if (!checkInputIndices(indices, *tensor))
    return nullptr;
  addInputIndices(indices, *tensor, formula);
  Result value = evaluateDefault(defaultValue, !indices.empty(), *tensor, formula, env);
  if (!value || value->is(Value::Kind::Poison))
    return nullptr;
  if (value->isCompileTime()) {
    mlir::TypedAttr attribute = defaultAttribute(*value, tensor->element, defaultValue.range);
    if (!attribute)
      return nullptr;
    InputArguments(shared).addInputArgument(tensor, attribute, /*computed=*/false, function);
    return tensor;
  }
  Scalar *fallback = defaultElement(*value, tensor->kind(), defaultValue.range, formula);
  if (!fallback)
    return nullptr;
  InputArguments(shared).addInputArgument(tensor, unusedElement(tensor->kind(), shared.context),
                                          /*computed=*/true, function);
  return chooseInput(tensor->name, fallback, formula, function);
}

} // namespace weft::sema
