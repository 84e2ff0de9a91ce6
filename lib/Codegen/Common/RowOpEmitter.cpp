//===- RowOpEmitter.cpp - rows with their statistics ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One pass over a row for all reductions that need only those of earlier passes, and a last one
// that writes the elements. The vector runs along the output's last stored index: along the row if
// that is the axis, else over several rows at once. A few neighbouring rows go through the same
// loops, each with sums of its own: the order of a sum does not depend on the rows beside it.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowEmitter.h"
#include "weft/Codegen/Common/RowWalk.h"

using namespace mlir;
using namespace weft;

/// The indices of the rows, in the order in which they are stored.
static SmallVector<unsigned> getRowPositions(RowOp op) {
  SmallVector<unsigned> positions = getStoredOrder(op);
  llvm::erase(positions, unsigned(op.getAxis()));
  return positions;
}

static bool isAlongAxis(RowOp op) { return getStoredOrder(op).back() == op.getAxis(); }

namespace {

class RowOpEmitter : public RowEmitter {
public:
  RowOpEmitter(RowOp op, const RowOpSchedule &schedule,
               std::unique_ptr<RowWalk> walk = std::make_unique<RowWalk>())
      : RowOpEmitter(op, schedule, isAlongAxis(op) ? schedule.tile : schedule.width,
                     std::move(walk)) {}

  int64_t getThreads() const override { return walk->getThreads(); }

private:
  /// A row, or those of the lanes.
  struct Row {
    SmallVector<Lanes> indices;
    SmallVector<Lanes> statistics;
  };

  /// `step` neighbouring rows are computed at a time.
  RowOpEmitter(RowOp op, const RowOpSchedule &schedule, int64_t step, std::unique_ptr<RowWalk> walk)
      : RowEmitter(op, schedule.width, getRowPositions(op), /*lane=*/std::nullopt, schedule.tasks,
                   getSteps(op, step)),
        op(op), walk(std::move(walk)), axis(op.getAxis()), step(step), alongAxis(isAlongAxis(op)) {
    if (step > 1)
      stepped = getRowPositions(op).back();
  }

  static llvm::DenseMap<unsigned, int64_t> getSteps(RowOp op, int64_t step) {
    llvm::DenseMap<unsigned, int64_t> steps;
    if (step > 1)
      steps[getRowPositions(op).back()] = step;
    return steps;
  }

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
               Value mask) override {
    if (step == 1)
      return emitRows(lanes, kernel, {SmallVector<Lanes>(indices)}, mask);
    Lanes first = indices[stepped], extent = getExtent(lanes, kernel, stepped);
    auto emitWhole = [&] { emitStep(lanes, kernel, indices, Value()); };
    auto emitRest = [&] {
      if (!alongAxis)
        return emitStep(lanes, kernel, indices, lanes.maskBelow(first.value, extent.value));
      SmallVector<Lanes> row(indices);
      lanes.loop(first.value, extent.value, 1, {}, [&](Value iv, ValueRange) {
        row[stepped] = lanes.uniform(iv, getRange());
        emitRows(lanes, kernel, {row}, Value());
        return SmallVector<Value>();
      });
    };
    lanes.chooseWhole(first, step, extent, emitWhole, emitRest);
  }

  Interval getRange() { return {0, cast<IndexAttr>(op.getIndices()[stepped]).getSize() - 1}; }

  /// A vector of rows, or a few that have the lanes for themselves, one after the other.
  void emitStep(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value mask) {
    SmallVector<SmallVector<Lanes>> rows(alongAxis ? step : 1, SmallVector<Lanes>(indices));
    for (auto [i, row] : llvm::enumerate(rows)) {
      Lanes &index = row[stepped];
      index = alongAxis ? lanes.add(index, lanes.constant(i)) : lanes.iota(index);
      index.interval = getRange();
    }
    emitRows(lanes, kernel, rows, mask);
  }

  /// Visits the elements of rows with carried values.
  SmallVector<Value> forAxis(LaneBuilder &lanes, const Kernel &kernel, Value rowMask,
                             ValueRange inits, RowWalk::Body body) {
    Lanes extent = getExtent(lanes, kernel, axis);
    if (alongAxis)
      return walk->visit(lanes, lanes.constant(0), extent, inits, body);
    return lanes.loop(extent, inits, [&](const Lanes &index, ValueRange carried) {
      return body({index, rowMask, Value(), Value()}, carried);
    });
  }

