//===- Reductions.cpp - sum(d), softmax(s where p), argtop(e, j) ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elaborator.h"
#include "weft/Support/NearestName.h"

using namespace llvm;

namespace weft::sema {

static Index *findIndex(ArrayRef<Index *> indices, StringRef name) {
  for (Index *index : reverse(indices))
    if (index->name == name)
      return index;
  return nullptr;
}

/// Gives `node` its binders: new indices, or for a softmax an index of the formula.
bool Elaborator::bindReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env,
                               Formula *formula) {
  StringRef name = ast::spelling(expr.reduction);
  bool single = node->isSoftmax() || expr.reduction == ast::ReductionKind::ArgMax ||
                expr.reduction == ast::ReductionKind::ArgTop;
  if (single && expr.binders.size() != 1) {
    error(expr.range, "'" + name + "' runs over exactly one index");
    return false;
  }
  for (const ast::Binder &binder : expr.binders) {
    Index *known = findIndex(env.indices, binder.name.text);
    if (node->isSoftmax()) {
      if (!known) {
        SmallVector<StringRef> names;
        for (Index *index : env.indices)
          names.push_back(index->name);
        error(binder.name.range, "'" + name + "' normalises over an index of the formula, and '" +
                                     binder.name.text + "' is none" +
                                     suggestion(binder.name.text, names));
        return false;
      }
      if (binder.range && !bindRange(binder, known, env))
        return false;
      node->binders.push_back(known);
      continue;
    }
    if (known) {
      error(binder.name.range,
            "'" + binder.name.text + "' already is an index here; '" + name +
                "' needs another name",
            {{known->range, "the index '" + known->name + "' is declared here"}});
      return false;
    }
    Index *index = formula->addIndex(binder.name.text, binder.name.range);
    if (!bindRange(binder, index, env))
      return false;
    node->binders.push_back(index);
    env.indices.push_back(index);
  }
  return true;
}

Result Elaborator::evaluateReduction(const ast::ReductionExpr &expr, Env &env, Formula *formula) {
  if (!formula)
    return error(expr.range, "'" + ast::spelling(expr.reduction) +
                                 "' is computed at run time, but a compile-time value is needed");
  ScalarBuilder build = scalars(formula);
  Scalar *node = build.checked(formula->addReduce(expr.reduction, expr.range), expr.range);
  if (!node)
    return std::nullopt;
  if (expr.rank) { // outside of the reduction: it cannot use its index
    Result rank = evaluate(*expr.rank, env, formula);
    node->rank = rank ? build.toScalar(*rank, expr.rank->range) : nullptr;
    if (!node->rank)
      return std::nullopt;
    if (!node->rank->isInt())
      return error(expr.rank->range, "the rank of 'argtop' must be an integer");
  }
  size_t visible = env.indices.size();
  Result result;
  if (bindReduction(expr, node, env, formula))
    result = readReduction(expr, node, env, formula);
  env.indices.truncate(visible);
  return result;
}

/// Reads predicate and body, with the binders visible.
Result Elaborator::readReduction(const ast::ReductionExpr &expr, Scalar *node, Env &env,
                                 Formula *formula) {
  ScalarBuilder build = scalars(formula);
  if (expr.predicate) {
    Result predicate = evaluate(*expr.predicate, env, formula);
    node->predicate = predicate ? build.toCondition(*predicate, expr.predicate->range) : nullptr;
    if (!node->predicate)
      return std::nullopt;
    if (node->predicate->op == ScalarOp::Constant && node->predicate->integer)
      node->predicate = nullptr;
  }
  Result value = evaluate(*expr.body, env, formula);
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
      return rangeUnknown(*index, ast::spelling(expr.reduction) + "(", expr.binders, node->binders,
                          after, env),
             std::nullopt;
  return Value::makeScalar(node);
}

} // namespace weft::sema
