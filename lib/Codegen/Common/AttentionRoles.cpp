//===- AttentionRoles.cpp - what each index of an attention does ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/AttentionRoles.h"

#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/Product.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace weft;

/// The maps of all keys and of the values.
static SmallVector<AffineMap> getKeyMaps(AttentionOp op) {
  FormulaOpInterface formula = op;
  SmallVector<AffineMap> maps{formula.getInputMap(2 * op.getDots())};
  for (unsigned i = 0; i != op.getDots(); ++i)
    maps.push_back(formula.getInputMap(2 * i + 1));
  return maps;
}

/// Whether keys or values differ for different values of the index.
static bool keysDependOn(AttentionOp op, unsigned position) {
  return llvm::any_of(getKeyMaps(op), [&](AffineMap map) { return map.isFunctionOfDim(position); });
}

/// How many neighbouring values of the index, which begin at a multiple of that, have the same keys
/// and values.
static int64_t getNumSharing(AttentionOp op, unsigned position) {
  int64_t sharing = FormulaOpInterface(op).getIndexAttr(position).getSize();
  std::function<void(AffineExpr)> visit = [&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary) {
      if (expr.isFunctionOfDim(position))
        sharing = 1;
      return;
    }
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    bool isQuotient = expr.getKind() == AffineExprKind::FloorDiv && divisor &&
                      binary.getLHS() == getAffineDimExpr(position, op.getContext());
    if (isQuotient)
      sharing = std::gcd(sharing, divisor.getValue());
    else
      for (AffineExpr operand : {binary.getLHS(), binary.getRHS()})
        visit(operand);
  };
  for (AffineMap map : getKeyMaps(op))
    llvm::for_each(map.getResults(), visit);
  return sharing;
}

AttentionRoles::AttentionRoles(AttentionOp op) {
  assignIndices(op);
  findGroup(op);
  sizeV = getBoundProduct(op.getIndices(), columns);
  for (ArrayRef<unsigned> indices : contracted)
    sizeC.push_back(getBoundProduct(op.getIndices(), indices));
  normalized = op.getNormalizer() == Normalizer::Softmax;
  Block &score = op.getScore().front();
  plainScore = op.getDots() == 1 && score.getTerminator()->getOperand(0) == score.getArgument(0) &&
               score.without_terminator().empty();
}

/// Whether the number itself may be near the least one that is finite: what a text, or who calls
/// it, adds to hide a key. Products with what is not constant are taken for what they seem to be.
/// Appends what else it may be such a number by.
static bool hides(AttentionOp op, Value value, SmallVectorImpl<Value> &madeOf) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<FloatType>(argument.getType()) && (argument.getOwner() != &op.getScore().front() ||
                                                  argument.getArgNumber() >= op.getDots());
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getValue().isFinite() && std::abs(constant.getValueAsDouble()) > kLimitedOffset;
  Operation *def = value.getDefiningOp();
  bool isScaled = isa<arith::MulFOp, arith::DivFOp>(def) &&
                  llvm::any_of(def->getOperands(),
                               [](Value operand) { return matchPattern(operand, m_Constant()); });
  if (isScaled ||
      isa<arith::SelectOp, arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::MaximumFOp,
          arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(def))
    llvm::append_range(madeOf, def->getOperands().drop_front(isa<arith::SelectOp>(def)));
  return false;
}

static bool mayHideKeys(AttentionOp op) {
  SmallVector<Value> worklist{op.getScore().front().getTerminator()->getOperand(0)};
  SmallPtrSet<Value, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (seen.insert(value).second && hides(op, value, worklist))
      return true;
  }
  return false;
}

Value weft::limitScore(LaneBuilder &lanes, AttentionOp op, Value score) {
  if (!mayHideKeys(op))
    return score;
  OpBuilder &b = lanes.b;
  Value part = arith::MulFOp::create(b, lanes.loc, score, lanes.floatVector(1 / kLimitedFactor));
  Value limited = arith::SubFOp::create(b, lanes.loc, part, lanes.floatVector(kLimitedOffset));
  return emitLarger(lanes, score, limited);
}

void AttentionRoles::findGroup(AttentionOp op) {
  FormulaOpInterface formula = op;
  for (unsigned position : outer) {
    if (formula.getIndexAttr(position).getDynamic())
      continue;
    int64_t sharing = getNumSharing(op, position);
    if (sharing > groupSize) {
      group = position;
      groupSize = sharing;
    }
  }
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

void weft::storeRowResults(LaneBuilder &lanes, RegionEmitter region, AttentionOp op, Value largest,
                           Value total) {
  bool isSoftmax = op.getNormalizer() == Normalizer::Softmax;
  Value sum = isSoftmax ? emitLogSum(lanes, largest, total) : total;
  region.storeOutput(op, lanes.uniform(sum), /*number=*/1);
  if (op.hasLargest())
    region.storeOutput(op, lanes.uniform(emitLargestScore(lanes, largest, total)), /*number=*/2);
}
