//===- FormContractions.cpp - weft-form-contractions ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Finds the sums of products among the sums. The product is flattened into factors; constants go
// to the scale, factors free of the summed indices behind the sum, and the two that remain are
// what a matrix unit multiplies. A factor that is computed (`q + u`) becomes a formula of its own,
// over its own indices only.
//
//===----------------------------------------------------------------------------------------===//

#include "FormulaBuilder.h"
#include "ProductFactors.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace weft {
#define GEN_PASS_DEF_FORMCONTRACTIONSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// A sum of a product taken apart.
struct SumOfProduct {
  double scale = 1.0;
  SmallVector<Value> factors; ///< depend on a summed index
  SmallVector<Value> outer;   ///< do not
};

class ContractionFormer {
public:
  ContractionFormer(RewriterBase &rewriter, ReduceOp reduce) : rewriter(rewriter), reduce(reduce) {}

  bool run();

private:
  bool match();
  bool isWorthFormula(Value factor);
  std::pair<Value, AffineMap> getFactor(Value factor);

  RewriterBase &rewriter;
  ReduceOp reduce;
  SumOfProduct product;
};
} // namespace

/// A computed factor may become a tensor if it has fewer elements than the sum has terms, and not
/// one for each pair of positions.
bool ContractionFormer::isWorthFormula(Value factor) {
  if (isa<BlockArgument>(factor))
    return true;
  llvm::SmallBitVector used = getDependence(reduce, factor);
  return !used.all() && !hasTwoPositions(reduce, used);
}

bool ContractionFormer::match() {
  if (reduce.getKind() != ReduceKind::Sum || !reduce.getPredicate().empty() ||
      !getComputeTypeOf(reduce->getResult(0)).isF32())
    return false;
  SmallVector<Value> factors;
  collectFactors(reduce.getBody().front().getTerminator()->getOperand(0), factors, product.scale);
  unsigned numOutput = reduce.getNumOutputIndices(), numIndices = reduce.getNumIndices();
  for (Value factor : factors) {
    llvm::SmallBitVector used = getDependence(reduce, factor);
    bool inner = used.any() && unsigned(used.find_last()) >= numOutput;
    (inner ? product.factors : product.outer).push_back(factor);
  }
  if (product.factors.size() != 2 || product.factors[0] == product.factors[1])
    return false;
  // Both factors run over every summed index: otherwise one of them should be summed first.
  for (Value factor : product.factors) {
    llvm::SmallBitVector used = getDependence(reduce, factor);
    for (unsigned i = numOutput; i != numIndices; ++i)
      if (!used.test(i))
        return false;
    if (!isWorthFormula(factor))
      return false;
  }
  return true;
}

/// The tensor a factor is read from, and where; computed factors are made a tensor first.
std::pair<Value, AffineMap> ContractionFormer::getFactor(Value factor) {
  if (auto argument = dyn_cast<BlockArgument>(factor)) {
    unsigned input = argument.getArgNumber();
    return {reduce.getInputs()[input], reduce.getInputMap(input)};
  }
  llvm::SmallBitVector used = getDependence(reduce, factor);
  return outlineFormula(rewriter, reduce, factor, llvm::to_vector_of<unsigned>(used.set_bits()));
}

bool ContractionFormer::run() {
  if (!match())
    return false;
  rewriter.setInsertionPoint(reduce);
  auto [lhs, lhsMap] = getFactor(product.factors[0]);
  auto [rhs, rhsMap] = getFactor(product.factors[1]);
  // What is rounded when it is stored is the whole product.
  auto type = cast<RankedTensorType>(reduce->getResult(0).getType());
  if (!product.outer.empty())
    type = type.clone(rewriter.getF32Type());
  auto op = ContractOp::create(rewriter, reduce.getLoc(), type, ValueRange{lhs, rhs}, Value(),
                               reduce.getIndices(),
                               rewriter.getAffineMapArrayAttr({lhsMap, rhsMap}), ArrayAttr(),
                               rewriter.getF64FloatAttr(product.scale), UnitAttr(), UnitAttr());
  if (product.outer.empty())
    copyLabel(reduce, op);
  else
    labelPart(reduce, op);
  rewriter.replaceOp(reduce, multiplyBehind(rewriter, reduce, op->getResult(0), product.outer));
  return true;
}

namespace {
class FormContractionsPass : public weft::impl::FormContractionsPassBase<FormContractionsPass> {
public:
  using FormContractionsPassBase::FormContractionsPassBase;

  void runOnOperation() override {
    SmallVector<ReduceOp> reduces;
    getOperation()->walk([&](ReduceOp op) { reduces.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (ReduceOp reduce : reduces)
      if (ContractionFormer(rewriter, reduce).run())
        ++numFormed;
  }
};
} // namespace
