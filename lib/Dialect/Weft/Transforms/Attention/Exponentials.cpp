//===- Exponentials.cpp - a softmax written out ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Exponentials.h"

#include "ElementWriter.h"
#include "Exponents.h"
#include "IndexDependence.h"
#include "KeyMasks.h"

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
  if (shift && (shift->isLargest() || shift->largest->hasOneUse()))
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

/// Whether the weights' shift may be any number.
bool Exponentials::canShift(const RowShift &found) {
  RowScale scale;
  scale.start(found.m, getRow(found.indices), {RowForm::Linear, 1});
  startSums(scale, found.rate);
  SmallVector<Operation *> readers;
  for (Operation *user : found.m.getUsers())
    if (user != weights)
      readers.push_back(weights->getBlock()->findAncestorOpInBlock(*user));
  return !readWhatIsMadeOf(known, readers) && cancels(scale);
}

void Exponentials::findScale() {
  std::optional<RowShift> found = matchShift(consumer, match.weightOperand);
  if (found && canShift(*found)) {
    shift = found;
    divided = shift->isLargest();
    return;
  }
  RowScale scale;
  startSums(scale, 1);
  divided = cancels(scale);
}

//===----------------------------------------------------------------------------------------===//
// What stands in the places of sums
//===----------------------------------------------------------------------------------------===//

/// Writes a map over indices of the sum of values.
class weft::RowWriter : public ElementWriter {
public:
  RowWriter(OpBuilder &builder, FormulaOpInterface consumer, ArrayRef<unsigned> indices)
      : ElementWriter(
            builder, consumer.getLoc(),
            llvm::map_to_vector(indices, [&](unsigned i) { return consumer.getIndexAttr(i); })),
        indices(indices) {}

  /// The element of a tensor over these indices of the sum.
  Value readRow(Value tensor, ArrayRef<unsigned> at) {
    return read(tensor, llvm::map_to_vector(at, [&](unsigned index) {
                  return getBody().getAffineDimExpr(llvm::find(indices, index) - indices.begin());
                }));
  }

private:
  ArrayRef<unsigned> indices;
};

/// A formula in the place of the tensor `like` over these indices. What is emitted holds for rows
/// that see a key; it is 0 for the others.
MapOp Exponentials::buildRows(Value like, ArrayRef<unsigned> indices, Emit emit) {
  RowWriter writer(rewriter, consumer, indices);
  Value result = emit(writer);
  if (!seesKeys) {
    OpBuilder &body = writer.getBody();
    Value logSum = writer.readRow(attention->getResult(1), match.rowIndices);
    Value isEmpty = arith::CmpFOp::create(body, writer.getLoc(), arith::CmpFPredicate::OEQ, logSum,
                                          writer.constant(INFINITY));
    result = arith::SelectOp::create(body, writer.getLoc(), isEmpty, writer.constant(0), result);
  }
  return writer.buildMap(like.getType(), result);
}

/// The sum of a row's weights: exp(R + rate * m).
Value Exponentials::emitScale(RowWriter &writer) {
  if (divided)
    return writer.constant(1);
  OpBuilder &body = writer.getBody();
  Value exponent = writer.readRow(attention->getResult(1), match.rowIndices);
  if (shift) {
    Value m = writer.readRow(shift->m, shift->indices);
    exponent = arith::AddFOp::create(body, writer.getLoc(), exponent,
                                     writer.multiply(writer.constant(shift->rate), m));
  }
  return math::ExpOp::create(body, writer.getLoc(), exponent);
}

/// R takes the place of the rows' largest exponent.
void Exponentials::replaceLargest() {
  Value largest = shift->largest->getResult(0);
  MapOp rows = buildRows(largest, shift->largestIndices, [&](RowWriter &writer) {
    Value logSum = writer.readRow(attention->getResult(1), match.rowIndices);
    return writer.multiply(logSum, writer.constant(-1 / shift->rate));
  });
  Operation *made = shift->isLargest() ? nullptr : shift->m.getDefiningOp();
  rewriter.replaceUsesWithIf(largest, rows->getResult(0), [&](OpOperand &use) {
    return made ? use.getOwner() == made : use.getOwner() != weights.getOperation();
  });
}

/// The sums of the weights alone.
void Exponentials::replaceTotals() {
  for (const WeightTotal &total : match.totals) {
    MapOp rows = buildRows(total.op->getResult(0), total.indices,
                           [&](RowWriter &writer) { return emitScale(writer); });
    copyLabel(total.op, rows);
    rewriter.replaceOp(total.op, rows);
  }
}

void Exponentials::replace(AttentionOp op, Value sums) {
  attention = op;
  moveMasks(attention, -INFINITY);
  seesKeys = leavesKeys(attention);
  for (Value tensor : changed)
    labelPart(tensor.getDefiningOp(), tensor.getDefiningOp());
  if (shift)
    replaceLargest();
  replaceTotals();
  if (!divided) {
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq(0u, consumer.getNumOutputIndices()));
    MapOp scaled = buildRows(sums, all, [&](RowWriter &writer) {
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
