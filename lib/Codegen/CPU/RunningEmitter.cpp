//===- RunningEmitter.cpp - reductions of all before, or behind -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// y[t, d] = sum(s where s <= t) x[s, d] has for t what it has for t - 1, and one element more. So a
// task goes through all t, adds what the condition lets in beside what came before, in the same
// order, and stores: each element is read once. The condition itself says how far to go, as its
// comparison holds for all s up to one, which does not fall with t. Of what is behind
// (`where s >= t`) both are counted from the end.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "RunningSchedule.h"

#include "weft/Codegen/Common/Accumulator.h"
#include "weft/Codegen/Common/RegionEmitter.h"
#include "weft/Codegen/Common/RowEmitter.h"
#include "weft/Dialect/Weft/IR/RunningReduce.h"

using namespace mlir;
using namespace weft;

void RunningSchedule::check(ScheduleRules &rules, ReduceOp op) const {
  bool hasLanes = getStoredOrder(op).back() != findRunning(op)->index;
  rules.requireWidth(width);
  rules.requireRepetition(tile, "tile");
  rules.require(hasLanes || width == 1, "width", "1, as the last index runs");
  rules.require(hasLanes || tile == 1, "tile", "1, as the last index runs");
  tasks.check(rules);
}

namespace {

class RunningEmitter : public RowEmitter {
public:
  RunningEmitter(ReduceOp op, const RunningSchedule &schedule)
      : RunningEmitter(op, schedule, getStoredOrder(op), *findRunning(op)) {}

private:
  /// The values of all indices but those that run.
  using Results = SmallVector<Lanes>;

  RunningEmitter(ReduceOp op, const RunningSchedule &schedule, ArrayRef<unsigned> order,
                 const RunningReduce &running)
      : RowEmitter(op, schedule.width, getRows(order, running.index), /*lane=*/std::nullopt,
                   schedule.tasks, getSteps(order, running.index, schedule)),
        op(op), formula(op), schedule(schedule), running(running), t(running.index),
        s(formula.getNumOutputIndices()), lane(getLane(order, t)),
        accumulator(op.getKind(), op.getBody().front().getTerminator()->getOperand(0).getType(),
                    /*hasPredicate=*/true) {}

  /// The output's last stored index; nothing if that runs itself.
  static std::optional<unsigned> getLane(ArrayRef<unsigned> order, unsigned t) {
    return order.back() == t ? std::nullopt : std::optional(order.back());
  }

  static llvm::DenseMap<unsigned, int64_t> getSteps(ArrayRef<unsigned> order, unsigned t,
                                                    const RunningSchedule &schedule) {
    llvm::DenseMap<unsigned, int64_t> steps;
    if (std::optional<unsigned> lane = getLane(order, t))
      steps[*lane] = schedule.tile * schedule.width;
    return steps;
  }

  static SmallVector<unsigned> getRows(ArrayRef<unsigned> order, unsigned t) {
    SmallVector<unsigned> rows(order);
    llvm::erase(rows, t);
    return rows;
  }

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row, Value) override {
    if (!lane)
      return emitResults(lanes, kernel, {Results(row)}, Value());
    Lanes first = row[*lane], extent = getExtent(lanes, kernel, *lane);
    auto at = [&](const Lanes &index) {
      Results results(row);
      results[*lane] = index;
      results[*lane].interval = {0, formula.getIndexAttr(*lane).getSize() - 1};
      return results;
    };
    auto emitWhole = [&] {
      SmallVector<Results> tile;
      for (int64_t i = 0; i != schedule.tile; ++i)
        tile.push_back(at(lanes.iota(lanes.add(first, lanes.constant(i * schedule.width)))));
      emitResults(lanes, kernel, tile, Value());
    };
    auto emitRest = [&] {
      lanes.laneLoop(first, extent, {}, [&](const Lanes &index, Value mask, ValueRange) {
        emitResults(lanes, kernel, {at(index)}, mask);
        return SmallVector<Value>();
      });
    };
    lanes.chooseWhole(first, schedule.tile * schedule.width, extent, emitWhole, emitRest);
  }

