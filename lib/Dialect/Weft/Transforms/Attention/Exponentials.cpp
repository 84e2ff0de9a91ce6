//===- Exponentials.cpp - a softmax written out ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Exponentials.h"

#include "Exponents.h"
#include "KeyMasks.h"
#include "weft/Dialect/Weft/IR/IndexDependence.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

#include <cmath>

using namespace mlir;
using namespace weft;

Exponentials::Exponentials(RewriterBase &rewriter, AttentionMatch &match)
    : rewriter(rewriter), match(match), consumer(match.consumer), known(match.getFormulas()),
      weights(cast<MapOp>(known.front())) {
  findScale();
}

SmallVector<Operation *> Exponentials::getGone() {
  llvm::SetVector<Operation *> gone;
  if (shift && (needed || shift->isLargest() || shift->largest->hasOneUse()))
    gone.insert(shift->largest);
  // Readers come before what they read.
  Block *block = weights->getBlock();
  for (Operation &op : llvm::reverse(*block))
    if (isa<FormulaOpInterface>(op) && llvm::all_of(op.getUsers(), [&](Operation *user) {
          return gone.contains(block->findAncestorOpInBlock(*user));
        }))
      gone.insert(&op);
  gone.insert(known.begin(), known.end());
  return gone.takeVector();
}

MapOp Exponentials::buildScores() {
  rewriter.setInsertionPoint(weights);
  auto scores = cast<MapOp>(rewriter.clone(*weights));
  attrs::Label::remove(scores);
  Block &body = scores.getBody().front();
  OpBuilder builder(body.getTerminator());
  Value exponent = emitExponent(builder, body.getTerminator()->getOperand(0));
  body.getTerminator()->setOperand(0, exponent);
  if (shift) {
    builder.setInsertionPointToStart(&body);
    Value zero = arith::ConstantOp::create(builder, weights.getLoc(), builder.getF32FloatAttr(0.0));
    body.getArgument(shift->input).replaceAllUsesWith(zero);
  }
  return scores;
}

//===----------------------------------------------------------------------------------------===//
// What the scale of a row is needed for
//===----------------------------------------------------------------------------------------===//

/// From the dimensions of a tensor over these indices of the consumer to the row: the indices of
/// the first total.
AffineMap Exponentials::getRow(ArrayRef<unsigned> indices) {
  SmallVector<AffineExpr> row;
  for (unsigned index : match.rowIndices)
    row.push_back(rewriter.getAffineDimExpr(llvm::find(indices, index) - indices.begin()));
  return AffineMap::get(indices.size(), 0, row, rewriter.getContext());
}

void Exponentials::startSums(RowScale &scale, double rate) {
  RowForm form{RowForm::Scaled, rate};
  scale.start(consumer->getResult(0),
              getRow(llvm::to_vector(llvm::seq(0u, consumer.getNumOutputIndices()))), form);
  for (const WeightTotal &total : match.totals)
    scale.start(total.op->getResult(0), getRow(total.indices), form);
}

bool Exponentials::cancels(RowScale &scale) {
  if (!scale.cancels(known))
    return false;
  changed = scale.getTensors();
  return true;
}

/// Whether what else is made of the shift is read by the sums, which it then cannot follow.
bool Exponentials::feedsSums(Value shift, const RowShift &found) {
  SmallVector<Operation *> readers;
  for (Operation *user : shift.getUsers())
    if (user != weights && user != found.m.getDefiningOp())
      readers.push_back(weights->getBlock()->findAncestorOpInBlock(*user));
  return readWhatIsMadeOf(known, readers);
}

/// Whether the weights' shift may be any number.
bool Exponentials::canShift(const RowShift &found) {
  RowScale scale;
  scale.start(found.m, getRow(found.indices), {RowForm::Linear, 1});
  startSums(scale, found.rate);
  return !feedsSums(found.m, found) && cancels(scale);
}

void Exponentials::findScale() {
  std::optional<RowShift> found = matchShift(consumer, match.weightOperand);
  if (found && canShift(*found)) {
    shift = found;
    divided = shift->isLargest();
    return;
  }
  needed = found && !feedsSums(found->m, *found) &&
           !feedsSums(found->largest->getResult(0), *found) &&
           isLargestSeen(*found, consumer, match.weightOperand);
  if (needed)
    shift = found;
  RowScale scale;
  startSums(scale, 1);
  divided = cancels(scale);
}

//===----------------------------------------------------------------------------------------===//
// What stands in the places of sums
//===----------------------------------------------------------------------------------------===//

/// The sum of a row's weights: exp(R + rate * m).
Value Exponentials::emitScale(RowWriter &writer) {
  if (divided)
    return writer.constant(1);
  OpBuilder &body = writer.getBody();
  Value exponent = rows->readLogSum(writer);
  if (shift) {
    Value m = writer.readRow(shift->m, shift->indices);
    exponent = arith::AddFOp::create(body, writer.getLoc(), exponent,
                                     writer.multiply(writer.constant(shift->rate), m));
  }
  return math::ExpOp::create(body, writer.getLoc(), exponent);
}

/// R takes the place of the rows' largest exponent, or it is a result.
void Exponentials::replaceLargest() {
  Value largest = shift->largest->getResult(0);
  auto emit = [&](RowWriter &writer) {
    return needed ? rows->readLargest(writer)
                  : writer.multiply(rows->readLogSum(writer), writer.constant(-1 / shift->rate));
  };
  MapOp made = rows->build(largest, shift->largestIndices, emit, /*isLargest=*/needed);
  Operation *only = shift->isLargest() || needed ? nullptr : shift->m.getDefiningOp();
  rewriter.replaceUsesWithIf(largest, made->getResult(0), [&](OpOperand &use) {
    return only ? use.getOwner() == only : use.getOwner() != weights.getOperation();
  });
  if (shift->isLargest())
    shift->m = made->getResult(0);
}

/// The sums of the weights alone.
void Exponentials::replaceTotals() {
  for (const WeightTotal &total : match.totals) {
    MapOp made = rows->build(total.op->getResult(0), total.indices,
                             [&](RowWriter &writer) { return emitScale(writer); });
    copyLabel(total.op, made);
    rewriter.replaceOp(total.op, made);
  }
}

void Exponentials::replace(AttentionOp attention, Value sums) {
  moveMasks(attention, -INFINITY);
  rows.emplace(rewriter, consumer, match.rowIndices, attention);
  for (Value tensor : changed)
    labelPart(tensor.getDefiningOp(), tensor.getDefiningOp());
  if (shift)
    replaceLargest();
  replaceTotals();
  if (!divided) {
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq(0u, consumer.getNumOutputIndices()));
    MapOp scaled = rows->build(sums, all, [&](RowWriter &writer) {
      return writer.multiply(writer.readRow(sums, all), emitScale(writer));
    });
    copyLabel(consumer, scaled);
    sums = scaled->getResult(0);
  }
  Block *block = weights->getBlock();
  rewriter.replaceOp(consumer, sums);
  eraseIfDead(rewriter, weights);
  sortTopologically(block);
}
