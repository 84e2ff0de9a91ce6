//===- ArgTopEmitter.cpp - the index of the j-th largest ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The largest, then the largest of those behind it in descending order (ties by the smaller index),
// and so on: a walk through the row for each place, without scratch and without a sort. Where the
// places are an index of the result, one row of results shares the walks. Of many places and
// elements each block of elements keeps the largest that is left: a place takes a walk through
// these and another one through the block that it was in.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowEmitter.h"
#include "weft/Codegen/Common/RowWalk.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

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
        block(schedule.block), place(getPlaceIndex(op)),
        ranked(FormulaOpInterface(op).getNumOutputIndices()),
        accumulator(ReduceKind::ArgMax,
                    op.getBody().front().getTerminator()->getOperand(0).getType(),
                    /*hasPredicate=*/false) {}

private:
  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row, Value) override {
    SmallVector<Value> before = {
        getNeutralValue(lanes, ReduceKind::Min, getValueType()),
        getConstant(lanes, lanes.b.getIntegerAttr(getPositionType(lanes), -1))};
    SmallVector<Lanes> indices(row);
    if (block)
      return emitBlocks(lanes, kernel, indices, before);
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

  /// The largest that is left of each block, and where it is: none at the position behind all.
  struct Blocks {
    Value values, positions;
    Lanes number;
  };

  void emitBlocks(LaneBuilder &lanes, const Kernel &kernel, SmallVector<Lanes> indices,
                  ValueRange before) {
    int64_t most = llvm::alignTo(getRankedBlocks(op, *block), lanes.width);
    Blocks blocks{kernel.allocateStack(lanes, most * kValueBytes),
                  kernel.allocateStack(lanes, most * kPositionBytes),
                  lanes.ceilDiv(getExtent(lanes, kernel, ranked), *block)};
    lanes.loop(blocks.number, {}, [&](const Lanes &iv, ValueRange) {
      keep(lanes, blocks, iv, findInBlock(lanes, kernel, indices, iv, before));
      return SmallVector<Value>();
    });
    lanes.loop(getExtent(lanes, kernel, *place), {}, [&](const Lanes &iv, ValueRange) {
      SmallVector<Value> found = findLargest(lanes, blocks);
      indices[*place] = iv;
      store(lanes, kernel, indices, found);
      // Of none any block: it has nothing left.
      Value position = found[1];
      if (!position.getType().isIndex())
        position = arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), position);
      Value size = lanes.constant(*block).value;
      Value own = arith::DivUIOp::create(lanes.b, lanes.loc, position, size);
      Value last = lanes.sub(blocks.number, lanes.constant(1)).value;
      own = arith::MinUIOp::create(lanes.b, lanes.loc, own, last);
      Lanes number = lanes.uniform(own, {0, getRankedBlocks(op, *block) - 1});
      keep(lanes, blocks, number, findInBlock(lanes, kernel, indices, number, found));
      return SmallVector<Value>();
    });
  }

  SmallVector<Value> findInBlock(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row,
                                 const Lanes &number, ValueRange last) {
    Lanes first = lanes.mul(number, lanes.constant(*block));
    Lanes end =
        lanes.min(lanes.add(first, lanes.constant(*block)), getExtent(lanes, kernel, ranked));
    return findNext(lanes, kernel, row, last, first, end);
  }

  SmallVector<Value> findLargest(LaneBuilder &lanes, const Blocks &blocks) {
    SmallVector<Value> found = RowWalk().visit(
        lanes, lanes.constant(0), blocks.number, accumulator.getInits(lanes),
        [&](const RowPart &part, ValueRange carried) {
          auto load = [&](Value memory, Type type) -> Value {
            Value place = getElementPointer(lanes, memory, type, part.index.value);
            return LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.vectorOf(type), place,
                                        /*alignment=*/4);
          };
          ReducedElement element;
          element.value = load(blocks.values, getValueType());
          element.position = load(blocks.positions, lanes.b.getI64Type());
          if (lanes.width == 1)
            element.position = arith::IndexCastOp::create(lanes.b, lanes.loc,
                                                          lanes.b.getIndexType(), element.position);
          element.holds = part.counts;
          return accumulator.add(lanes, carried, element);
        });
    RowWalk().combine(lanes, accumulator, found);
    return found;
  }

  void keep(LaneBuilder &lanes, const Blocks &blocks, const Lanes &number, ArrayRef<Value> found) {
    Value position = found[1];
    if (position.getType().isIndex())
      position = arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getI64Type(), position);
    auto write = [&](Value value, Value memory) {
      LLVM::StoreOp::create(lanes.b, lanes.loc, value,
                            getElementPointer(lanes, memory, value.getType(), number.value));
    };
    write(found[0], blocks.values);
    write(position, blocks.positions);
  }

  SmallVector<Value> findNext(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row,
                              ValueRange last) {
    return findNext(lanes, kernel, row, last, lanes.constant(0), getExtent(lanes, kernel, ranked));
  }

  /// The largest of the elements behind `last`, of those from `first` on.
  SmallVector<Value> findNext(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row,
                              ValueRange last, const Lanes &first, const Lanes &end) {
    SmallVector<Lanes> indices(row);
    SmallVector<Value> found = RowWalk().visit(
        lanes, first, end, accumulator.getInits(lanes),
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

  static constexpr int64_t kValueBytes = 4, kPositionBytes = 8;

  ReduceOp op;
  std::optional<int64_t> block;
  std::optional<unsigned> place;
  unsigned ranked;
  Accumulator accumulator;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createArgTopEmitter(ReduceOp op, LoweringAttr lowering) {
  return createFor<ArgTopEmitter, ArgTopSchedule>(op, lowering);
}