  /// The elements of the inputs that the regions `used` need; what none of them does is not read.
  SmallVector<Lanes> loadInputs(RegionEmitter &region, ArrayRef<Region *> used) {
    SmallVector<Lanes> inputs;
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      bool isNeeded = llvm::any_of(used, [&, i = i](Region *code) {
        unsigned first = code->getNumArguments() - op.getInputs().size();
        return !code->getArgument(first + i).use_empty();
      });
      inputs.push_back(isNeeded ? region.load(input, FormulaOpInterface(op).getInputMap(i))
                                : Lanes());
    }
    return inputs;
  }

  /// What `code` yields for an element of the row.
  SmallVector<Lanes> emitRegion(RegionEmitter &region, const Row &row, Region &code,
                                ArrayRef<Lanes> inputs) {
    size_t numStatistics = code.getNumArguments() - inputs.size();
    SmallVector<Lanes> arguments(ArrayRef(row.statistics).take_front(numStatistics));
    llvm::append_range(arguments, inputs);
    return region.emit(code, arguments);
  }

  void emitRows(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<SmallVector<Lanes>> indices,
                Value mask) {
    SmallVector<Row> rows;
    for (const SmallVector<Lanes> &values : indices)
      rows.push_back({values, SmallVector<Lanes>(op.getNumReductions())});
    SmallVector<unsigned> levels = op.getLevels();
    for (unsigned level = 0; level <= *llvm::max_element(levels); ++level) {
      SmallVector<unsigned> reductions;
      for (auto [i, other] : llvm::enumerate(levels))
        if (other == level)
          reductions.push_back(i);
      reduce(lanes, kernel, rows, mask, reductions);
    }
    storeRows(lanes, kernel, rows, mask);
    storeStatistics(lanes, kernel, rows, mask);
  }

  Accumulator getAccumulator(unsigned reduction) {
    return Accumulator(op.getKind(reduction), Float32Type::get(op.getContext()),
                       /*hasPredicate=*/false);
  }

  /// Sets these statistics of the rows.
  void reduce(LaneBuilder &lanes, const Kernel &kernel, MutableArrayRef<Row> rows, Value rowMask,
              ArrayRef<unsigned> reductions) {
    SmallVector<Value> inits;
    SmallVector<Region *> regions;
    for (size_t i = 0; i != rows.size(); ++i)
      for (unsigned reduction : reductions)
        llvm::append_range(inits, getAccumulator(reduction).getInits(lanes));
    for (unsigned reduction : reductions)
      regions.push_back(&op.getReductions()[reduction]);
    auto addElements = [&](const RowPart &part, ValueRange carried) {
      SmallVector<Value> next;
      for (Row &row : rows) {
        row.indices[axis] = part.index;
        RegionEmitter region(lanes, kernel, row.indices, part.mask);
        SmallVector<Lanes> inputs = loadInputs(region, regions);
        for (unsigned reduction : reductions) {
          Lanes element = emitRegion(region, row, op.getReductions()[reduction], inputs)[0];
          ReducedElement added{lanes.materialize(element), Value(), part.counts};
          llvm::append_range(
              next, getAccumulator(reduction).add(lanes, carried.slice(next.size(), 1), added));
        }
      }
      return next;
    };
    SmallVector<Value> sums = forAxis(lanes, kernel, rowMask, inits, addElements);
    for (auto [i, row] : llvm::enumerate(rows))
      for (auto [j, reduction] : llvm::enumerate(reductions))
        row.statistics[reduction] =
            finish(lanes, kernel, getAccumulator(reduction), sums[i * reductions.size() + j]);
  }

  /// The statistic of one row, or a vector of those of several.
  Lanes finish(LaneBuilder &lanes, const Kernel &kernel, const Accumulator &accumulator,
               Value sum) {
    if (alongAxis)
      walk->combine(lanes, accumulator, sum);
    LaneBuilder together = lanes.withWidth(alongAxis ? 1 : lanes.width);
    return lanes.uniform(
        accumulator.finish(together, sum, [&] { return getExtent(together, kernel, axis); }));
  }

  /// The outputs that are rows. All rows are read before one is written, so that what they share is
  /// read once.
  void storeRows(LaneBuilder &lanes, const Kernel &kernel, MutableArrayRef<Row> rows,
                 Value rowMask) {
    Region *code = &op.getElement();
    forAxis(lanes, kernel, rowMask, {}, [&](const RowPart &part, ValueRange) {
      SmallVector<RegionEmitter, 0> regions;
      SmallVector<SmallVector<Lanes>> elements;
      for (Row &row : rows) {
        row.indices[axis] = part.index;
        RegionEmitter &region = regions.emplace_back(lanes, kernel, row.indices, part.mask);
        elements.push_back(emitRegion(region, row, *code, loadInputs(region, code)));
      }
      writePart(lanes, part, [&] {
        for (auto [region, values] : llvm::zip_equal(regions, elements))
          for (auto [i, value] : llvm::enumerate(values))
            if (op.isAlongAxis(i))
              region.storeOutput(op, value, i);
      });
      return SmallVector<Value>();
    });
  }

  /// The outputs that are no rows: the values of any element.
  void storeStatistics(LaneBuilder &lanes, const Kernel &kernel, MutableArrayRef<Row> rows,
                       Value rowMask) {
    unsigned numOutputs = FormulaOpInterface(op).getNumOutputs();
    if (llvm::all_of(llvm::seq(numOutputs), [&](unsigned i) { return op.isAlongAxis(i); }))
      return;
    LaneBuilder together = lanes.withWidth(alongAxis ? 1 : lanes.width);
    for (Row &row : rows) {
      row.indices[axis] = together.constant(0);
      RegionEmitter region(together, kernel, row.indices, rowMask);
      SmallVector<Lanes> inputs = loadInputs(region, &op.getElement());
      SmallVector<Lanes> values = emitRegion(region, row, op.getElement(), inputs);
      walk->writeOnce(together, [&] {
        for (unsigned i = 0; i != numOutputs; ++i)
          if (!op.isAlongAxis(i))
            region.storeOutput(op, values[i], i);
      });
    }
  }

  RowOp op;
  std::unique_ptr<RowWalk> walk;
  unsigned axis, stepped = 0;
  int64_t step;
  bool alongAxis;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createRowOpEmitter(RowOp op, LoweringAttr lowering) {
  return createFor<RowOpEmitter, RowOpSchedule>(op, lowering);
}

std::unique_ptr<KernelEmitter> weft::createRowOpEmitter(RowOp op, const RowOpSchedule &schedule,
                                                        std::unique_ptr<RowWalk> walk) {
  return std::make_unique<RowOpEmitter>(op, schedule, std::move(walk));
}
