//===- ReduceEmitter.cpp - reductions, and contractions as reductions -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The vector runs either along a reduced index (partial results in the lanes, combined at the
// end) or along the output's last stored index (every lane is another result), whichever lets
// more inputs be read contiguously.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"

using namespace mlir;
using namespace weft;

namespace {

/// The part that reductions and contractions share.
class ReductionEmitter : public KernelEmitter {
public:
  ReductionEmitter(FormulaOpInterface op, LoweringAttr lowering, ReduceKind kind,
                   unsigned numFactors)
      : op(op), kind(kind), order(getStoredOrder(op)), numFactors(numFactors),
        plan(choosePlan(lowering.getWidth())),
        rows(op.getIndices(), plan.rows, plan.work, lowering.getParallel()) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return rows.getNumTasks(lanes, kernel);
  }

  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    LaneBuilder lanes = outer.withWidth(plan.width);
    SmallVector<Lanes> values(op.getNumIndices());
    rows.emit(lanes, kernel, task, values, [&](ArrayRef<Lanes> row) {
      if (!plan.alongOutput)
        return emitResult(lanes, kernel, row, Value());
      SmallVector<Lanes> indices(row);
      Lanes extent = kernel.getExtent(lanes, op.getIndexAttr(plan.lane));
      lanes.laneLoop(lanes.constant(0), extent, {},
                     [&](const Lanes &index, Value mask, ValueRange) {
                       indices[plan.lane] = index;
                       emitResult(lanes, kernel, indices, mask);
                       return SmallVector<Value>();
                     });
    });
  }

protected:
  /// The element that is reduced.
  virtual Lanes emitElement(RegionEmitter &region) = 0;
  /// Whether the element counts, or null: always.
  virtual Value emitPredicate(LaneBuilder &, RegionEmitter &) { return Value(); }
  virtual bool hasPredicate() { return false; }
  virtual bool yieldsIndex() { return false; }
  virtual Type elementType() { return Float32Type::get(op->getContext()); }
  /// What is stored, for the reduced value.
  virtual Lanes finish(LaneBuilder &lanes, RegionEmitter &region, Lanes value) { return value; }

  FormulaOpInterface op;
  ReduceKind kind;
  SmallVector<unsigned> order;

