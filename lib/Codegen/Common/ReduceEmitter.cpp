//===- ReduceEmitter.cpp - reductions, and contractions as reductions -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// ReductionPlan says which loops there are, Accumulator what they carry, and the two emitters here
// what an element is and what becomes of the result.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/GuardBounds.h"
#include "weft/Codegen/Common/ReductionPlan.h"
#include "weft/Codegen/Common/RowEmitter.h"
#include "weft/Codegen/Common/RowWalk.h"

using namespace mlir;
using namespace weft;

namespace {

/// The part that reductions and contractions share.
class ReductionEmitter : public RowEmitter {
public:
  ReductionEmitter(FormulaOpInterface op, const ReductionSchedule &schedule,
                   Accumulator accumulator, std::unique_ptr<RowWalk> walk)
      : ReductionEmitter(op, schedule, accumulator, std::move(walk), ReductionPlan(op, schedule)) {}

  int64_t getThreads() const override { return walk->getThreads(); }

protected:
  /// The element that is reduced, and whether it counts (null: always).
  virtual std::pair<Lanes, Lanes> emitElement(RegionEmitter &region) = 0;
  /// What is stored, for the reduced value, or several of them.
  virtual Lanes finish(RegionEmitter &region, ArrayRef<Lanes> values) { return values.front(); }
  /// Where the loop over an index goes (the first value and the one behind the last).
  virtual std::pair<Lanes, Lanes> getRange(LaneBuilder &lanes, const Kernel &kernel,
                                           unsigned position, ArrayRef<Lanes> values) {
    return {lanes.constant(0), kernel.getExtent(lanes, op.getIndexAttr(position))};
  }
  /// An index whose values are reduced each on its own.
  virtual std::optional<unsigned> getApartIndex() const { return std::nullopt; }

  FormulaOpInterface op;
  ReductionPlan plan;

private:
  /// The values of the output indices of one result, or of one vector of results.
  using Results = SmallVector<Lanes>;

  ReductionEmitter(FormulaOpInterface op, const ReductionSchedule &schedule,
                   Accumulator accumulator, std::unique_ptr<RowWalk> walk,
                   const ReductionPlan &plan)
      : RowEmitter(op, plan.width, plan.rows, /*lane=*/std::nullopt, schedule.tasks,
                   getSteps(op, plan)),
        op(op), plan(plan), accumulator(accumulator), walk(std::move(walk)),
        order(getStoredOrder(op)) {}

  static llvm::DenseMap<unsigned, int64_t> getSteps(FormulaOpInterface op,
                                                    const ReductionPlan &plan) {
    llvm::DenseMap<unsigned, int64_t> steps;
    if (plan.tile > 1)
      steps[getStoredOrder(op).back()] = plan.getTileSize();
    if (plan.across > 1)
      steps[plan.acrossIndex] = plan.across;
    return steps;
  }

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row, Value) override {
    if (plan.across == 1)
      return emitRows(lanes, kernel, {Results(row)});
    unsigned position = plan.acrossIndex;
    Lanes first = row[position], extent = kernel.getExtent(lanes, op.getIndexAttr(position));
    auto getRow = [&](Lanes index) {
      Results results(row);
      results[position] = index;
      results[position].interval = {0, op.getIndexAttr(position).getSize() - 1};
      return results;
    };
    auto emitWhole = [&] {
      SmallVector<Results> rows;
      for (int64_t i = 0; i != plan.across; ++i)
        rows.push_back(getRow(lanes.add(first, lanes.constant(i))));
      emitRows(lanes, kernel, rows);
    };
    auto emitRest = [&] {
      lanes.loop(first.value, extent.value, 1, {}, [&](Value iv, ValueRange) {
        emitRows(lanes, kernel, {getRow(lanes.uniform(iv))});
        return SmallVector<Value>();
      });
    };
    lanes.chooseWhole(first, plan.across, extent, emitWhole, emitRest);
  }

