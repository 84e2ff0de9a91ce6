//===- AttentionTypes.cpp - in which types an attention multiplies --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/AttentionTypes.h"

#include "weft/Dialect/Weft/IR/Product.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

Type weft::getWeightType(AttentionOp op) {
  auto isShort = [](Value tensor) { return getElementTypeOrSelf(tensor).isBF16(); };
  Builder b(op.getContext());
  if (op.getDots() != 0 && llvm::all_of(op.getInputs().take_front(2 * op.getDots() + 1), isShort))
    return b.getBF16Type();
  return b.getF32Type();
}

bool weft::areRelativeToPower(AttentionOp op) {
  return getWeightType(op).isBF16() && !op.hasLargest();
}

int64_t weft::getHeadSize(AttentionOp op) {
  FormulaOpInterface formula = op;
  unsigned key = op.getKeyIndex();
  SmallVector<unsigned> columns;
  for (unsigned i = 0; i != key; ++i)
    if (formula.getInputMap(2 * op.getDots()).isFunctionOfDim(i) && !op.selectsRow(i))
      columns.push_back(i);
  int64_t size = getBoundProduct(op.getIndices(), columns);
  for (unsigned dot = 0; dot != op.getDots(); ++dot) {
    SmallVector<unsigned> contracted;
    for (unsigned i = key + 1; i != formula.getNumIndices(); ++i)
      if (formula.getInputMap(2 * dot).isFunctionOfDim(i) ||
          formula.getInputMap(2 * dot + 1).isFunctionOfDim(i))
        contracted.push_back(i);
    size = llvm::SaturatingAdd<uint64_t>(size, getBoundProduct(op.getIndices(), contracted));
  }
  return size;
}
