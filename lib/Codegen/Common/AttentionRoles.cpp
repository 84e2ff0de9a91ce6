//===- AttentionRoles.cpp - what each index of an attention does ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/AttentionRoles.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

/// Whether keys or values differ for different values of the index.
static bool keysDependOn(AttentionOp op, unsigned position) {
  FormulaOpInterface formula = op;
  for (unsigned i = 0; i != op.getDots(); ++i)
    if (formula.getInputMap(2 * i + 1).isFunctionOfDim(position))
      return true;
  return formula.getInputMap(2 * op.getDots()).isFunctionOfDim(position);
}

AttentionRoles::AttentionRoles(AttentionOp op) {
  assignIndices(op);
  sizeV = getBoundProduct(op.getIndices(), columns);
  for (ArrayRef<unsigned> indices : contracted)
    sizeC.push_back(getBoundProduct(op.getIndices(), indices));
  normalized = op.getNormalizer() == Normalizer::Softmax;
  Block &score = op.getScore().front();
  plainScore = op.getDots() == 1 && score.getTerminator()->getOperand(0) == score.getArgument(0) &&
               score.without_terminator().empty();
}

void AttentionRoles::assignIndices(AttentionOp op) {
  FormulaOpInterface formula = op;
  AffineMap valueMap = formula.getInputMap(2 * op.getDots());
  int64_t largest = 0;
  for (unsigned position : getStoredOrder(formula)) {
    // Blocks hold all columns: their number is fixed.
    if (valueMap.isFunctionOfDim(position) && !op.selectsRow(position) &&
        !formula.getIndexAttr(position).getDynamic()) {
      columns.push_back(position);
      continue;
    }
    outer.push_back(position);
    int64_t size = formula.getIndexAttr(position).getSize();
    if (!keysDependOn(op, position) && size > largest) {
      query = position;
      largest = size;
    }
  }
  if (query)
    outer.erase(llvm::find(outer, *query));
  for (unsigned i = 0; i != op.getDots(); ++i) {
    SmallVector<unsigned> &indices = contracted.emplace_back();
    for (unsigned c = op.getKeyIndex() + 1; c != formula.getNumIndices(); ++c)
      if (formula.getInputMap(2 * i).isFunctionOfDim(c) ||
          formula.getInputMap(2 * i + 1).isFunctionOfDim(c))
        indices.push_back(c);
  }
}
