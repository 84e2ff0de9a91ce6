//===- LogTotals.cpp - the logarithm of a sum of weights in their exponents --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LogTotals.h"

#include "Exponents.h"
#include "ProductFactors.h"
#include "SharedExponentials.h"
#include "WeightFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

namespace {
/// Weights, times masks and other factors, with the logarithm taken out of their exponents.
class LogTotal {
public:
  LogTotal(RewriterBase &rewriter, MapOp weights) : rewriter(rewriter), weights(weights) {}

  bool run();

private:
  void inlineLogs(MapOp map);
  Value takeOut(OpBuilder &body, Value exponent, bool negated);
  bool divide(MapOp map);
  bool isSumOf(const Exponential &part);

  RewriterBase &rewriter;
  MapOp weights;
  BlockArgument total; ///< whose logarithm was taken out, once
  bool isOne = false;
};
} // namespace

/// Whether the map of a row is a few operations, among which is a logarithm, of nothing but its
/// inputs.
static bool hasLog(MapOp map) {
  static constexpr unsigned kFew = 8;
  bool hasLog = false, hasIndex = false;
  map.getBody().walk([&](Operation *op) {
    hasLog |= isa<math::LogOp>(op);
    hasIndex |= isa<weft::IndexOp, AtOp>(op);
  });
  return hasLog && !hasIndex && countScalarOps(map) <= kFew && !map.getOutputMapsAttr() &&
         isStoredAsComputed(map.getResult());
}

/// Computes the rows' numbers that have logarithms in the body of `map`.
void LogTotal::inlineLogs(MapOp map) {
  FormulaOpInterface formula = map;
  for (unsigned i = map.getInputs().size(); i-- > 0;) {
    auto row = map.getInputs()[i].getDefiningOp<MapOp>();
    if (!row || !hasLog(row))
      continue;
    FormulaOpInterface read = row;
    IRMapping mapping;
    for (auto [j, input] : llvm::enumerate(row.getInputs())) {
      formula.appendInput(input, read.getInputMap(j).compose(formula.getInputMap(i)));
      mapping.map(row.getBody().getArgument(j), map.getBody().getArguments().back());
    }
    OpBuilder body(map.getContext());
    body.setInsertionPointToStart(&map.getBody().front());
    Value number = cloneSlice(body, row.getBody(), getYielded(read), mapping);
    map.getBody().getArgument(i).replaceAllUsesWith(number);
  }
}

/// A sum of terms without logarithms of totals; null if nothing is left.
Value LogTotal::takeOut(OpBuilder &body, Value exponent, bool negated) {
  Operation *def = exponent.getDefiningOp();
  if (auto log = dyn_cast_or_null<math::LogOp>(def); log && isa<BlockArgument>(log.getOperand())) {
    isOne = !total && negated;
    total = cast<BlockArgument>(log.getOperand());
    return Value();
  }
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp>(def))
    return exponent;
  bool subtracts = isa<arith::SubFOp>(def);
  Value lhs = takeOut(body, def->getOperand(0), negated);
  Value rhs = takeOut(body, def->getOperand(1), negated != subtracts);
  if (!rhs)
    return lhs;
  if (!lhs)
    return subtracts ? arith::NegFOp::create(body, def->getLoc(), rhs).getResult() : rhs;
  if (lhs == def->getOperand(0) && rhs == def->getOperand(1))
    return exponent;
  return subtracts ? arith::SubFOp::create(body, def->getLoc(), lhs, rhs).getResult()
                   : arith::AddFOp::create(body, def->getLoc(), lhs, rhs).getResult();
}

/// Makes exp(z - log(n)), also behind masks and among factors, exp(z) / n.
bool LogTotal::divide(MapOp map) {
  Operation *yield = map.getBody().front().getTerminator();
  Value whole = yield->getOperand(0);
  return llvm::any_of(findExponentials(whole), [&](math::ExpOp exp) {
    OpBuilder body(exp);
    total = BlockArgument();
    Value rest = takeOut(body, exp.getOperand(), /*negated=*/false);
    if (!isOne || !total || !rest)
      return false;
    exp.setOperand(rest);
    body.setInsertionPoint(yield);
    yield->setOperand(0, arith::DivFOp::create(body, exp.getLoc(), whole, total));
    return true;
  });
}

/// Whether the total is the sum of these exponentials. What its predicate leaves out, they have as
/// 0.
bool LogTotal::isSumOf(const Exponential &part) {
  FormulaOpInterface owner = part.owner;
  auto sum = owner.getInputs()[total.getArgNumber()].getDefiningOp<ReduceOp>();
  std::optional<Exponential> added = sum ? findExponential(sum) : std::nullopt;
  if (added && areEqual(part, *added))
    return true;
  if (!added || sum.getPredicate().empty())
    return false;
  rewriter.setInsertionPoint(sum);
  auto masked = cast<ReduceOp>(rewriter.clone(*sum));
  Block &block = masked.getBody().front();
  Operation *yield = block.getTerminator();
  OpBuilder body(yield);
  IRMapping mapping;
  mapping.map(masked.getPredicate().getArguments(), block.getArguments());
  Value holds = masked.getPredicate().front().getTerminator()->getOperand(0);
  holds = cloneSlice(body, masked.getPredicate(), holds, mapping);
  Value zero = arith::ConstantOp::create(body, sum.getLoc(), body.getF32FloatAttr(0.0));
  yield->setOperand(0,
                    arith::SelectOp::create(body, sum.getLoc(), holds, yield->getOperand(0), zero));
  masked.getPredicate().getBlocks().clear();
  added = findExponential(masked);
  if (added && areEqual(part, *added)) {
    rewriter.replaceOp(sum, masked);
    return true;
  }
  rewriter.eraseOp(masked);
  return false;
}

bool LogTotal::run() {
  std::optional<unsigned> key = getKey(weights);
  if (!key || findExponentials(getYielded(weights)).empty())
    return false;
  rewriter.setInsertionPoint(weights);
  auto divided = cast<MapOp>(rewriter.clone(*weights));
  FormulaOpInterface formula = divided;
  inlineLogs(divided);
  if (divide(divided)) {
    eraseDeadCode(divided.getBody());
    Value factor = findKeyFactor(formula, getYielded(formula), *key);
    llvm::SmallBitVector used = getDependence(formula, factor);
    if (isSumOf({formula, factor, llvm::to_vector(used.set_bits())})) {
      eraseUnused(formula);
      rewriter.replaceOp(weights, divided);
      return true;
    }
  }
  rewriter.eraseOp(divided);
  return false;
}

bool weft::divideByTotal(RewriterBase &rewriter, MapOp weights) {
  return LogTotal(rewriter, weights).run();
}