  /// Rows that are computed in the same loops.
  void emitRows(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Results> rows) {
    if (plan.tile > 1)
      emitTile(lanes, kernel, rows);
    else if (plan.alongOutput)
      emitLanes(lanes, kernel, rows, lanes.constant(0));
    else
      emitResults(lanes, kernel, rows, Value());
  }

  /// The results from `first` on along the lanes' index.
  void emitLanes(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Results> rows,
                 const Lanes &first) {
    SmallVector<Results> results(rows);
    Lanes extent = kernel.getExtent(lanes, op.getIndexAttr(plan.lane));
    lanes.laneLoop(first, extent, {}, [&](const Lanes &index, Value mask, ValueRange) {
      for (Results &result : results)
        result[plan.lane] = index;
      emitResults(lanes, kernel, results, mask);
      return SmallVector<Value>();
    });
  }

  /// A tile of results, or one by one what is left of the range.
  void emitTile(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Results> rows) {
    unsigned position = order.back();
    Lanes first = rows[0][position], extent = kernel.getExtent(lanes, op.getIndexAttr(position));
    Interval interval{0, op.getIndexAttr(position).getSize() - 1};
    auto emitWhole = [&] {
      SmallVector<Results> tile;
      for (const Results &row : rows)
        for (int64_t i = 0; i != plan.tile; ++i) {
          Results &results = tile.emplace_back(row);
          Lanes index = lanes.add(first, lanes.constant(i * (plan.getTileSize() / plan.tile)));
          results[position] = plan.alongOutput ? lanes.iota(index) : index;
          results[position].interval = interval;
        }
      emitResults(lanes, kernel, tile, Value());
    };
    auto emitRest = [&] {
      if (plan.alongOutput)
        return emitLanes(lanes, kernel, rows, first);
      Results indices(rows[0]);
      lanes.loop(first.value, extent.value, 1, {}, [&](Value iv, ValueRange) {
        indices[position] = lanes.uniform(iv, interval);
        emitResults(lanes, kernel, {indices}, Value());
        return SmallVector<Value>();
      });
    };
    lanes.chooseWhole(first, plan.getTileSize(), extent, emitWhole, emitRest);
  }

  /// The carried values of one result after the element at `indices`.
  SmallVector<Value> accumulate(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
                                const RowPart &part, ValueRange carried) {
    RegionEmitter region(lanes, kernel, indices, part.mask);
    auto [element, holds] = emitElement(region);
    ReducedElement next;
    next.value = lanes.materialize(element, /*wide=*/accumulator.reducesIndices());
    next.holds = holds.value ? lanes.materialize(holds) : Value();
    next.holds = lanes.andMask(next.holds, part.counts);
    if (accumulator.isArgMax())
      next.position = lanes.materialize(indices[op.getNumOutputIndices()], /*wide=*/true);
    return accumulator.add(lanes, carried, next);
  }

  /// Each result once for each value that is reduced on its own.
  SmallVector<Results> takeApart(LaneBuilder &lanes, ArrayRef<Results> results) {
    std::optional<unsigned> apart = getApartIndex();
    if (!apart)
      return SmallVector<Results>(results);
    SmallVector<Results> all;
    for (const Results &result : results)
      for (int64_t i = 0, e = op.getIndexAttr(*apart).getSize(); i != e; ++i) {
        all.push_back(result);
        all.back()[*apart] = lanes.constant(i);
      }
    return all;
  }

  /// Nested loops over the indices at `positions`, each from where to where it goes.
  SmallVector<Value>
  emitLoops(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<unsigned> positions,
            SmallVector<Lanes> values, ValueRange inits,
            llvm::function_ref<SmallVector<Value>(ArrayRef<Lanes>, ValueRange)> body) {
    if (positions.empty())
      return body(values, inits);
    unsigned position = positions[0];
    auto [first, end] = getRange(lanes, kernel, position, values);
    if (first.getConstant() == 0 && end.getConstant() == 1) {
      values[position] = lanes.constant(0);
      return emitLoops(lanes, kernel, positions.drop_front(), values, inits, body);
    }
    Interval interval{0, std::max<int64_t>(op.getIndexAttr(position).getSize() - 1, 0)};
    return lanes.loop(first.value, end.value, 1, inits, [&](Value iv, ValueRange carried) {
      values[position] = lanes.uniform(iv, interval);
      return emitLoops(lanes, kernel, positions.drop_front(), values, carried, body);
    });
  }

