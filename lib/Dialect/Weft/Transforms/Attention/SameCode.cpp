//===- SameCode.cpp - the same number, computed in two formulas -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SameCode.h"

#include "ElementEmitter.h"
#include "ProductFactors.h"

using namespace mlir;
using namespace weft;

namespace {
class CodeComparison {
public:
  CodeComparison(FormulaBuilder &a, FormulaBuilder &b) : a(a), b(b) {}

  bool areSame(Value ofA, Value ofB) {
    // A value is compared once with each other: code is a graph, not a tree.
    auto [place, isNew] = known.try_emplace({ofA, ofB}, false);
    if (!isNew)
      return place->second;
    bool same = compare(ofA, ofB);
    known[{ofA, ofB}] = same;
    return same;
  }

private:
  bool compare(Value ofA, Value ofB) {
    Operation *first = ofA.getDefiningOp(), *second = ofB.getDefiningOp();
    if (!first || !second)
      return !first && !second && readTheSame(cast<BlockArgument>(ofA), cast<BlockArgument>(ofB));
    return first->getName() == second->getName() && first->getNumRegions() == 0 &&
           first->getNumOperands() == second->getNumOperands() &&
           getAttrs(first) == getAttrs(second) &&
           first->getPropertiesAsAttribute() == second->getPropertiesAsAttribute() &&
           ofA.getType() == ofB.getType() &&
           cast<OpResult>(ofA).getResultNumber() == cast<OpResult>(ofB).getResultNumber() &&
           haveSameOperands(first, second);
  }

  /// Without what a pass said of its rounding, of which a text knows nothing.
  static SmallVector<NamedAttribute> getAttrs(Operation *op) {
    return llvm::to_vector(
        llvm::make_filter_range(op->getDiscardableAttrs(), [](NamedAttribute attr) {
          return attr.getName() != attrs::Rounded::name;
        }));
  }

  bool haveSameOperands(Operation *first, Operation *second) {
    auto isSame = [&](Value x, Value y) { return isOutside(x, y) || areSame(x, y); };
    return llvm::all_of_zip(first->getOperands(), second->getOperands(), isSame) ||
           (first->hasTrait<OpTrait::IsCommutative>() && first->getNumOperands() == 2 &&
            isSame(first->getOperand(0), second->getOperand(1)) &&
            isSame(first->getOperand(1), second->getOperand(0)));
  }

  /// A tensor that both read at a place that is computed.
  static bool isOutside(Value x, Value y) { return isa<ShapedType>(x.getType()) && x == y; }

  bool readTheSame(BlockArgument x, BlockArgument y) {
    unsigned i = x.getArgNumber(), j = y.getArgNumber();
    return i < a.getReads().size() && j < b.getReads().size() &&
           a.getReads()[i] == b.getReads()[j] && a.getReadMaps()[i] == b.getReadMaps()[j];
  }

  FormulaBuilder &a, &b;
  llvm::DenseMap<std::pair<Value, Value>, bool> known;
};
} // namespace

bool weft::isSameCode(FormulaBuilder &a, Value ofA, FormulaBuilder &b, Value ofB) {
  return CodeComparison(a, b).areSame(ofA, ofB);
}

bool weft::isSameCode(FormulaCode &a, Value ofA, FormulaCode &b, Value ofB) {
  return ofA && ofB ? isSameCode(a.formula, ofA, b.formula, ofB) : !ofA && !ofB;
}

Value FormulaCode::emit(FormulaOpInterface op, Value value, const IndexValues &indices) {
  OpBuilder body = getBuilderAtEnd(formula.getBody(), op.getContext());
  return emitScalar(body, formula, op, value, indices);
}

Value FormulaCode::emitPredicate(FormulaOpInterface op, const IndexValues &indices) {
  if (!isa<ReduceOp, SoftmaxOp>(*op) || op->getRegion(1).empty())
    return Value();
  OpBuilder body = getBuilderAtEnd(formula.getPredicate(), op.getContext());
  return ElementEmitter(formula).emitRegion(body, formula.getPredicate(), op, op->getRegion(1),
                                            indices);
}

void Conditions::addPredicate(FormulaOpInterface op, const IndexValues &indices) {
  if (Value predicate = code.emitPredicate(op, indices))
    values.push_back(predicate);
}

void Conditions::addMasks(FormulaOpInterface op, ArrayRef<MaskedValue> masks,
                          const IndexValues &indices) {
  for (const MaskedValue &mask : masks) {
    areKnown &= !mask.negated;
    values.push_back(code.emit(op, mask.condition, indices));
  }
}

bool Conditions::areAll(FormulaCode &other, Value predicate) const {
  return areKnown && values.empty() == !predicate && llvm::all_of(values, [&](Value value) {
           return isSameCode(code, value, other, predicate);
         });
}