private:
  struct Plan {
    SmallVector<unsigned> rows, reduced; ///< scalar loops outside and inside
    unsigned lane = 0;                   ///< the index of the lanes
    bool alongOutput = false, alongReduced = false;
    int64_t width = 1, work = 1;
  };

  Plan choosePlan(int64_t width) {
    Plan plan;
    unsigned numOutput = op.getNumOutputIndices(), numIndices = op.getNumIndices();
    for (unsigned i = numOutput; i != numIndices; ++i)
      plan.reduced.push_back(i);
    plan.rows = order;
    int64_t perResult = getBoundProduct(op.getIndices(), plan.reduced);
    plan.work = perResult;
    // The cheapest candidate per lane; the output first, as it needs no horizontal step.
    double best = 0;
    auto consider = [&](unsigned position, bool alongOutput) {
      int64_t useful = getUsefulWidth(width, op.getIndexAttr(position));
      int64_t cost =
          getVectorCost(op.getInputs().take_front(numFactors), op.getMaps(), position, useful) +
          (isa<ReduceOp>(op) ? getGatherCost(op, position, useful) : 0);
      double perLane = double(cost + 1) / useful;
      if (useful == 1 || (plan.width > 1 && perLane >= best))
        return;
      best = perLane;
      plan.lane = position;
      plan.alongOutput = alongOutput;
      plan.alongReduced = !alongOutput;
      plan.width = useful;
    };
    if (!order.empty())
      consider(order.back(), true);
    for (unsigned i = numIndices; i-- > numOutput;)
      consider(i, false);
    if (plan.alongOutput) {
      plan.rows.pop_back();
      plan.work = perResult * op.getIndexAttr(plan.lane).getSize();
    } else if (plan.alongReduced) {
      plan.reduced.erase(llvm::find(plan.reduced, plan.lane));
    }
    return plan;
  }

  /// The types of the values that the loops carry: the accumulator, for argmax its index, and the
  /// count of elements if there is a predicate.
  bool isArgMax() { return kind == ReduceKind::ArgMax; }
  bool countsElements() {
    return hasPredicate() &&
           (kind == ReduceKind::Mean || kind == ReduceKind::Max || kind == ReduceKind::Min);
  }

  Value splat(LaneBuilder &lanes, Type element, bool neutral) {
    Type laneType = element.isIndex() && lanes.width > 1 ? lanes.b.getI64Type() : element;
    Type type = lanes.vectorOf(laneType);
    TypedAttr attr =
        neutral ? getNeutral(lanes, kind, type) : cast<TypedAttr>(lanes.b.getZeroAttr(type));
    return arith::ConstantOp::create(lanes.b, lanes.loc, attr);
  }

  SmallVector<Value> getInits(LaneBuilder &lanes) {
    SmallVector<Value> inits{splat(lanes, elementType(), true)};
    if (isArgMax())
      inits.push_back(splat(lanes, lanes.b.getIndexType(), false));
    if (countsElements())
      inits.push_back(splat(lanes, lanes.b.getF32Type(), false));
    return inits;
  }

  SmallVector<Value> accumulate(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
                                Value mask, ValueRange carried) {
    OpBuilder &b = lanes.b;
    RegionEmitter region(lanes, kernel, indices, mask);
    Value element = lanes.materialize(emitElement(region), yieldsIndex());
    Value holds = emitPredicate(lanes, region);
    if (plan.alongReduced)
      holds = lanes.andMask(holds, mask);
    SmallVector<Value> next;
    if (isArgMax()) {
      Value larger =
          isa<FloatType>(getElementTypeOrSelf(element.getType()))
              ? arith::CmpFOp::create(b, lanes.loc, arith::CmpFPredicate::OGT, element, carried[0])
                    .getResult()
              : arith::CmpIOp::create(b, lanes.loc, arith::CmpIPredicate::sgt, element, carried[0])
                    .getResult();
      larger = lanes.andMask(larger, holds);
      Value position = lanes.materialize(indices[op.getNumOutputIndices()], /*wide=*/true);
      next = {lanes.select(larger, element, carried[0]),
              lanes.select(larger, position, carried[1])};
    } else {
      next = {lanes.select(holds, combine(lanes, kind, carried[0], element), carried[0])};
    }
    if (countsElements()) {
      Value one = lanes.floatVector(1), zero = lanes.floatVector(0);
      next.push_back(
          arith::AddFOp::create(b, lanes.loc, carried.back(), lanes.select(holds, one, zero)));
    }
    return next;
  }

  void emitResult(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value mask) {
    SmallVector<Value> results = emitNest(
        lanes, kernel, op.getIndices(), plan.reduced, SmallVector<Lanes>(indices), getInits(lanes),
        [&](ArrayRef<Lanes> inner, ValueRange carried) -> SmallVector<Value> {
          if (!plan.alongReduced)
            return accumulate(lanes, kernel, inner, mask, carried);
          SmallVector<Lanes> values(inner);
          Lanes extent = kernel.getExtent(lanes, op.getIndexAttr(plan.lane));
          return lanes.laneLoop(lanes.constant(0), extent, carried,
                                [&](const Lanes &index, Value tail, ValueRange current) {
                                  values[plan.lane] = index;
                                  return accumulate(lanes, kernel, values, tail, current);
                                });
        });
    if (plan.alongReduced)
      combineLanes(lanes, results);
    LaneBuilder scalar = lanes.withWidth(plan.alongReduced ? 1 : plan.width);
    RegionEmitter region(scalar, kernel, indices, mask);
    Lanes value = scalar.uniform(isArgMax() ? results[1] : normalize(scalar, kernel, results));
    storeOutput(scalar, kernel, op, indices, finish(scalar, region, value), mask);
  }

  /// Replaces vectors of partial results by their combination.
  void combineLanes(LaneBuilder &lanes, SmallVector<Value> &results) {
    OpBuilder &b = lanes.b;
    if (countsElements())
      results.back() = reduceLanes(lanes, ReduceKind::Sum, results.back());
    if (!isArgMax()) {
      results[0] = reduceLanes(lanes, kind, results[0]);
      return;
    }
    Value largest = reduceLanes(lanes, ReduceKind::Max, results[0]);
    Value everywhere = lanes.materialize(lanes.uniform(largest));
    Value equal =
        isa<FloatType>(largest.getType())
            ? arith::CmpFOp::create(b, lanes.loc, arith::CmpFPredicate::OEQ, results[0], everywhere)
                  .getResult()
            : arith::CmpIOp::create(b, lanes.loc, arith::CmpIPredicate::eq, results[0], everywhere)
                  .getResult();
    Value far = arith::ConstantOp::create(b, lanes.loc,
                                          getNeutral(lanes, ReduceKind::Min, results[1].getType()));
    Value first = arith::SelectOp::create(b, lanes.loc, equal, results[1], far);
    first = reduceLanes(lanes, ReduceKind::Min, first);
    // Only NaNs: no lane is equal to the largest.
    Value zero = arith::ConstantOp::create(b, lanes.loc, b.getI64IntegerAttr(0));
    Value none = arith::ConstantOp::create(b, lanes.loc, b.getI64IntegerAttr(INT64_MAX));
    Value isNone = arith::CmpIOp::create(b, lanes.loc, arith::CmpIPredicate::eq, first, none);
    results[1] = arith::SelectOp::create(b, lanes.loc, isNone, zero, first);
  }

  /// Divides a mean by its count and makes empty reductions 0.
  Value normalize(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Value> results) {
    OpBuilder &b = lanes.b;
    Value value = results[0];
    if (kind == ReduceKind::Mean) {
      Value count;
      if (countsElements()) {
        count = arith::MaxNumFOp::create(b, lanes.loc, results.back(), lanes.floatVector(1));
      } else {
        Lanes total = lanes.constant(1);
        for (unsigned i = op.getNumOutputIndices(); i != op.getNumIndices(); ++i)
          total = lanes.mul(total, kernel.getExtent(lanes, op.getIndexAttr(i)));
        Value integer = b.createOrFold<arith::IndexCastOp>(lanes.loc, b.getI64Type(), total.value);
        Value real = b.createOrFold<arith::SIToFPOp>(lanes.loc, b.getF32Type(), integer);
        count = lanes.materialize(lanes.uniform(real));
      }
      return arith::DivFOp::create(b, lanes.loc, value, count);
    }
    if (!countsElements())
      return value;
    Value some = arith::CmpFOp::create(b, lanes.loc, arith::CmpFPredicate::OGT, results.back(),
                                       lanes.floatVector(0));
    Value zero = arith::ConstantOp::create(b, lanes.loc, b.getZeroAttr(value.getType()));
    return arith::SelectOp::create(b, lanes.loc, some, value, zero);
  }

  unsigned numFactors;
  Plan plan;
  IndexLoops rows;
};

