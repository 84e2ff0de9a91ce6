//===- Reductions.cpp - sum, max, softmax and the others ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Reductions.h"

#include "Elaboration.h"
#include "Evaluator.h"
#include "IndexRanges.h"
#include "ScalarBuilder.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

namespace weft::sema {

Reductions::Reductions(Elaboration &shared) : shared(shared), reporter(shared.reporter) {}

static Index *findIndex(ArrayRef<Index *> indices, StringRef name) {
  for (Index *index : reverse(indices))
    if (index->name == name)
      return index;
  return nullptr;
}

/// A softmax runs over an index of the formula.
bool Reductions::bindSoftmaxIndex(const ast::Binder &binder, StringRef name, Scalar *node,
                                  Env &env) {
  Index *known = findIndex(env.indices, binder.name.text);
  if (!known) {
    SmallVector<StringRef> names;
    for (Index *index : env.indices)
      names.push_back(index->name);
    reporter.error(binder.name.range,
                   "'" + name + "' normalises over an index of the formula, and '" +
                       binder.name.text + "' is none" + suggestion(binder.name.text, names));
    return false;
  }
  if (binder.range && !shared.ranges->bindRange(binder, known, env))
    return false;
  node->binders.push_back(known);
  return true;
}

/// Any other reduction has an index of its own.
bool Reductions::bindOwnIndex(const ast::Binder &binder, StringRef name, Scalar *node, Env &env,
                              Formula *formula) {
  if (Index *known = findIndex(env.indices, binder.name.text)) {
    reporter.error(binder.name.range,
                   "'" + binder.name.text + "' already is an index here; '" + name +
                       "' needs another name",
                   {{known->range, "the index '" + known->name + "' is declared here"}});
    return false;
  }
  Index *index = formula->addIndex(binder.name.text, binder.name.range);
  if (!shared.ranges->bindRange(binder, index, env))
    return false;
  node->binders.push_back(index);
  env.indices.push_back(index);
  return true;
}

bool Reductions::bindReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env,
                               Formula *formula) {
  StringRef name = ast::spelling(expr.reduction);
  bool single = node->isSoftmax() || expr.reduction == ast::ReductionKind::ArgMax ||
                expr.reduction == ast::ReductionKind::ArgTop;
  if (single && expr.binders.size() != 1) {
    reporter.error(expr.range, "'" + name + "' runs over exactly one index");
    return false;
  }
  return all_of(expr.binders, [&](const ast::Binder &binder) {
    return node->isSoftmax() ? bindSoftmaxIndex(binder, name, node, env)
                             : bindOwnIndex(binder, name, node, env, formula);
  });
}

Result Reductions::evaluateReduction(const ast::ReductionExpr &expr, Env &env, Formula *formula) {
  if (!formula)
    return reporter.error(expr.range,
                          "'" + ast::spelling(expr.reduction) +
                              "' is computed at run time, but a compile-time value is needed");
  ScalarBuilder build(reporter, *formula);
  Scalar *node = build.checked(formula->addReduce(expr.reduction, expr.range), expr.range);
  if (!node)
    return std::nullopt;
  if (expr.rank) { // outside of the reduction: it cannot use its index
    Result rank = shared.evaluator->evaluate(*expr.rank, env, formula);
    node->rank = rank ? build.toScalar(*rank, expr.rank->range) : nullptr;
    if (!node->rank)
      return std::nullopt;
    if (!node->rank->isInt())
      return reporter.error(expr.rank->range, "the rank of 'argtop' must be an integer");
  }
  size_t visible = env.indices.size();
  Result result;
  if (bindReduction(expr, node, env, formula))
    result = readReduction(expr, node, env, formula);
  env.indices.truncate(visible);
  return result;
}

/// Reads predicate and body, with the binders visible.
Result Reductions::readReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env,
                                 Formula *formula) {
  ScalarBuilder build(reporter, *formula);
  if (expr.predicate) {
    Result predicate = shared.evaluator->evaluate(*expr.predicate, env, formula);
    node->predicate = predicate ? build.toCondition(*predicate, expr.predicate->range) : nullptr;
    if (!node->predicate)
      return std::nullopt;
    if (node->predicate->op == ScalarOp::Constant && node->predicate->integer)
      node->predicate = nullptr;
  }
  Result value = shared.evaluator->evaluate(*expr.body, env, formula);
  Scalar *body = value ? build.toScalar(*value, expr.body->range) : nullptr;
  if (!body)
    return std::nullopt;
  using Kind = ast::ReductionKind;
  bool isArg = expr.reduction == Kind::ArgMax || expr.reduction == Kind::ArgTop;
  bool keepsInt = expr.reduction == Kind::Sum || expr.reduction == Kind::Max ||
                  expr.reduction == Kind::Min || expr.reduction == Kind::Prod;
  if (!keepsInt || !body->isInt())
    body = build.toReal(body, expr.body->range);
  if (!body)
    return std::nullopt;
  node->type = isArg ? ast::ElementKind::Int : body->type;
  node->args.push_back(body);
  node->depth = 1 + std::max({body->depth, node->predicate ? node->predicate->depth : 0,
                              node->rank ? node->rank->depth : 0});
  if (node->depth > Formula::maxDepth)
    return toResult(build.checked(nullptr, expr.range));
  std::string after = expr.rank ? (", " + reporter.text(expr.rank->range)).str() : "";
  after += expr.predicate ? " where ...)" : ")";
  for (Index *index : node->binders)
    if (!index->extent && !node->isSoftmax())
      return shared.ranges->rangeUnknown(*index, ast::spelling(expr.reduction) + "(", expr.binders,
                                         node->binders, after, env);
  return Value::makeScalar(node);
}

} // namespace weft::sema
