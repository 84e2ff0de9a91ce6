//===- AttentionRowEmitter.cpp - attentions, a few results at a time ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One loop over the keys that a result can reach carries the largest score, the sum of the
// exponentials and the sums of a few columns: no memory but the inputs and the output. Keys for
// which the predicate fails are left out. What is packed or shared by other results is the
// business of other emitters.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/AttentionRoles.h"
#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/RowEmitter.h"
#include "weft/Dialect/Weft/IR/AttentionTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;

static llvm::DenseMap<unsigned, int64_t> getSteps(const AttentionRoles &roles, int64_t columns) {
  llvm::DenseMap<unsigned, int64_t> steps;
  if (columns > 1)
    steps[roles.columns.back()] = columns;
  return steps;
}

namespace {

class AttentionRowEmitter : public RowEmitter {
public:
  AttentionRowEmitter(AttentionOp op, const AttentionRowSchedule &schedule)
      : AttentionRowEmitter(op, schedule, AttentionRoles(op)) {}

private:
  AttentionRowEmitter(AttentionOp op, const AttentionRowSchedule &schedule,
                      const AttentionRoles &roles)
      : RowEmitter(op, /*width=*/1, getStoredOrder(op), /*lane=*/std::nullopt, schedule.tasks,
                   getSteps(roles, schedule.columns)),
        op(op), formula(op), roles(roles), columns(schedule.columns),
        roundsWeights(getWeightType(op).isBF16()), wholeLargest(areRelativeToPower(op)) {}

  /// The indices of a result while it is computed, that of the key too.
  struct Row {
    LaneBuilder &lanes;
    const Kernel &kernel;
    SmallVector<Lanes> indices;

    RegionEmitter getRegion() const { return RegionEmitter(lanes, kernel, indices, Value()); }
  };

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value) override {
    Row row{lanes, kernel, SmallVector<Lanes>(indices)};
    auto [lower, upper] = emitBounds(row);
    SmallVector<Value> inits(columns, lanes.floatConstant(0));
    if (roles.normalized)
      inits.append({lanes.floatConstant(kLowest), lanes.floatConstant(0)});
    else if (formula.getNumOutputs() > 1)
      inits.push_back(lanes.floatConstant(0));
    Interval keys{0, formula.getIndexAttr(op.getKeyIndex()).getSize() - 1};
    SmallVector<Value> carried =
        lanes.loop(lower.value, upper.value, 1, inits, [&](Value iv, ValueRange before) {
          row.indices[op.getKeyIndex()] = lanes.uniform(iv, keys);
          return emitKey(row, before);
        });
    row.indices.assign(indices.begin(), indices.end());
    storeResults(row, carried);
  }

  /// The keys that the row can reach.
  std::pair<Lanes, Lanes> emitBounds(const Row &row) {
    LaneBuilder &lanes = row.lanes;
    Lanes lower = lanes.constant(0);
    Lanes upper = getExtent(lanes, row.kernel, op.getKeyIndex());
    SmallVector<Lanes> symbols;
    if (op.getBoundSymbols())
      for (StringRef name : op.getBoundSymbols()->getAsValueRange<StringAttr>())
        symbols.push_back(row.kernel.getSymbol(name));
    if (op.getKeyLower())
      for (AffineExpr expr : op.getKeyLower()->getResults())
        lower = lanes.max(lower, lanes.apply(expr, row.indices, symbols));
    if (op.getKeyUpper())
      for (AffineExpr expr : op.getKeyUpper()->getResults())
        upper = lanes.min(upper, lanes.apply(expr, row.indices, symbols));
    return {lower, upper};
  }

  /// The carried values after one more key: its column sums, the maximum, the sum of weights.
  SmallVector<Value> emitKey(const Row &row, ValueRange before) {
    RegionEmitter region = row.getRegion();
    SmallVector<Lanes> extras =
        region.loadInputs(op.getInputs(), op.getMaps(), 2 * op.getDots() + 1);
    auto add = [&] { return addKey(row, extras, before); };
    if (op.getPredicate().empty())
      return add();
    Value holds = region.emit(op.getPredicate(), extras)[0].value;
    return row.lanes.ifThen(holds, before, add);
  }

  SmallVector<Value> addKey(const Row &row, ArrayRef<Lanes> extras, ValueRange before) {
    OpBuilder &b = row.lanes.b;
    Location loc = row.lanes.loc;
    Value weight = emitScore(row, extras), scale;
    SmallVector<Value> after;
    if (roles.normalized) {
      Value last = before[columns], largest = emitLargest(row.lanes, weight, last);
      scale = emitPower(row.lanes, last, largest);
      weight = emitPower(row.lanes, weight, largest, Power::Weight);
      Value total = arith::MulFOp::create(b, loc, before[columns + 1], scale);
      after = {largest, arith::AddFOp::create(b, loc, total, weight)};
    } else if (formula.getNumOutputs() > 1) {
      after = {arith::AddFOp::create(b, loc, before[columns], weight)};
    }
    weight = roundWeight(row.lanes, weight);
    SmallVector<Value> sums;
    for (int64_t i = 0; i != columns; ++i) {
      Value sum = before[i];
      if (scale)
        sum = arith::MulFOp::create(b, loc, sum, scale);
      RegionEmitter region(row.lanes, row.kernel, getColumn(row, i), Value());
      Lanes value = region.load(op.getValue(), formula.getInputMap(2 * op.getDots()));
      Lanes product = region.multiply(row.lanes.uniform(weight), value);
      sums.push_back(combine(row.lanes, ReduceKind::Sum, sum, product.value));
    }
    sums.append(after);
    return sums;
  }