class ReduceEmitter : public ReductionEmitter {
public:
  ReduceEmitter(ReduceOp op, LoweringAttr lowering)
      : ReductionEmitter(op, lowering, op.getKind(), op.getInputs().size()), reduce(op) {}

protected:
  Lanes emitElement(RegionEmitter &region) override {
    inputs = region.loadInputs(reduce.getInputs(), reduce.getMaps());
    return region.emit(reduce.getBody(), inputs)[0];
  }
  bool hasPredicate() override { return !reduce.getPredicate().empty(); }
  Value emitPredicate(LaneBuilder &lanes, RegionEmitter &region) override {
    if (!hasPredicate())
      return Value();
    return lanes.materialize(region.emit(reduce.getPredicate(), inputs)[0]);
  }
  Type elementType() override {
    return reduce.getBody().front().getTerminator()->getOperand(0).getType();
  }
  bool yieldsIndex() override { return elementType().isIndex(); }

private:
  ReduceOp reduce;
  SmallVector<Lanes> inputs;
};

class ContractEmitter : public ReductionEmitter {
public:
  ContractEmitter(ContractOp op, LoweringAttr lowering)
      : ReductionEmitter(op, lowering, ReduceKind::Sum, 2), contract(op) {}

protected:
  Lanes emitElement(RegionEmitter &region) override {
    Lanes lhs = region.load(contract.getLhs(), op.getInputMap(0));
    Lanes rhs = region.load(contract.getRhs(), op.getInputMap(1));
    return region.multiply(lhs, rhs);
  }

  Lanes finish(LaneBuilder &lanes, RegionEmitter &region, Lanes sum) override {
    if (double scale = contract.getScale().convertToDouble(); scale != 1)
      sum = region.multiply(sum, lanes.uniform(lanes.floatConstant(float(scale))));
    if (contract.getEpilogue().empty())
      return sum;
    SmallVector<Lanes> arguments{sum};
    llvm::append_range(arguments, region.loadInputs(contract.getInputs(), contract.getMaps(), 2));
    return region.emit(contract.getEpilogue(), arguments)[0];
  }

private:
  ContractOp contract;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createReduceEmitter(ReduceOp op, LoweringAttr lowering) {
  return std::make_unique<ReduceEmitter>(op, lowering);
}

std::unique_ptr<KernelEmitter> weft::createContractEmitter(ContractOp op, LoweringAttr lowering) {
  return std::make_unique<ContractEmitter>(op, lowering);
}
