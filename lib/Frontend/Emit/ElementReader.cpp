//===- ElementReader.cpp - Elements of tensors and lists ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ElementReader.h"

#include "Elaboration.h"
#include "Evaluator.h"
#include "IndexRanges.h"
#include "Names.h"
#include "ScalarBuilder.h"

using namespace llvm;

namespace weft::sema {

ElementReader::ElementReader(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

Result ElementReader::evaluateBase(const ast::ElementExpr &expr, Env &env, Formula *formula) {
  auto *name = dyn_cast<ast::NameExpr>(expr.base.get());
  return name ? shared.names->evaluateName(*name, env, formula, /*isBase=*/true)
              : shared.evaluator->evaluate(*expr.base, env, formula);
}

Result ElementReader::evaluateElement(const ast::ElementExpr &expr, Env &env, Formula *formula) {
  Result base = evaluateBase(expr, env, formula);
  if (!base || base->is(Value::Kind::Poison))
    return std::nullopt;
  if (base->is(Value::Kind::Tensor))
    return evaluateRead(base->tensor, expr, env, formula);
  if (!base->is(Value::Kind::List))
    return reporter.unusable(*base, expr.base->range, "a tensor or a list");
  if (expr.indices.size() != 1)
    return reporter.error(expr.range, "a list has one index");
  Result index = shared.evaluator->evaluate(*expr.indices[0], env, formula);
  if (!index || index->is(Value::Kind::Poison))
    return std::nullopt;
  if (formula && index->is(Value::Kind::Scalar))
    return chooseElement(*base, index->scalar, expr, *formula);
  std::optional<int64_t> position =
      shared.evaluator->evaluateInteger(*expr.indices[0], env, "the index of a list");
  if (!position)
    return std::nullopt;
  if (*position < 0 || *position >= int64_t(base->items.size()))
    return reporter.error(expr.indices[0]->range, "index " + Twine(*position) +
                                                      " is outside of a list of " +
                                                      Twine(base->items.size()) + " elements");
  return base->items[*position];
}

/// An element of a list of numbers that is chosen when the model runs: the first one, unless the
/// index is that of another.
Result ElementReader::chooseElement(const Value &list, Scalar *index, const ast::ElementExpr &expr,
                                    Formula &formula) {
  constexpr size_t maxChoices = 256;
  if (!index->isInt())
    return reporter.error(expr.indices[0]->range, "an index must be an integer");
  if (list.items.empty() || list.items.size() > maxChoices ||
      !all_of(list.items, [](const Value &item) { return item.isNumber(); }))
    return reporter.error(expr.base->range, "only of a list of 1 to " + Twine(maxChoices) +
                                                " numbers an element is chosen at run time");
  ScalarBuilder build(reporter, formula);
  SmallVector<Scalar *> elements;
  bool isInt = all_of(list.items, [](const Value &item) { return item.is(Value::Kind::Int); });
  for (const Value &item : list.items) {
    Scalar *element = build.toScalar(item, expr.range);
    elements.push_back(isInt ? element : build.toReal(element, expr.range));
    if (!elements.back())
      return std::nullopt;
  }
  Scalar *chosen = elements[0];
  for (size_t i = 1; i != elements.size() && chosen; ++i) {
    Scalar *number = build.checked(formula.addInt(int64_t(i), expr.range), expr.range);
    Scalar *isThis =
        build.add(ScalarOp::Equal, ast::ElementKind::Bool, expr.range, {index, number});
    chosen = build.add(ScalarOp::Select, chosen->type, expr.range, {isThis, elements[i], chosen});
  }
  return toResult(chosen);
}

/// An element of a tensor. An index that stands alone takes its range from the dimension.
Result ElementReader::evaluateRead(const Tensor &tensor, const ast::ElementExpr &expr, Env &env,
                                   Formula *formula) {
  if (expr.indices.size() != tensor->rank())
    return reporter.error(expr.range,
                          "'" + tensor->name + "' has " + counted(tensor->rank(), "dimension") +
                              " " + typeText(*tensor) + ", but is read with " +
                              Twine(expr.indices.size()) +
                              (expr.indices.size() == 1 ? " index" : " indices"),
                          declaredHere(tensor->name, tensor->declared));
  if (!formula)
    return reporter.error(expr.range,
                          "an element of '" + tensor->name +
                              "' is known only at run time, but a compile-time value is needed");
  ScalarBuilder build(reporter, *formula);
  SmallVector<Scalar *> coordinates;
  for (auto [dim, index] : enumerate(expr.indices)) {
    Result value = shared.evaluator->evaluate(*index, env, formula);
    Scalar *coordinate = value ? build.toScalar(*value, index->range) : nullptr;
    if (!coordinate)
      return std::nullopt;
    if (!coordinate->isInt())
      return reporter.error(index->range,
                            "an index must be an integer" +
                                Twine(coordinate->isReal() ? "; int(x) rounds towards 0" : ""));
    if (coordinate->op == ScalarOp::Index &&
        !shared.ranges->unifyRange(coordinate->index, tensor->dims[dim], *tensor, index->range))
      return std::nullopt;
    coordinates.push_back(coordinate);
  }
  return toResult(build.checked(formula->addRead(tensor, coordinates, expr.range), expr.range));
}

} // namespace weft::sema