  /// Whether the element at s, the one that has this number, is the next one of the result at t.
  Value isNext(LaneBuilder &lanes, const Kernel &kernel, Results indices, const Lanes &number,
               const Lanes &extent) {
    LaneBuilder scalar = lanes.withWidth(1);
    if (lane)
      indices[*lane] = lanes.constant(0); // which decides nothing
    RegionEmitter region(scalar, kernel, indices, Value());
    Value holds = region.emitValue(running.bound).value;
    Value isThere = scalar.compare(arith::CmpIPredicate::slt, number, extent);
    return scalar.andMask(isThere, holds);
  }

  SmallVector<Value> addElement(LaneBuilder &lanes, const Kernel &kernel, const Results &indices,
                                Value mask, ValueRange carried) {
    RegionEmitter region(lanes, kernel, indices, mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    ReducedElement next;
    next.value = lanes.materialize(region.emit(op.getBody(), inputs)[0],
                                   /*wide=*/accumulator.reducesIndices());
    if (running.isConditional)
      next.holds = lanes.materialize(region.emit(op.getPredicate(), inputs)[0]);
    else if (accumulator.countsElements())
      next.holds = arith::ConstantOp::create(
          lanes.b, lanes.loc,
          cast<TypedAttr>(getAllOn(lanes.vectorOf(lanes.b.getI1Type()), lanes.b)));
    return accumulator.add(lanes, carried, next);
  }

  static Attribute getAllOn(Type type, Builder &b) {
    if (auto vector = dyn_cast<VectorType>(type))
      return DenseElementsAttr::get(vector, true);
    return b.getBoolAttr(true);
  }

  /// Where the row or the element of a number is.
  Lanes place(LaneBuilder &lanes, const Lanes &number, const Lanes &extent) {
    if (!running.descends)
      return number;
    Lanes last = lanes.sub(extent, lanes.constant(1));
    Lanes place = lanes.sub(last, number);
    place.interval = {-1, extent.interval.max - 1}; // behind the last element there is none
    return place;
  }

  /// Goes through all t with several vectors of results.
  void emitResults(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Results> tile, Value mask) {
    unsigned size = accumulator.size();
    Lanes numRows = getExtent(lanes, kernel, t), numElements = getExtent(lanes, kernel, s);
    SmallVector<Value> inits{lanes.indexConstant(0)};
    for (size_t i = 0; i != tile.size(); ++i)
      llvm::append_range(inits, accumulator.getInits(lanes));
    auto number = [&](Value element) {
      return lanes.uniform(element, {0, numElements.interval.max});
    };
    auto set = [&](const Results &results, const Lanes &row, Value element) {
      Results indices(results);
      indices[t] = place(lanes, row, numRows);
      indices[s] = place(lanes, number(element), numElements);
      return indices;
    };
    lanes.loop(numRows, inits, [&](const Lanes &row, ValueRange before) {
      SmallVector<Value> after = lanes.repeat(
          before,
          [&](ValueRange carried) {
            return isNext(lanes, kernel, set(tile[0], row, carried[0]), number(carried[0]),
                          numElements);
          },
          [&](ValueRange carried) {
            SmallVector<Value> next{
                arith::AddIOp::create(lanes.b, lanes.loc, carried[0], lanes.indexConstant(1))};
            for (auto [i, results] : llvm::enumerate(tile))
              llvm::append_range(next, addElement(lanes, kernel, set(results, row, carried[0]),
                                                  mask, carried.slice(1 + i * size, size)));
            return next;
          });
      for (auto [i, results] : llvm::enumerate(tile)) {
        Value value = accumulator.finish(lanes, ArrayRef(after).slice(1 + i * size, size),
                                         [&] { return numElements; });
        RegionEmitter region(lanes, kernel, set(results, row, after[0]), mask);
        region.storeOutput(formula, lanes.uniform(value));
      }
      return after;
    });
  }

  ReduceOp op;
  FormulaOpInterface formula;
  RunningSchedule schedule;
  RunningReduce running;
  unsigned t, s;
  std::optional<unsigned> lane;
  Accumulator accumulator;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createRunningEmitter(ReduceOp op, LoweringAttr lowering) {
  return createFor<RunningEmitter, RunningSchedule>(op, lowering);
}
