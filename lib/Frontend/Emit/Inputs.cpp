//===- Inputs.cpp - Inputs ------------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Inputs.h"

#include "Dimensions.h"
#include "Elaboration.h"
#include "InputArguments.h"
#include "InputDefaults.h"
#include "Names.h"
#include "ScalarBuilder.h"
#include "weft/Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft::sema {

Inputs::Inputs(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

/// `given(name)`: true if the caller has passed the input.
Result Inputs::evaluateGiven(const ast::CallExpr &expr, Env &env, Formula *formula) {
  auto *name =
      expr.arguments.size() == 1 ? dyn_cast<ast::NameExpr>(expr.arguments[0].value.get()) : nullptr;
  if (!name || !expr.arguments[0].keyword.text.empty())
    return reporter.error(expr.range, "'given' asks for an input by its name: 'given(NAME)'");
  if (!env.function || !env.function->isEntry)
    return reporter.error(expr.range,
                          "'given' asks for an input of the model, which is not known here; the "
                          "model can pass the answer as an argument");
  auto segments = shared.names->evaluatePath(name->path, env);
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
    return reporter.error(name->range,
                          "'" + text + "' is no input of the model" + suggestion(text, candidates));
  }
  shared.unreadTensors.markUsed(input->second.elements->value);
  if (!input->second.optional)
    return Value::makeBool(true);
  if (!formula)
    return reporter.error(expr.range,
                          "whether '" + text +
                              "' is given is known only at run time, but a compile-time value "
                              "is needed");
  Tensor presence = InputArguments(shared).presenceOf(*env.function, text);
  return toResult(ScalarBuilder(reporter, *formula)
                      .checked(formula->addRead(presence, {}, expr.range), expr.range));
}

bool Inputs::declareInput(const ast::Identifier &name, ArrayRef<ast::Binder> indices,
                          const ast::TensorType &type, const ast::Expr *defaultValue, Env &env) {
  if (!env.canDeclare(name, reporter))
    return false;
  auto tensor = std::make_shared<TensorValue>();
  if (!shared.dimensions->evaluateDims(type, env, tensor->dims) ||
      !shared.dimensions->checkSize(tensor->dims, name.range, name.text))
    return false;
  tensor->element = type.element;
  tensor->name = name.text;
  tensor->declared = name.range;
  tensor->indexNames = indexNames(tensor->dims);
  Tensor elements = tensor;
  if (defaultValue)
    elements = InputDefaults(shared).addOptionalInput(tensor, indices, *defaultValue, env);
  else if (InputDefaults(shared).checkInputIndices(indices, *tensor))
    InputArguments(shared).addInputArgument(tensor, {}, /*computed=*/false, *env.function);
  else
    return false;
  if (!elements)
    return false;
  env.function->inputs[name.text].elements = elements;
  shared.unreadTensors.declare(elements->value, "input", name.text, name.range);
  env.bind(name.text, Value::makeTensor(elements), name.range);
  return true;
}

bool Inputs::executeInput(const ast::InputStmt &stmt, Env &env) {
  if (!env.function->isEntry) {
    reporter.error(stmt.range,
                   "an input belongs to the model; a module takes tensors as arguments");
    return false;
  }
  bool good = true;
  for (const ast::InputStmt::Input &input : stmt.inputs) {
    std::optional<ast::Identifier> name = shared.names->declaredName(input.name, env);
    bool declared =
        name && declareInput(*name, input.indices, input.type, input.defaultValue.get(), env);
    if (name && !declared)
      env.poison(name->text, name->range);
    good &= declared;
  }
  return good;
}

} // namespace weft::sema