  /// The indices of the row's result number `i`.
  SmallVector<Lanes> getColumn(const Row &row, int64_t i) {
    SmallVector<Lanes> indices = row.indices;
    if (i == 0)
      return indices;
    Lanes &column = indices[roles.columns.back()];
    column = row.lanes.add(column, row.lanes.constant(i));
    column.interval = {0, formula.getIndexAttr(roles.columns.back()).getSize() - 1};
    return indices;
  }

  /// The score of a key; in units of log2(e), if weights are its powers.
  Value emitScore(const Row &row, ArrayRef<Lanes> extras) {
    LaneBuilder &lanes = row.lanes;
    bool scalesDot = roles.plainScore && roles.normalized;
    SmallVector<Lanes> arguments;
    for (unsigned dot = 0; dot != op.getDots(); ++dot) {
      double scale = op.getScales()[dot];
      Value product = emitDot(row, dot);
      if (scalesDot)
        product = emitExponent(lanes, product, float(scale * kLog2E));
      else if (scale != 1)
        product =
            arith::MulFOp::create(lanes.b, lanes.loc, product, lanes.floatConstant(float(scale)));
      arguments.push_back(lanes.uniform(product));
    }
    llvm::append_range(arguments, extras);
    Value score = row.getRegion().emit(op.getScore(), arguments)[0].value;
    return !roles.normalized || scalesDot ? score
                                          : emitExponent(lanes, limitScore(lanes, op, score));
  }

  Value emitDot(const Row &row, unsigned dot) {
    LaneBuilder &lanes = row.lanes;
    Value zero = lanes.floatConstant(0);
    return emitNest(lanes, row.kernel, op.getIndices(), roles.contracted[dot], row.indices, zero,
                    [&](ArrayRef<Lanes> indices, ValueRange carried) -> SmallVector<Value> {
                      RegionEmitter region(lanes, row.kernel, indices, Value());
                      Lanes query = region.load(op.getQuery(dot), formula.getInputMap(2 * dot));
                      Lanes key = region.load(op.getKey(dot), formula.getInputMap(2 * dot + 1));
                      Lanes product = region.multiply(query, key);
                      return {combine(lanes, ReduceKind::Sum, carried[0], product.value)};
                    })[0];
  }

  /// Relative to a power of two all weights are rounded alike, whatever the largest was so far.
  Value emitLargest(LaneBuilder &lanes, Value score, Value before) {
    if (wholeLargest)
      score = math::CeilOp::create(lanes.b, lanes.loc, score);
    return emitLarger(lanes, score, before);
  }

  Value emitPower(LaneBuilder &lanes, Value score, Value largest, Power power = Power::Exact) {
    return emitExp2(lanes, arith::SubFOp::create(lanes.b, lanes.loc, score, largest), power);
  }

  Value roundWeight(LaneBuilder &lanes, Value weight) {
    Type bf16 = lanes.b.getBF16Type();
    return roundsWeights ? extendElement(lanes, roundElement(lanes, weight, bf16), bf16) : weight;
  }

  void storeResults(const Row &row, ArrayRef<Value> carried) {
    OpBuilder &b = row.lanes.b;
    Location loc = row.lanes.loc;
    Value zero = row.lanes.floatConstant(0), one = row.lanes.floatConstant(1), factor;
    if (roles.normalized) {
      Value total = carried[columns + 1];
      Value some = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, total, zero);
      Value safe = arith::SelectOp::create(b, loc, some, total, one);
      Value inverse = arith::DivFOp::create(b, loc, one, safe);
      factor = arith::SelectOp::create(b, loc, some, inverse, zero);
    }
    for (int64_t i = 0; i != columns; ++i) {
      Value sum = carried[i];
      if (factor)
        sum = arith::MulFOp::create(b, loc, sum, factor);
      RegionEmitter region(row.lanes, row.kernel, getColumn(row, i), Value());
      region.storeOutput(formula, row.lanes.uniform(sum));
    }
    if (formula.getNumOutputs() > 1)
      storeRowSum(row, carried.drop_front(columns));
  }

  /// By whoever has the first columns.
  void storeRowSum(const Row &row, ArrayRef<Value> totals) {
    LaneBuilder &lanes = row.lanes;
    auto store = [&] {
      storeRowResults(lanes, row.getRegion(), op, totals.front(), totals.back());
      return SmallVector<Value>();
    };
    Value isFirst;
    for (unsigned position : roles.columns)
      isFirst = lanes.andMask(isFirst, lanes.compare(arith::CmpIPredicate::eq,
                                                     row.indices[position], lanes.constant(0)));
    if (isFirst)
      lanes.ifThen(isFirst, {}, store);
    else
      store();
  }

  AttentionOp op;
  FormulaOpInterface formula;
  AttentionRoles roles;
  int64_t columns;
  bool roundsWeights;
  bool wholeLargest; ///< weights are relative to a power of two
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createAttentionRowEmitter(AttentionOp op,
                                                               LoweringAttr lowering) {
  return createFor<AttentionRowEmitter, AttentionRowSchedule>(op, lowering);
}
