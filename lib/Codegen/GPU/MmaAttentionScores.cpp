//===- MmaAttentionScores.cpp - from scores to weights, in registers -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GroupWalk.h"
#include "MmaAttentionTask.h"

#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Dialect/Weft/IR/AttentionTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;

/// Of a thread; those that have sums of their own, whose loops carry a number for each.
static constexpr size_t kSumsAtOnce = 4;

/// A thread has two scores of each of two rows for eight keys.
static int64_t getKeysOf(size_t scores) { return int64_t(scores) / kRegistersC * kMmaColumns; }

//===----------------------------------------------------------------------------------------===//
// The regions
//===----------------------------------------------------------------------------------------===//

/// Whether a score is its product, times something that does not change the order.
bool MmaAttentionTask::isPlain() {
  return plan.roles.plainScore && plan.roles.normalized && op.getScales()[0] > 0;
}

float MmaAttentionTask::getFactor() {
  return isPlain() ? float(op.getScales()[0] * kLog2E) : kLog2E;
}

/// Some keys after the other, so that what their regions read, if there is such, does not wait in
/// registers all at once. Without masks where they lie within the bounds of all rows of the warp.
MmaAttentionTask::Values MmaAttentionTask::finishScores(const Lanes &tile, ValueRange scores) {
  Values finished;
  size_t atOnce = hasScoreSums(op) ? kSumsAtOnce : readsMore() ? readsAtOnce : kScoresAtOnce;
  if (isPlain() && op.getPredicate().empty())
    atOnce = scores.size();
  // Where all keys of a constant number count there would be no branch between them.
  Lanes upper = readsMore() && allUpper.getConstant() ? makeOpaque(lanes, allUpper) : allUpper;
  for (size_t first = 0; first < scores.size(); first += atOnce) {
    ValueRange some = scores.slice(first, std::min(atOnce, scores.size() - first));
    Lanes start = lanes.add(tile, lanes.constant(getKeysOf(first)));
    Lanes end = lanes.add(start, lanes.constant(getKeysOf(some.size())));
    Value isWhole = lanes.andMask(lanes.compare(arith::CmpIPredicate::sle, allLower, start),
                                  lanes.compare(arith::CmpIPredicate::sle, end, upper));
    llvm::append_range(finished,
                       lanes.either(
                           isWhole, [&] { return emitRegions(start, some, /*masked=*/false); },
                           [&] { return emitRegions(start, some, /*masked=*/true); }));
  }
  return finished;
}

MmaAttentionTask::Values MmaAttentionTask::emitRegions(const Lanes &tile, ValueRange scores,
                                                       bool masked) {
  if (!masked && isPlain() && op.getPredicate().empty())
    return Values(scores);
  Values finished;
  for (int64_t i = 0; i != int64_t(scores.size()); i += 2) {
    FragmentElement place = getFragmentElement(Fragment::C, 32, i % kRegistersC);
    Lanes column = lanes.add(lanes.mul(inGroup, lanes.constant(place.column.ofThread)),
                             lanes.constant(i / kRegistersC * kMmaColumns));
    const Row &row = rows[place.row.offset / 8];
    Lanes key = lanes.add(tile, column);
    if (masked)
      for (int64_t j : {0, 1})
        llvm::append_range(finished, emitRegion(row, lanes.add(key, lanes.constant(j)),
                                                scores.slice(size_t(i + j), 1), masked));
    else
      llvm::append_range(finished, emitRegion(row, key, scores.slice(size_t(i), 2), masked));
  }
  return finished;
}

