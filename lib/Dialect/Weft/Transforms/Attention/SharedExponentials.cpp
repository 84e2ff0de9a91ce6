//===- SharedExponentials.cpp - exponentials that are written several times --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SharedExponentials.h"

#include "Exponents.h"
#include "ProductFactors.h"
#include "SameCode.h"
#include "WeightFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

using namespace mlir;
using namespace weft;

std::optional<Exponential> weft::findExponential(Operation *op) {
  auto formula = dyn_cast<FormulaOpInterface>(op);
  Value value;
  if (auto sum = dyn_cast<ReduceOp>(op); sum && sum.getKind() == ReduceKind::Sum)
    value = getYielded(formula);
  else if (auto map = dyn_cast<MapOp>(op))
    if (std::optional<unsigned> key = getKey(map))
      value = findKeyFactor(formula, getYielded(formula), *key);
  if (!value || findExponentials(value).empty())
    return std::nullopt;
  llvm::SmallBitVector used = getDependence(formula, value);
  if (!hasTwoPositions(formula, used))
    return std::nullopt;
  return Exponential{formula, value, llvm::to_vector(used.set_bits())};
}

/// Emits the exponential over its indices alone.
static Value emitAlone(FormulaBuilder &formula, const Exponential &part) {
  FormulaOpInterface owner = part.owner;
  IndexValues indices(owner.getNumIndices(),
                      {getAffineConstantExpr(0, owner.getContext()), Value()});
  for (auto [i, index] : llvm::enumerate(part.used))
    indices[index].expr = getAffineDimExpr(i, owner.getContext());
  OpBuilder body = getBuilderAtEnd(formula.getBody(), owner.getContext());
  return emitScalar(body, formula, owner, part.value, indices);
}

static SmallVector<IndexAttr> getRanges(const Exponential &part) {
  FormulaOpInterface owner = part.owner;
  return llvm::map_to_vector(part.used, [&](unsigned i) { return owner.getIndexAttr(i); });
}

bool weft::areEqual(const Exponential &a, const Exponential &b) {
  SmallVector<IndexAttr> ranges = getRanges(a), others = getRanges(b);
  if (!llvm::equal(ranges, others, haveSameRange))
    return false;
  FormulaBuilder first(a.value.getContext(), ranges), second(a.value.getContext(), ranges);
  Value ofFirst = emitAlone(first, a), ofSecond = emitAlone(second, b);
  return isSameCode(first, ofFirst, second, ofSecond);
}

unsigned weft::shareExponentials(RewriterBase &rewriter, Block &block) {
  SmallVector<Exponential> parts;
  for (Operation &op : block)
    if (std::optional<Exponential> part = findExponential(&op))
      parts.push_back(*part);
  unsigned numMade = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    SmallVector<Exponential> equal = {parts[i]};
    for (size_t j = parts.size() - 1; j > i; --j)
      if (areEqual(parts[i], parts[j])) {
        equal.push_back(parts[j]);
        parts.erase(parts.begin() + j);
      }
    if (equal.size() == 1)
      continue;
    rewriter.setInsertionPoint(parts[i].owner);
    Value tensor = outlineFormula(rewriter, parts[i].owner, parts[i].value, parts[i].used).first;
    for (const Exponential &part : equal) {
      bool isAll = part.value == getYielded(part.owner) && isa<MapOp>(*part.owner) &&
                   part.owner->getResultTypes().front() == tensor.getType();
      readInstead(part.owner, part.value, tensor, part.used);
      if (isAll)
        rewriter.replaceOp(part.owner, tensor);
      else
        eraseUnused(part.owner);
    }
    ++numMade;
  }
  return numMade;
}
