//===- Inputs.cpp - Inputs, and whether they are given --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every input is an argument of the entry. `given(name)` reads a condition behind the tensor, one
// more argument that is made when first asked for.
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"
#include "weft/Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft::sema {

/// The condition whether the caller has passed the input; its argument is made when first asked
/// for.
Tensor Elaborator::presenceOf(Function &function, const std::string &name) {
  Input &input = function.inputs[name];
  if (input.presence)
    return input.presence;
  mlir::Builder builder(&context);
  auto argument = mlir::cast<mlir::BlockArgument>(input.tensor->value);
  unsigned position = argument.getArgNumber() + 1;
  auto attributes = builder.getDictionaryAttr(attrs::Given::named(&context, name));
  ++function.numTensors;
  auto presence = std::make_shared<TensorValue>();
  presence->element = ElementType::Bool;
  presence->name = "given(" + name + ")";
  presence->declared = input.tensor->declared;
  presence->value =
      function.insertInput(position, typeOf(ElementType::Bool, {}), attributes, argument.getLoc());
  return input.presence = presence;
}

/// `given(name)`: true if the caller has passed the input.
Result Elaborator::evaluateGiven(const ast::CallExpr &expr, Env &env, Formula *formula) {
  auto *name =
      expr.arguments.size() == 1 ? dyn_cast<ast::NameExpr>(expr.arguments[0].value.get()) : nullptr;
  if (!name || !expr.arguments[0].keyword.text.empty())
    return error(expr.range, "'given' asks for an input by its name: 'given(NAME)'");
  if (!env.function || !env.function->isEntry)
    return error(expr.range, "'given' asks for an input of the model, which is not known here; the "
                             "model can pass the answer as an argument");
  auto segments = evaluatePath(name->path, env);
  if (!segments)
    return std::nullopt;
  std::string text = join(*segments, ".");
  auto input = env.function->inputs.find(text);
  if (input == env.function->inputs.end()) {
    auto known = env.names.find(text);
    if (known != env.names.end() && known->second.value.is(Value::Kind::Poison))
      return std::nullopt;
    SmallVector<StringRef> candidates;
    for (const auto &[candidate, other] : env.function->inputs)
      candidates.push_back(candidate);
    return error(name->range,
                 "'" + text + "' is no input of the model" + suggestion(text, candidates));
  }
  unreadTensors.markUsed(input->second.elements->value);
  if (!input->second.optional)
    return Value::makeBool(true);
  if (!formula)
    return error(expr.range, "whether '" + text +
                                 "' is given is known only at run time, but a compile-time value "
                                 "is needed");
  Tensor presence = presenceOf(*env.function, text);
  return toResult(scalars(formula).checked(formula->addRead(presence, {}, expr.range), expr.range));
}

/// Adds the argument of an input behind the other tensors.
void Elaborator::addInputArgument(const std::shared_ptr<TensorValue> &tensor, mlir::TypedAttr value,
                                  bool computed, Function &function) {
  mlir::Builder builder(&context);
  SmallVector<mlir::NamedAttribute> named{attrs::Name::named(&context, tensor->name)};
  if (value)
    named.push_back(attrs::Default::named(&context, value));
  if (computed)
    named.push_back(attrs::Computed::named(&context));
  tensor->value =
      function.insertInput(function.numTensors++, typeOf(tensor->element, tensor->dims),
                           builder.getDictionaryAttr(named), location(tensor->declared));
  function.inputs[tensor->name] = {tensor, tensor, /*optional=*/bool(value), nullptr};
}

bool Elaborator::declareInput(const ast::Identifier &name, ArrayRef<ast::Binder> indices,
                              const ast::TensorType &type, const ast::Expr *defaultValue,
                              Env &env) {
  if (!canDeclare(name, env))
    return false;
  auto tensor = std::make_shared<TensorValue>();
  if (!evaluateDims(type, env, tensor->dims) || !checkSize(tensor->dims, name.range, name.text))
    return false;
  tensor->element = type.element;
  tensor->name = name.text;
  tensor->declared = name.range;
  tensor->indexNames = indexNames(tensor->dims);
  Tensor elements = tensor;
  if (defaultValue)
    elements = addOptionalInput(tensor, indices, *defaultValue, env);
  else if (checkInputIndices(indices, *tensor))
    addInputArgument(tensor, {}, /*computed=*/false, *env.function);
  else
    return false;
  if (!elements)
    return false;
  env.function->inputs[name.text].elements = elements;
  unreadTensors.declare(elements->value, "input", name.text, name.range);
  bind(env, name.text, Value::makeTensor(elements), name.range);
  return true;
}

bool Elaborator::executeInput(const ast::InputStmt &stmt, Env &env) {
  if (!env.function->isEntry) {
    error(stmt.range, "an input belongs to the model; a module takes tensors as arguments");
    return false;
  }
  bool good = true;
  for (const ast::InputStmt::Input &input : stmt.inputs) {
    std::optional<ast::Identifier> name = declaredName(input.name, env);
    bool declared =
        name && declareInput(*name, input.indices, input.type, input.defaultValue.get(), env);
    if (name && !declared)
      bind(env, name->text, Value(Value::Kind::Poison), name->range);
    good &= declared;
  }
  return good;
}

} // namespace weft::sema
