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
#include "weft/Codegen/Common/RowEmitter.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"

using namespace mlir;
using namespace weft;

bool weft::liesAcross(MapOp op, unsigned input, unsigned across) {
  FormulaOpInterface formula = op;
  auto type = cast<ShapedType>(op.getInputs()[input].getType());
  AffineMap map = formula.getInputMap(input);
  return movesAlong(map, type, across) && isContiguous(map, type, across) &&
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

class TransposeEmitter : public RowEmitter {
public:
  TransposeEmitter(MapOp op, const TransposeSchedule &schedule)
      : TransposeEmitter(op, schedule, getStoredOrder(op)) {}

private:
  TransposeEmitter(MapOp op, const TransposeSchedule &schedule, ArrayRef<unsigned> order)
      : RowEmitter(op, schedule.width, order.drop_back(), order.back(), schedule.tasks,
                   {{*schedule.across, schedule.run}}),
        op(op), formula(op), across(*schedule.across), lane(order.back()), run(schedule.run) {}

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row, Value mask) override;
  void emitSquare(LaneBuilder &lanes, const Kernel &kernel, SmallVector<Lanes> indices, Value mask);
  SmallVector<Value> loadColumns(LaneBuilder &lanes, const Kernel &kernel, unsigned input,
                                 SmallVector<Lanes> indices, Value mask);
  /// Whether every value of `across` in a square exists.
  bool fillSquares(LaneBuilder &lanes, const Kernel &kernel) const {
    std::optional<int64_t> size = getExtent(lanes, kernel, across).getConstant();
    return size && *size % lanes.width == 0;
  }

  MapOp op;
  FormulaOpInterface formula;
  unsigned across, lane;
  int64_t run;
};

} // namespace

/// The squares of the lanes' rows, side by side.
void TransposeEmitter::emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row,
                               Value mask) {
  SmallVector<Lanes> indices(row);
  Lanes first = indices[across], end = getExtent(lanes, kernel, across);
  std::optional<int64_t> size = end.getConstant();
  Lanes length = lanes.constant(run);
  if (!size || *size % run != 0)
    length = lanes.min(lanes.sub(end, first), length);
  lanes.loop(lanes.ceilDiv(length, lanes.width), {}, [&](const Lanes &number, ValueRange) {
    indices[across] = lanes.add(first, lanes.mul(number, lanes.constant(lanes.width)));
    emitSquare(lanes, kernel, indices, mask);
    return SmallVector<Value>();
  });
}

/// `width` values of `across` times the lanes.
void TransposeEmitter::emitSquare(LaneBuilder &lanes, const Kernel &kernel,
                                  SmallVector<Lanes> indices, Value mask) {
  SmallVector<SmallVector<Value>> columns(op.getInputs().size());
  for (unsigned input = 0; input != columns.size(); ++input)
    if (liesAcross(op, input, across))
      columns[input] = loadColumns(lanes, kernel, input, indices, mask);
  Lanes first = indices[across], end = getExtent(lanes, kernel, across);
  for (int64_t column = 0; column != lanes.width; ++column) {
    indices[across] = lanes.add(first, lanes.constant(column));
    Value exists = mask;
    if (!fillSquares(lanes, kernel)) {
      Value isInside = lanes.compare(arith::CmpIPredicate::slt, indices[across], end);
      exists = lanes.andMask(mask, lanes.materialize(lanes.uniform(isInside)));
    }
    RegionEmitter region(lanes, kernel, indices, exists);
    SmallVector<Lanes> elements;
    for (auto [input, transposed] : llvm::enumerate(columns))
      elements.push_back(transposed.empty()
                             ? region.load(op.getInputs()[input], formula.getInputMap(input))
                             : lanes.uniform(transposed[column]));
    region.storeOutput(op, region.emit(op.getBody(), elements)[0]);
  }
}

/// A vector along the lanes for each of `width` values of `across`.
SmallVector<Value> TransposeEmitter::loadColumns(LaneBuilder &lanes, const Kernel &kernel,
                                                 unsigned input, SmallVector<Lanes> indices,
                                                 Value mask) {
  Lanes first = indices[lane];
  first.stride = 0;
  Lanes last = lanes.sub(getExtent(lanes, kernel, lane), lanes.constant(1));
  Lanes end = getExtent(lanes, kernel, across);
  Value exists;
  if (!fillSquares(lanes, kernel))
    exists = lanes.maskBelow(indices[across].value, end.value);
  indices[across] = lanes.iota(indices[across]);
  indices[across].interval = {0, end.interval.max - 1}; // of lanes that are there
  SmallVector<Value> rows;
  for (int64_t row = 0; row != lanes.width; ++row) {
    Lanes position = lanes.add(first, lanes.constant(row));
    indices[lane] = mask ? lanes.min(position, last) : position; // a row that is there
    RegionEmitter region(lanes, kernel, indices, exists);
    rows.push_back(
        lanes.materialize(region.load(op.getInputs()[input], formula.getInputMap(input))));
  }
  return transpose(lanes, std::move(rows));
}

std::unique_ptr<KernelEmitter> weft::createTransposeEmitter(MapOp op, LoweringAttr lowering) {
  return createFor<TransposeEmitter, TransposeSchedule>(op, lowering);
}
