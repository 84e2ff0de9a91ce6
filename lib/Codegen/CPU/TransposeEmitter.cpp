//===- TransposeEmitter.cpp - maps whose inputs are stored across their output --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// out[..., c, l] = f(in[..., l, c]): the vectors of `in` that the lanes l need would be gathers.
// Squares of as many rows as a vector has lanes are read along c instead, transposed in registers
// and written along l. The copies that give the columns of a product their panels are such maps.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "MicroKernel.h"
#include "TransposeSchedule.h"
#include "weft/Codegen/Common/AccessCost.h"
#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

bool weft::liesAcross(MapOp op, unsigned input, unsigned across) {
  FormulaOpInterface formula = op;
  auto type = cast<ShapedType>(op.getInputs()[input].getType());
  AffineMap map = formula.getInputMap(input);
  return map.isFunctionOfDim(across) && isContiguous(map, type, across) &&
         !isContiguous(map, type, getStoredOrder(op).back()) &&
         !getComputeType(type.getElementType()).isInteger(1);
}

unsigned weft::countInputsAcross(MapOp op, unsigned across) {
  return llvm::count_if(llvm::seq<unsigned>(0, op.getInputs().size()),
                        [&](unsigned input) { return liesAcross(op, input, across); });
}

bool weft::hasInputAcross(MapOp op) {
  return llvm::any_of(getStoredOrder(op),
                      [&](unsigned position) { return countInputsAcross(op, position) > 0; });
}

void TransposeSchedule::check(ScheduleRules &rules, MapOp op) const {
  rules.requireWidth(width);
  SmallVector<unsigned> order = getStoredOrder(op);
  rules.require(across && llvm::is_contained(order, *across) && countInputsAcross(op, *across) > 0,
                "across",
                "the position of an index along which an input lies that the lanes gather");
  rules.require(run % width == 0, "run", "a multiple of the width");
  tasks.check(rules);
}

namespace {

class TransposeEmitter : public KernelEmitter {
public:
  TransposeEmitter(MapOp op, const TransposeSchedule &schedule)
      : op(op), schedule(schedule), across(*schedule.across), order(getStoredOrder(op)),
        rows(op.getIndices(), ArrayRef(order).drop_back(), schedule.tasks,
             {{across, schedule.run}}) {}

  bool isParallel() const override { return schedule.tasks.parallel; }

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return rows.getNumTasks(lanes, kernel);
  }

  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    LaneBuilder lanes = outer.withWidth(schedule.width);
    SmallVector<Lanes> values(op.getIndices().size());
    rows.emit(lanes, kernel, task, values, [&](ArrayRef<Lanes> row) {
      SmallVector<Lanes> indices(row);
      Lanes extent = getExtent(lanes, kernel, order.back());
      lanes.laneLoop(lanes.constant(0), extent, {},
                     [&](const Lanes &index, Value mask, ValueRange) {
                       indices[order.back()] = index;
                       emitRun(lanes, kernel, indices, mask);
                       return SmallVector<Value>();
                     });
    });
  }

private:
  Lanes getExtent(LaneBuilder &lanes, const Kernel &kernel, unsigned position) {
    return kernel.getExtent(lanes, cast<IndexAttr>(op.getIndices()[position]));
  }

  void emitRun(LaneBuilder &lanes, const Kernel &kernel, SmallVector<Lanes> indices, Value mask);
  void emitSquare(LaneBuilder &lanes, const Kernel &kernel, SmallVector<Lanes> indices, Value mask,
                  bool isWhole);
  SmallVector<Value> loadColumns(LaneBuilder &lanes, const Kernel &kernel, unsigned input,
                                 SmallVector<Lanes> indices, Value mask, bool isWhole);

  MapOp op;
  TransposeSchedule schedule;
  unsigned across;
  SmallVector<unsigned> order;
  IndexLoops rows;
};

} // namespace

/// The squares of the lanes' rows, side by side.
void TransposeEmitter::emitRun(LaneBuilder &lanes, const Kernel &kernel, SmallVector<Lanes> indices,
                               Value mask) {
  Lanes first = indices[across], end = getExtent(lanes, kernel, across);
  std::optional<int64_t> size = end.getConstant();
  bool isWhole = size && *size % schedule.run == 0;
  Lanes length = isWhole ? lanes.constant(schedule.run)
                         : lanes.min(lanes.sub(end, first), lanes.constant(schedule.run));
  Lanes count = lanes.ceilDiv(length, lanes.width);
  lanes.loop(count, {}, [&](const Lanes &number, ValueRange) {
    indices[across] = lanes.add(first, lanes.mul(number, lanes.constant(lanes.width)));
    emitSquare(lanes, kernel, indices, mask, isWhole || (size && *size % lanes.width == 0));
    return SmallVector<Value>();
  });
}

/// `width` values of `across`, which all exist if the square is whole, times the lanes.
void TransposeEmitter::emitSquare(LaneBuilder &lanes, const Kernel &kernel,
                                  SmallVector<Lanes> indices, Value mask, bool isWhole) {
  SmallVector<SmallVector<Value>> columns(op.getInputs().size());
  for (unsigned input = 0; input != columns.size(); ++input)
    if (liesAcross(op, input, across))
      columns[input] = loadColumns(lanes, kernel, input, indices, mask, isWhole);
  Lanes first = indices[across], end = getExtent(lanes, kernel, across);
  for (int64_t column = 0; column != lanes.width; ++column) {
    indices[across] = lanes.add(first, lanes.constant(column));
    Value exists = mask;
    if (!isWhole) {
      Value isInside = lanes.compare(arith::CmpIPredicate::slt, indices[across], end);
      exists = lanes.andMask(mask, lanes.materialize(lanes.uniform(isInside)));
    }
    RegionEmitter region(lanes, kernel, indices, exists);
    SmallVector<Lanes> elements;
    for (unsigned input = 0; input != columns.size(); ++input)
      elements.push_back(
          columns[input].empty()
              ? region.load(op.getInputs()[input], FormulaOpInterface(op).getInputMap(input))
              : lanes.uniform(columns[input][column]));
    region.storeOutput(op, region.emit(op.getBody(), elements)[0]);
  }
}

/// A vector along the lanes for each of `width` values of `across`.
SmallVector<Value> TransposeEmitter::loadColumns(LaneBuilder &lanes, const Kernel &kernel,
                                                 unsigned input, SmallVector<Lanes> indices,
                                                 Value mask, bool isWhole) {
  Lanes lane = indices[order.back()], last = getExtent(lanes, kernel, order.back());
  lane.stride = 0;
  last = lanes.sub(last, lanes.constant(1));
  Value exists =
      isWhole ? Value()
              : lanes.maskBelow(indices[across].value, getExtent(lanes, kernel, across).value);
  indices[across].stride = 1;
  SmallVector<Value> rows;
  for (int64_t row = 0; row != lanes.width; ++row) {
    Lanes position = lanes.add(lane, lanes.constant(row));
    indices[order.back()] = mask ? lanes.min(position, last) : position; // a row that is there
    RegionEmitter region(lanes, kernel, indices, exists);
    rows.push_back(lanes.materialize(
        region.load(op.getInputs()[input], FormulaOpInterface(op).getInputMap(input))));
  }
  return transpose(lanes, std::move(rows));
}

std::unique_ptr<KernelEmitter> weft::createTransposeEmitter(MapOp op, LoweringAttr lowering) {
  return createFor<TransposeEmitter, TransposeSchedule>(op, lowering);
}
