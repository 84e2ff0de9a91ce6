//===- Env.cpp - The names that a text can see ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Env.h"

namespace weft::sema {

Tensor Env::bindTensor(const Tensor &tensor, const ast::Identifier &name) {
  auto renamed = std::make_shared<TensorValue>(*tensor);
  renamed->name = name.text;
  renamed->declared = name.range;
  bind(name.text, Value::makeTensor(renamed), name.range);
  return renamed;
}

bool Env::canDefine(const ast::Identifier &name, Reporter &reporter) const {
  auto known = names.find(name.text);
  if (known == names.end())
    return true;
  const Value &value = known->second.value;
  if (value.is(Value::Kind::Tensor) || value.is(Value::Kind::Poison))
    return true;
  reporter.error(name.range,
                 "'" + name.text + "' is " + value.describe() + " and cannot become a tensor",
                 declaredHere(name.text, known->second.range));
  return false;
}

bool Env::canDeclare(const ast::Identifier &name, Reporter &reporter) const {
  auto known = names.find(name.text);
  if (known == names.end())
    return true;
  reporter.error(name.range, "'" + name.text + "' is already declared",
                 {{known->second.range, "the first declaration is here"}});
  return false;
}

} // namespace weft::sema