  /// Reduces several results in the same loops and stores them.
  void emitResults(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Results> results,
                   Value mask) {
    SmallVector<Results> reduced = takeApart(lanes, results);
    unsigned size = accumulator.size(), ofResult = size * (reduced.size() / results.size());
    std::optional<unsigned> apart = getApartIndex();
    auto addElements = [&](ArrayRef<Lanes> inner, const RowPart &part, ValueRange carried) {
      SmallVector<Value> next;
      for (auto [i, result] : llvm::enumerate(reduced)) {
        SmallVector<Lanes> indices(inner);
        if (!order.empty())
          indices[order.back()] = result[order.back()];
        if (plan.across > 1)
          indices[plan.acrossIndex] = result[plan.acrossIndex];
        if (apart)
          indices[*apart] = result[*apart];
        llvm::append_range(next,
                           accumulate(lanes, kernel, indices, part, carried.slice(i * size, size)));
      }
      return next;
    };
    SmallVector<Value> inits;
    for (size_t i = 0; i != reduced.size(); ++i)
      llvm::append_range(inits, accumulator.getInits(lanes));
    SmallVector<Value> carried =
        emitLoops(lanes, kernel, plan.reduced, results[0], inits,
                  [&](ArrayRef<Lanes> inner, ValueRange carried) -> SmallVector<Value> {
                    if (!plan.alongReduced)
                      return addElements(inner, {Lanes(), mask, Value(), Value()}, carried);
                    SmallVector<Lanes> values(inner);
                    Lanes extent = kernel.getExtent(lanes, op.getIndexAttr(plan.lane));
                    return walk->visit(lanes, lanes.constant(0), extent, carried,
                                       [&](const RowPart &part, ValueRange current) {
                                         values[plan.lane] = part.index;
                                         return addElements(values, part, current);
                                       });
                  });
    if (results.size() > 1 && plan.alongReduced)
      return storeTile(lanes, kernel, results[0], carried);
    for (auto [i, result] : llvm::enumerate(results))
      storeResult(lanes, kernel, result, MutableArrayRef(carried).slice(i * ofResult, ofResult),
                  mask);
  }

  /// The results of a tile, whose elements are in the lanes, become the lanes of a vector.
  void storeTile(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> first,
                 ArrayRef<Value> carried) {
    LaneBuilder together = lanes.withWidth(plan.tile);
    SmallVector<Lanes> indices(first);
    Lanes &index = indices[order.back()];
    Interval interval = index.interval;
    index = together.iota(index);
    index.interval = interval;
    store(together, kernel, indices, accumulator.combineTogether(lanes, carried), Value());
  }

  void storeResult(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
                   MutableArrayRef<Value> carried, Value mask) {
    if (plan.alongReduced)
      for (size_t i = 0; i != carried.size(); i += accumulator.size())
        walk->combine(lanes, accumulator, carried.slice(i, accumulator.size()));
    LaneBuilder scalar = lanes.withWidth(plan.alongReduced ? 1 : plan.width);
    store(scalar, kernel, indices, carried, mask);
  }

  void store(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
             ArrayRef<Value> carried, Value mask) {
    RegionEmitter region(lanes, kernel, indices, mask);
    SmallVector<Lanes> values;
    for (; !carried.empty(); carried = carried.drop_front(accumulator.size())) {
      Value value = accumulator.finish(lanes, carried.take_front(accumulator.size()), [&] {
        auto reduced = llvm::seq(op.getNumOutputIndices(), op.getNumIndices());
        return getCount(lanes, kernel, op.getIndices(), llvm::to_vector(reduced));
      });
      values.push_back(lanes.uniform(value));
    }
    Lanes result = finish(region, values);
    walk->writeOnce(lanes, [&] { region.storeOutput(op, result); });
  }

