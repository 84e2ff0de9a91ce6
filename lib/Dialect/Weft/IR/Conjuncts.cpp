//===- Conjuncts.cpp - what a condition says -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/Conjuncts.h"

#include "weft/Dialect/Weft/IR/AffineValue.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

void weft::collectConjuncts(Value value, bool negated, SmallVectorImpl<Conjunct> &conjuncts) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.isZero() == negated)
    return; // true: no condition at all
  if (auto op = value.getDefiningOp<arith::XOrIOp>())
    if (matchPattern(op.getRhs(), m_One()))
      return collectConjuncts(op.getLhs(), !negated, conjuncts);
  // not (a or b) is (not a) and (not b).
  Operation *op = value.getDefiningOp();
  if ((!negated && isa_and_nonnull<arith::AndIOp>(op)) ||
      (negated && isa_and_nonnull<arith::OrIOp>(op))) {
    collectConjuncts(op->getOperand(0), negated, conjuncts);
    collectConjuncts(op->getOperand(1), negated, conjuncts);
    return;
  }
  conjuncts.push_back({value, negated});
}

AffineExpr weft::getMargin(Conjunct conjunct, llvm::function_ref<AffineExpr(SizeOp)> symbolOf) {
  auto compare = conjunct.condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex())
    return {};
  AffineExpr lhs = getAffineExpr(compare.getLhs(), symbolOf);
  AffineExpr rhs = getAffineExpr(compare.getRhs(), symbolOf);
  if (!lhs || !rhs)
    return {};
  arith::CmpIPredicate predicate = compare.getPredicate();
  switch (conjunct.negated ? arith::invertPredicate(predicate) : predicate) {
  case arith::CmpIPredicate::sge:
    return lhs - rhs;
  case arith::CmpIPredicate::sgt:
    return lhs - rhs - 1;
  case arith::CmpIPredicate::sle:
    return rhs - lhs;
  case arith::CmpIPredicate::slt:
    return rhs - lhs - 1;
  default:
    return {};
  }
}
