//===- Causality.cpp - proofs that a formula does not look ahead ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Causality.h"
#include "FormulaBuilder.h"
#include "KeyProof.h"
#include "PredicateBounds.h"
#include "weft/Dialect/Weft/IR/AccessRange.h"

using namespace mlir;
using namespace weft;

std::string weft::nameOfFormula(Operation *op) {
  auto label = attrs::Label::get(op);
  return label ? ("'" + label.getValue() + "'").str() : "this formula";
}

Refusal CausalityProof::lookAhead(const Twine &why) {
  return {op->getLoc(), (nameOfFormula(op) + " looks ahead: " + why).str()};
}

//===----------------------------------------------------------------------------------------===//
// (O3): nothing else tells the length
//===----------------------------------------------------------------------------------------===//

/// Whether the formula computes with the value of `symbol`.
static bool readsSize(Operation *op, StringRef symbol) {
  auto isSize = [&](Operation *def) {
    auto size = dyn_cast_or_null<SizeOp>(def);
    return size && size.getSymbol() == symbol;
  };
  WalkResult result = op->walk([&](Operation *nested) {
    bool reads = isSize(nested) || llvm::any_of(nested->getOperands(), [&](Value operand) {
                   return isSize(operand.getDefiningOp());
                 });
    return reads ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether the first key that an attention visits depends on the value of `symbol`. (The last one
/// may: an upper bound min(t + 1, T) is t + 1.)
static bool beginsAtSize(Operation *op, StringRef symbol) {
  auto attention = dyn_cast<AttentionOp>(op);
  std::optional<AffineMap> lower = attention ? attention.getKeyLower() : std::nullopt;
  if (!lower || !attention.getBoundSymbols())
    return false;
  for (auto [i, name] : llvm::enumerate(attention.getBoundSymbols()->getAsValueRange<StringAttr>()))
    for (AffineExpr bound : lower->getResults())
      if (name == symbol && bound.isFunctionOfSymbol(i))
        return true;
  return false;
}

//===----------------------------------------------------------------------------------------===//
// (O1): what is reduced lies behind
//===----------------------------------------------------------------------------------------===//

std::optional<Refusal> CausalityProof::proveIndex(unsigned index) {
  auto nameOf = [&](unsigned i) { return ("'" + op.getIndexAttr(i).getName() + "'").str(); };
  if (!row || row == index)
    return lookAhead("it runs over all positions of index " + nameOf(index));
  // Of a single position none is ahead, and a condition says nothing that would be left.
  if (op.getIndexAttr(index).getSize() != 1 &&
      !isHeldBehind(cast<FormulaOpInterface>(op.getOperation()), index, *row))
    return lookAhead("index " + nameOf(index) + " is not held at or before position " +
                     nameOf(*row));
  return std::nullopt;
}

std::optional<Refusal> CausalityProof::proveFormula() {
  StringRef length = positions.getSymbol();
  if (readsSize(op, length) || beginsAtSize(op, length))
    return lookAhead("it depends on the length '" + length + "' of the whole sequence");
  for (unsigned i = 0; i != op.getNumIndices(); ++i) {
    if (!positions.isRange(op.getIndexAttr(i)))
      continue;
    if (op.isReduced(i))
      if (std::optional<Refusal> refusal = proveIndex(i))
        return refusal;
    seen.push_back(i);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// (O2): what is read lies behind
//===----------------------------------------------------------------------------------------===//

/// Whether `coordinate` is at or before an index that is seen, whatever the other indices are; the
/// first position always is.
bool CausalityProof::isNotAhead(AffineExpr coordinate) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(coordinate))
    return constant.getValue() <= 0;
  return llvm::any_of(seen, [&](unsigned index) {
    AffineExpr distance = getDistance(op, index, coordinate);
    return isNonNegative(distance) || getMinimum(distance, op.getIndexList()).value_or(-1) >= 0;
  });
}

/// The same of a coordinate that a region computes.
bool CausalityProof::isNotAhead(Value coordinate) const {
  if (AffineExpr expr = getIndexExpr(coordinate))
    return isNotAhead(expr);
  Operation *def = coordinate.getDefiningOp();
  if (!isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp, arith::SelectOp>(def))
    return false;
  auto choices = def->getOperands().take_back(2); // a select has its condition before them
  auto holds = [&](Value choice) { return isNotAhead(choice); };
  return isa<arith::MinSIOp>(def) ? llvm::any_of(choices, holds) : llvm::all_of(choices, holds);
}

std::optional<Refusal> CausalityProof::proveRead(const TensorRead &read, unsigned dim) {
  if (read.at ? isNotAhead(read.at.getCoordinates()[dim]) : isNotAhead(read.map.getResult(dim)))
    return std::nullopt;
  Refusal refusal = lookAhead("dimension " + Twine(dim) +
                              " of what it reads is not held at or "
                              "before the position that is computed");
  std::string note = read.at ? "it is read here" : "the tensor that is read is made here";
  // A mask of what is made of it says nothing about where it is read.
  if (row && read.at && !getIndexExpr(read.at.getCoordinates()[dim]))
    note += " at a place that data say; 'min(..., " + op.getIndexAttr(*row).getName().str() +
            ")' would hold it";
  refusal.notes.push_back({read.getLoc(), note});
  return refusal;
}