/// For neighbouring keys of a row. A key past the end, which is masked, reads the last one's.
MmaAttentionTask::Values MmaAttentionTask::emitRegion(const Row &row, const Lanes &key,
                                                      ValueRange scores, bool masked) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  LaneBuilder together = lanes.withWidth(int64_t(scores.size()));
  Value holds, score = scores[0];
  Lanes keys = key;
  if (masked) {
    holds = lanes.compare(arith::CmpIPredicate::slt, key, row.upper);
    if (op.getKeyLower())
      holds = lanes.andMask(holds, lanes.compare(arith::CmpIPredicate::sge, key, row.lower));
    keys = lanes.min(key, lanes.sub(numKeys, lanes.constant(1)));
  } else {
    score = vector::FromElementsOp::create(b, loc, VectorType::get({2}, b.getF32Type()), scores);
    keys = together.iota(key);
  }
  SmallVector<Lanes> indices = row.indices;
  indices[op.getKeyIndex()] = keys;
  indices[op.getKeyIndex()].interval = {0, keyIndex().getSize() - 1};
  RegionEmitter region(together, kernel, indices, /*mask=*/Value());
  SmallVector<Lanes> extras = region.loadInputs(op.getInputs(), op.getMaps(), 2 * op.getDots() + 1);
  if (!isPlain()) {
    Value scale = together.floatVector(float(op.getScales()[0]));
    SmallVector<Lanes> arguments{together.uniform(arith::MulFOp::create(b, loc, score, scale))};
    llvm::append_range(arguments, extras);
    score = together.materialize(region.emit(op.getScore(), arguments)[0]);
    if (hasRowSum())
      score = limitScore(together, op, score);
  }
  if (!op.getPredicate().empty())
    holds =
        together.andMask(holds, together.materialize(region.emit(op.getPredicate(), extras)[0]));
  float otherwise = plan.roles.normalized ? -std::numeric_limits<float>::infinity() : 0;
  score = together.select(holds, score, together.floatVector(otherwise));
  if (masked)
    return {score};
  return {vector::ExtractOp::create(b, loc, score, 0), vector::ExtractOp::create(b, loc, score, 1)};
}

//===----------------------------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------------------------===//

Value MmaAttentionTask::overRow(Value value, ReduceKind kind) {
  for (int64_t distance : {1, 2})
    value = combine(lanes, kind, value, shuffle(lanes, value, distance));
  return value;
}

MmaAttentionTask::Values MmaAttentionTask::emitWeights(ValueRange scores, State &state) {
  return asFactor(lanes, emitRealWeights(scores, state), plan.element);
}

/// In two chains, as each step waits for the one before it.
static Value combineAll(LaneBuilder &lanes, ReduceKind kind, ValueRange values) {
  Value chains[2] = {};
  for (auto [i, value] : llvm::enumerate(values)) {
    Value &chain = chains[i % 2];
    chain = chain ? combine(lanes, kind, chain, value) : value;
  }
  return chains[1] ? combine(lanes, kind, chains[0], chains[1]) : chains[0];
}

MmaAttentionTask::Values MmaAttentionTask::emitRealWeights(ValueRange scores, State &state) {
  Values weights(scores);
  state.scales.clear();
  if (!hasTotals())
    return weights;
  for (int64_t half : {0, 1}) {
    Values ofRow;
    for (size_t i = size_t(2 * half); i < scores.size(); i += kRegistersC)
      llvm::append_range(ofRow, scores.slice(i, 2));
    if (!plan.roles.normalized) {
      Value &total = state.totals[size_t(half)];
      total = combine(lanes, ReduceKind::Sum, total, combineAll(lanes, ReduceKind::Sum, ofRow));
      continue;
    }
    ofRow = emitExponentials(half, ofRow, state);
    for (size_t i = 0; i != ofRow.size(); ++i)
      weights[i / 2 * kRegistersC + size_t(2 * half) + i % 2] = ofRow[i];
  }
  return weights;
}

/// The largest score of a row is known by half of its exponent, which no finite score makes
/// infinite; by the exponent itself where it is a result. Beyond this size neighbouring scores are
/// so far from each other that all weights but those of equal ones are 0, and what rounding a
/// product loses is more than an exponent may be wrong.
static constexpr float kFarHalf = 0x1p28f;

static Value isBeyond(LaneBuilder &lanes, Value value, float limit) {
  Value size = math::AbsFOp::create(lanes.b, lanes.loc, value);
  return arith::CmpFOp::create(lanes.b, lanes.loc, arith::CmpFPredicate::OGE, size,
                               lanes.floatConstant(limit));
}

/// A far score is multiplied with a power of two, which loses nothing: with one that is no smaller
/// than half of the factor, so that what is known of rows has the order of scores.
static float getFarFactor(float factor) { return std::exp2(std::ceil(std::log2(factor)) - 1); }

