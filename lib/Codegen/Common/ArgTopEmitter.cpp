//===- ArgTopEmitter.cpp - the index of the j-th largest ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The largest, then the largest of those behind it in descending order (ties by the smaller index),
// and so on: a walk through the row for each place, without scratch and without a sort. Where the
// places are an index of the result, one row of results shares the walks.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowEmitter.h"
#include "weft/Codegen/Common/RowWalk.h"

using namespace mlir;
using namespace weft;

/// The index of the result that is the place, if that is all it is.
static std::optional<unsigned> getPlaceIndex(ReduceOp op) {
  auto index = op.getBody().front().getTerminator()->getOperand(1).getDefiningOp<IndexOp>();
  if (!index || index.getPosition() >= FormulaOpInterface(op).getNumOutputIndices())
    return std::nullopt;
  return index.getPosition();
}

static SmallVector<unsigned> getRows(ReduceOp op) {
  SmallVector<unsigned> rows = getStoredOrder(op);
  if (std::optional<unsigned> place = getPlaceIndex(op))
    llvm::erase(rows, *place);
  return rows;
}

namespace {

class ArgTopEmitter : public RowEmitter {
public:
  ArgTopEmitter(ReduceOp op, const ArgTopSchedule &schedule)
      : RowEmitter(op, schedule.width, getRows(op), /*lane=*/std::nullopt, schedule.tasks), op(op),
        place(getPlaceIndex(op)), ranked(FormulaOpInterface(op).getNumOutputIndices()),
        accumulator(ReduceKind::ArgMax,
                    op.getBody().front().getTerminator()->getOperand(0).getType(),
                    /*hasPredicate=*/false) {}

private:
  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row, Value) override {
    SmallVector<Value> before = {
        getNeutralValue(lanes, ReduceKind::Min, getValueType()),
        getConstant(lanes, lanes.b.getIntegerAttr(getPositionType(lanes), -1))};
    SmallVector<Lanes> indices(row);
    if (place) {
      lanes.loop(getExtent(lanes, kernel, *place), before, [&](const Lanes &iv, ValueRange last) {
        indices[*place] = iv;
        SmallVector<Value> next = findNext(lanes, kernel, indices, last);
        store(lanes, kernel, indices, next);
        return next;
      });
      return;
    }
    // Of no place at all, one before the first, nothing.
    before.push_back(getNeutralValue(lanes, ReduceKind::Max, getValueType()));
    before.push_back(getNeutralValue(lanes, ReduceKind::Min, getPositionType(lanes)));
    LaneBuilder single = lanes.withWidth(1);
    SmallVector<Value> all = lanes.loop(
        countWalks(single, kernel, indices), before, [&](const Lanes &, ValueRange last) {
          SmallVector<Value> next = findNext(lanes, kernel, indices, last.take_front(2));
          next.append({next[0], next[1]});
          return next;
        });
    store(lanes, kernel, indices, ArrayRef(all).drop_front(2));
  }

  Type getValueType() { return op.getBody().front().getTerminator()->getOperand(0).getType(); }
  /// As lanes that were combined have it.
  static Type getPositionType(LaneBuilder &lanes) {
    return lanes.width > 1 ? Type(lanes.b.getI64Type()) : Type(lanes.b.getIndexType());
  }
  static Value getConstant(LaneBuilder &lanes, TypedAttr value) {
    return arith::ConstantOp::create(lanes.b, lanes.loc, value);
  }
  static Value getNeutralValue(LaneBuilder &lanes, ReduceKind kind, Type type) {
    return getConstant(lanes, getNeutral(lanes, kind, type));
  }

  /// How many walks it takes to the place that is asked for, at most one past the last element.
  Lanes countWalks(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row) {
    SmallVector<Lanes> indices(row);
    indices[ranked] = lanes.constant(0);
    RegionEmitter region(lanes, kernel, indices, Value());
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    Lanes wanted = region.emit(op.getBody(), inputs)[1];
    Lanes count = lanes.add(lanes.min(wanted, getExtent(lanes, kernel, ranked)), lanes.constant(1));
    return lanes.max(count, lanes.constant(0));
  }

  /// The largest of the elements behind `last`.
  SmallVector<Value> findNext(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row,
                              ValueRange last) {
    SmallVector<Lanes> indices(row);
    SmallVector<Value> found = RowWalk().visit(
        lanes, lanes.constant(0), getExtent(lanes, kernel, ranked), accumulator.getInits(lanes),
        [&](const RowPart &part, ValueRange carried) {
          indices[ranked] = part.index;
          return accumulator.add(lanes, carried, emitElement(lanes, kernel, indices, part, last));
        });
    RowWalk().combine(lanes, accumulator, found);
    return found;
  }

  ReducedElement emitElement(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
                             const RowPart &part, ValueRange last) {
    RegionEmitter region(lanes, kernel, indices, part.mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    ReducedElement element;
    element.value = lanes.materialize(region.emit(op.getBody(), inputs)[0], /*wide=*/true);
    element.position = lanes.materialize(part.index, /*wide=*/true);
    element.holds = isBefore(lanes, lanes.materialize(lanes.uniform(last[0]), /*wide=*/true),
                             lanes.materialize(lanes.uniform(last[1]), /*wide=*/true),
                             {element.value, element.position});
    if (!op.getPredicate().empty())
      element.holds = lanes.andMask(element.holds,
                                    lanes.materialize(region.emit(op.getPredicate(), inputs)[0]));
    element.holds = lanes.andMask(element.holds, part.counts);
    return element;
  }

  void store(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
             ArrayRef<Value> found) {
    LaneBuilder single = lanes.withWidth(1);
    Value position = accumulator.finish(single, found, [] { return Lanes(); });
    RegionEmitter(single, kernel, indices, Value()).storeOutput(op, single.uniform(position));
  }

  ReduceOp op;
  std::optional<unsigned> place;
  unsigned ranked;
  Accumulator accumulator;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createArgTopEmitter(ReduceOp op, LoweringAttr lowering) {
  return createFor<ArgTopEmitter, ArgTopSchedule>(op, lowering);
}
