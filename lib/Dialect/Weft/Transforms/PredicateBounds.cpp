//===- PredicateBounds.cpp - intervals from predicates --------------------------------------===//

#include "PredicateBounds.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;
using arith::CmpIPredicate;

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

void IndexInterval::start(AffineMapAttr lower, AffineMapAttr upper, ArrayAttr names) {
  if (lower)
    llvm::append_range(lowers, lower.getValue().getResults());
  if (upper)
    llvm::append_range(uppers, upper.getValue().getResults());
  if (names)
    for (StringAttr name : names.getAsRange<StringAttr>())
      symbols.push_back(name.str());
}

/// The affine expression of the formula's indices and of symbols that `value` is, or null.
AffineExpr IndexInterval::getExpr(Value value) {
  if (auto op = value.getDefiningOp<weft::IndexOp>())
    return getAffineDimExpr(op.getPosition(), context);
  if (auto op = value.getDefiningOp<SizeOp>()) {
    auto *found = llvm::find(symbols, op.getSymbol());
    unsigned position = found - symbols.begin();
    if (found == symbols.end())
      symbols.push_back(op.getSymbol().str());
    return getAffineSymbolExpr(position, context);
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), context);
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp>(op))
    return AffineExpr();
  AffineExpr lhs = getExpr(op->getOperand(0)), rhs = getExpr(op->getOperand(1));
  if (!lhs || !rhs)
    return AffineExpr();
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  if (isa<arith::MulIOp>(op))
    return isa<AffineConstantExpr>(lhs) || isa<AffineConstantExpr>(rhs) ? lhs * rhs : AffineExpr();
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  return divisor && divisor.getValue() > 0 ? lhs.floorDiv(divisor) : AffineExpr();
}

/// Adds `difference predicate 0`, where difference is `s + rest` or `rest - s`.
bool IndexInterval::addComparison(CmpIPredicate predicate, AffineExpr difference) {
  AffineExpr s = getAffineDimExpr(index, context), zero = getAffineConstantExpr(0, context);
  AffineExpr rest = simplifyAffineExpr(difference.replace(s, zero), index + 1, symbols.size());
  auto isDifference = [&](AffineExpr expr) {
    return simplifyAffineExpr(difference - rest - expr, index + 1, symbols.size()) == zero;
  };
  for (unsigned dim = numBoundDims; dim <= index; ++dim)
    if (rest.isFunctionOfDim(dim))
      return false;
  if (isDifference(-s))
    rest = -rest;
  else if (!isDifference(s))
    return false;
  else // s + rest < 0 is s < -rest, and turned round below.
    switch (predicate) {
    case CmpIPredicate::slt:
      predicate = CmpIPredicate::sgt;
      break;
    case CmpIPredicate::sle:
      predicate = CmpIPredicate::sge;
      break;
    case CmpIPredicate::sgt:
      predicate = CmpIPredicate::slt;
      break;
    case CmpIPredicate::sge:
      predicate = CmpIPredicate::sle;
      break;
    default:
      break;
    }
  // Now `-rest predicate s`.
  AffineExpr bound = simplifyAffineExpr(-rest, index + 1, symbols.size());
  switch (predicate) {
  case CmpIPredicate::slt:
    lowers.push_back(bound + 1);
    return true;
  case CmpIPredicate::sle:
    lowers.push_back(bound);
    return true;
  case CmpIPredicate::sgt:
    uppers.push_back(bound);
    return true;
  case CmpIPredicate::sge:
    uppers.push_back(bound + 1);
    return true;
  case CmpIPredicate::eq:
    lowers.push_back(bound);
    uppers.push_back(bound + 1);
    return true;
  default:
    return false;
  }
}

/// abs(e) <= w is -w <= e and e <= w.
bool IndexInterval::addAbsolute(CmpIPredicate predicate, Value lhs, Value rhs) {
  auto abs = lhs.getDefiningOp<math::AbsIOp>();
  if (!abs || (predicate != CmpIPredicate::sle && predicate != CmpIPredicate::slt))
    return false;
  AffineExpr inner = getExpr(abs.getOperand()), width = getExpr(rhs);
  if (!inner || !width || width.isFunctionOfDim(index))
    return false;
  CmpIPredicate mirrored =
      predicate == CmpIPredicate::sle ? CmpIPredicate::sge : CmpIPredicate::sgt;
  return addComparison(predicate, inner - width) && addComparison(mirrored, inner + width);
}

bool IndexInterval::add(Conjunct conjunct) {
  auto compare = conjunct.condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  CmpIPredicate predicate =
      conjunct.negated ? arith::invertPredicate(compare.getPredicate()) : compare.getPredicate();
  if (addAbsolute(predicate, compare.getLhs(), compare.getRhs()))
    return true;
  AffineExpr lhs = getExpr(compare.getLhs()), rhs = getExpr(compare.getRhs());
  return lhs && rhs && addComparison(predicate, lhs - rhs);
}

AffineMapAttr IndexInterval::getMap(ArrayRef<AffineExpr> exprs) const {
  if (exprs.empty())
    return AffineMapAttr();
  SmallVector<AffineExpr> unique;
  for (AffineExpr expr : exprs)
    if (!llvm::is_contained(unique, expr))
      unique.push_back(expr);
  return AffineMapAttr::get(AffineMap::get(numBoundDims, symbols.size(), unique, context));
}

ArrayAttr IndexInterval::getSymbols() const {
  if (symbols.empty())
    return ArrayAttr();
  return Builder(context).getStrArrayAttr(
      llvm::map_to_vector(symbols, [](const std::string &name) { return StringRef(name); }));
}