  Accumulator accumulator;
  std::unique_ptr<RowWalk> walk;
  SmallVector<unsigned> order;
};

class ReduceEmitter : public ReductionEmitter {
public:
  ReduceEmitter(ReduceOp op, const ReductionSchedule &schedule,
                std::unique_ptr<RowWalk> walk = std::make_unique<RowWalk>())
      : ReductionEmitter(op, schedule,
                         Accumulator(op.getKind(),
                                     op.getBody().front().getTerminator()->getOperand(0).getType(),
                                     !op.getPredicate().empty()),
                         std::move(walk)),
        reduce(op), guard(GuardBounds::match(op, plan)) {}

protected:
  std::pair<Lanes, Lanes> getRange(LaneBuilder &lanes, const Kernel &kernel, unsigned position,
                                   ArrayRef<Lanes> values) override {
    auto range = ReductionEmitter::getRange(lanes, kernel, position, values);
    return guard ? guard->get(lanes, kernel, position, values, range.second) : range;
  }

  std::pair<Lanes, Lanes> emitElement(RegionEmitter &region) override {
    if (guard)
      region.setInside(guard->getInside());
    SmallVector<Lanes> inputs = region.loadInputs(reduce.getInputs(), reduce.getMaps());
    Lanes element = region.emit(reduce.getBody(), inputs)[0];
    if (reduce.getPredicate().empty() || guard)
      return {element, Lanes()};
    return {element, region.emit(reduce.getPredicate(), inputs)[0]};
  }

private:
  ReduceOp reduce;
  std::optional<GuardBounds> guard; ///< where bounds are all that the predicate says
};

class ContractEmitter : public ReductionEmitter {
public:
  ContractEmitter(ContractOp op, const ReductionSchedule &schedule,
                  std::unique_ptr<RowWalk> walk = std::make_unique<RowWalk>())
      : ReductionEmitter(op, schedule, Accumulator(ReduceKind::Sum, op.getSumType(), false),
                         std::move(walk)),
        contract(op) {}

protected:
  std::pair<Lanes, Lanes> emitElement(RegionEmitter &region) override {
    region.setChosen(contract);
    Lanes lhs = region.load(contract.getLhs(), op.getInputMap(0));
    Lanes rhs = region.load(contract.getRhs(), op.getInputMap(1));
    return {region.multiply(lhs, rhs), Lanes()};
  }
  Lanes finish(RegionEmitter &region, ArrayRef<Lanes> sums) override {
    region.setChosen(contract);
    return region.emitEpilogue(contract, sums);
  }
  std::optional<unsigned> getApartIndex() const override {
    return ContractOp(contract).getApartIndex();
  }

private:
  ContractOp contract;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createReduceEmitter(ReduceOp op, LoweringAttr lowering) {
  return createFor<ReduceEmitter, ReductionSchedule>(op, lowering);
}

std::unique_ptr<KernelEmitter> weft::createReduceEmitter(ReduceOp op,
                                                         const ReductionSchedule &schedule,
                                                         std::unique_ptr<RowWalk> walk) {
  return std::make_unique<ReduceEmitter>(op, schedule, std::move(walk));
}

std::unique_ptr<KernelEmitter> weft::createContractEmitter(ContractOp op, LoweringAttr lowering) {
  return createFor<ContractEmitter, ReductionSchedule>(op, lowering);
}

std::unique_ptr<KernelEmitter> weft::createContractEmitter(ContractOp op,
                                                           const ReductionSchedule &schedule,
                                                           std::unique_ptr<RowWalk> walk) {
  return std::make_unique<ContractEmitter>(op, schedule, std::move(walk));
}
