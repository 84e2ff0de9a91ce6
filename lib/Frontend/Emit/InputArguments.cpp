//===- InputArguments.cpp - Arguments of entries --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InputArguments.h"

#include "Elaboration.h"
#include "Types.h"

using namespace llvm;

namespace weft::sema {

InputArguments::InputArguments(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

void InputArguments::addInputArgument(const std::shared_ptr<TensorValue> &tensor,
                                      mlir::TypedAttr value, bool computed, Function &function) {
  mlir::Builder builder(&shared.context);
  SmallVector<mlir::NamedAttribute> named{attrs::Name::named(&shared.context, tensor->name)};
  if (value)
    named.push_back(attrs::Default::named(&shared.context, value));
  if (computed)
    named.push_back(attrs::Computed::named(&shared.context));
  tensor->value = function.insertInput(
      function.numTensors++, tensorType(shared.context, tensor->element, tensor->dims),
      builder.getDictionaryAttr(named), reporter.location(tensor->declared));
  function.inputs[tensor->name] = {tensor, tensor, /*optional=*/bool(value), nullptr};
}

Tensor InputArguments::presenceOf(Function &function, const std::string &name) {
  Input &input = function.inputs[name];
  if (input.presence)
    return input.presence;
  mlir::Builder builder(&shared.context);
  auto argument = mlir::cast<mlir::BlockArgument>(input.tensor->value);
  unsigned position = argument.getArgNumber() + 1;
  auto attributes = builder.getDictionaryAttr(attrs::Given::named(&shared.context, name));
  ++function.numTensors;
  auto presence = std::make_shared<TensorValue>();
  presence->element = ElementType::Bool;
  presence->name = "given(" + name + ")";
  presence->declared = input.tensor->declared;
  presence->value = function.insertInput(
      position, tensorType(shared.context, ElementType::Bool, {}), attributes, argument.getLoc());
  return input.presence = presence;
}

} // namespace weft::sema
