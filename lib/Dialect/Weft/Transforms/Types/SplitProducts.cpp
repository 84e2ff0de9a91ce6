//===- SplitProducts.cpp - products of factors that are split ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// x = b1 + b2 + b3 with b1 = bf16(x), b2 = bf16(x - b1), b3 = bf16(x - b1 - b2) holds the 24 bits
// of an f32, b1 + b2 16 of them. A product of two such sums is that of their parts; those that are
// left out, of parts a and b with a + b > 3 or 4, are as small as what f32 rounds away. How a
// factor is split is a matter of how it is stored, and stays with the layouts of stage `kernels`.
//
//===----------------------------------------------------------------------------------------===//

#include "Types/SplitProducts.h"

#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

/// An f32, times one or what is the sum of fewer numbers of bf16.
static bool areReals(ContractOp op, unsigned weight) {
  Type stored = getElementTypeOrSelf(op.getOperand(weight));
  return getElementTypeOrSelf(op.getOperand(1 - weight)).isF32() &&
         (stored.isF32() || stored.isF16() || stored.isBF16());
}

/// Codes that stand for reals have layouts of their own.
static bool isCoded(const TensorClasses &classes, Value weight) {
  return llvm::any_of(classes.getMembers(classes.classOf(weight)), [](Value member) {
    auto op = member.getDefiningOp<WeightOp>();
    return op && op.getCoded();
  });
}

/// Units multiply pairs of what is summed over, of rows that the activation has.
static bool canSplit(ContractOp op, const Product &product, unsigned weight) {
  FormulaOpInterface formula = op;
  AffineMap rows = formula.getInputMap(1 - weight);
  bool hasRows =
      llvm::any_of(product.m, [&](unsigned index) { return rows.isFunctionOfDim(index); });
  bool isFixed = llvm::none_of(
      product.k, [&](unsigned index) { return bool(formula.getIndexAttr(index).getDynamic()); });
  return hasRows && isFixed && getBoundProduct(op.getIndices(), product.k) % kSplitDepth == 0;
}

unsigned weft::splitProducts(ModuleOp module, const TensorClasses &classes, FactorTypes &types,
                             int parts, function_ref<bool(ContractOp, const Product &)> wanted) {
  unsigned split = 0;
  module.walk([&](ContractOp op) {
    bool isWeight[] = {classes.isWeight(op.getLhs()), classes.isWeight(op.getRhs())};
    if (isWeight[0] == isWeight[1] || types.isPlain(op))
      return;
    unsigned weight = isWeight[1] ? 1 : 0;
    // Data choose none of the matrices.
    std::optional<Product> product = Product::match(op, weight);
    if (product && areReals(op, weight) && !isCoded(classes, op.getOperand(weight)) &&
        types.isFactor(op->getOpOperand(weight)) && canSplit(op, *product, weight) &&
        wanted(op, *product)) {
      attrs::Parts::set(op, int64_t(parts));
      ++split;
    }
  });
  return split;
}