/// Of a tile's largest score.
Value MmaAttentionTask::emitLargest(Value score) {
  OpBuilder &b = lanes.b;
  Value exponent = emitExponent(lanes, score, getFactor());
  // Relative to a power of two all weights are rounded alike, whatever the largest was so far.
  if (areRelativeToPower(op))
    exponent = math::CeilOp::create(b, lanes.loc, exponent);
  if (hasRowSum())
    return exponent;
  Value far =
      arith::MulFOp::create(b, lanes.loc, score, lanes.floatConstant(getFarFactor(getFactor())));
  Value near = arith::MulFOp::create(b, lanes.loc, exponent, lanes.floatConstant(0.5f));
  return arith::SelectOp::create(b, lanes.loc, isBeyond(lanes, exponent, 2 * kFarHalf), far, near);
}

/// Powers of two relative to the largest exponent so far. One instruction multiplies and subtracts:
/// the product is not rounded, so exponents are nearer than if it were.
MmaAttentionTask::Values MmaAttentionTask::emitPowers(ValueRange scores, Value largest) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Values weights;
  if (hasRowSum()) {
    for (Value score : scores)
      weights.push_back(emitExp2(
          lanes, arith::SubFOp::create(b, loc, emitExponent(lanes, score, getFactor()), largest)));
    return weights;
  }
  Value isFar = isBeyond(lanes, largest, kFarHalf);
  Value less = arith::NegFOp::create(b, loc, largest);
  less = arith::SelectOp::create(b, loc, isFar, less, arith::AddFOp::create(b, loc, less, less));
  Value factor =
      arith::SelectOp::create(b, loc, isFar, lanes.floatConstant(getFarFactor(getFactor())),
                              lanes.floatConstant(getFactor()));
  for (Value score : scores)
    weights.push_back(emitExp2(lanes, math::FmaOp::create(b, loc, score, factor, less)));
  return weights;
}

/// Of the thread's part of a row. The total is that of the thread's weights until the end.
MmaAttentionTask::Values MmaAttentionTask::emitExponentials(int64_t half, ValueRange scores,
                                                            State &state) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value largest = overRow(combineAll(lanes, ReduceKind::Max, scores), ReduceKind::Max);
  Value before = state.largest[size_t(half)];
  largest = combine(lanes, ReduceKind::Max, before, emitLargest(largest));
  Values weights = emitPowers(scores, largest);
  Value total = combineAll(lanes, ReduceKind::Sum, weights);
  state.largest[size_t(half)] = largest;
  if (state.isNone) {
    state.totals[size_t(half)] = total;
    return weights;
  }
  Value change = arith::SubFOp::create(b, loc, before, largest);
  if (!hasRowSum())
    change = arith::AddFOp::create(b, loc, change, change);
  Value scale = emitExp2(lanes, change);
  Value &sum = state.totals[size_t(half)];
  sum =
      combine(lanes, ReduceKind::Sum, total, arith::MulFOp::create(b, loc, sum, scale, kContract));
  state.scales.push_back(scale);
  return weights;
}

/// Sums become relative to the largest score so far.
void MmaAttentionTask::rescale(State &state) {
  for (size_t half = 0; half != state.scales.size(); ++half)
    for (size_t i = 2 * half; i < state.sums.size(); i += kRegistersC)
      for (size_t j : {i, i + 1})
        state.sums[j] =
            arith::MulFOp::create(lanes.b, lanes.loc, state.sums[j], state.scales[half]);
}

/// The same where that has changed for some row: as it is a whole exponent in bf16, it seldom does.
/// Not worth a branch where products of the same warp go on meanwhile.
void MmaAttentionTask::rescaleChanged(State &state) {
  OpBuilder &b = lanes.b;
  Value changes;
  for (Value scale : state.scales) {
    Value other = arith::CmpFOp::create(b, lanes.loc, arith::CmpFPredicate::UNE, scale,
                                        lanes.floatConstant(1));
    changes = changes ? arith::OrIOp::create(b, lanes.loc, changes, other).getResult() : other;
  }
  if (changes)
    state.sums = lanes.ifThen(changes, state.sums, [&] {
      State next = state;
      rescale(next);
      return next.sums;
    });
}
