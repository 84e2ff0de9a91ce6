//===- SoftmaxEmitter.cpp - softmax and log-softmax of rows ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Three passes over a row, with the output as its scratch: the elements and their maximum, the
// exponentials and their sum, the division. The vector runs along the output's last stored
// index: along the row if that is the axis, else over several rows at once.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/RowEmitter.h"

#include <limits>

using namespace mlir;
using namespace weft;

/// The last stored index has the lanes: of several rows, unless it is the axis.
static std::optional<unsigned> getLane(SoftmaxOp op, ArrayRef<unsigned> order) {
  return order.back() == op.getAxis() ? std::nullopt : std::optional(order.back());
}

static SmallVector<unsigned> getRowPositions(SoftmaxOp op, ArrayRef<unsigned> order) {
  SmallVector<unsigned> positions(order.drop_back());
  llvm::erase(positions, unsigned(op.getAxis()));
  return positions;
}

namespace {

class SoftmaxEmitter : public RowEmitter {
public:
  SoftmaxEmitter(SoftmaxOp op, const RowSchedule &schedule)
      : SoftmaxEmitter(op, schedule, getStoredOrder(op)) {}

private:
  SoftmaxEmitter(SoftmaxOp op, const RowSchedule &schedule, ArrayRef<unsigned> order)
      : RowEmitter(op, schedule.width, getRowPositions(op, order), getLane(op, order),
                   schedule.tasks),
        op(op), order(order), axis(op.getAxis()),
        isLog(op.getNormalizer() == Normalizer::LogSoftmax), alongAxis(order.back() == axis) {}

  /// Visits the row with a carried vector; `indices` are those outside the row.
  Value forRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value mask,
               Value init,
               llvm::function_ref<Value(ArrayRef<Lanes>, Value mask, Value carried)> body) {
    SmallVector<Lanes> values(indices);
    Lanes extent = getExtent(lanes, kernel, axis);
    if (alongAxis)
      return lanes.laneLoop(lanes.constant(0), extent, init,
                            [&](const Lanes &value, Value tail, ValueRange carried) {
                              values[axis] = value;
                              return SmallVector<Value>{body(values, tail, carried[0])};
                            })[0];
    return lanes.loop(extent, init, [&](const Lanes &value, ValueRange carried) {
      values[axis] = value;
      return SmallVector<Value>{body(values, mask, carried[0])};
    })[0];
  }

  Value emitElement(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value mask) {
    RegionEmitter region(lanes, kernel, indices, mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    Value element = lanes.materialize(region.emit(op.getBody(), inputs)[0]);
    Value lowest = lanes.floatVector(-std::numeric_limits<float>::infinity());
    if (!op.getPredicate().empty()) {
      Value holds = lanes.materialize(region.emit(op.getPredicate(), inputs)[0]);
      element = lanes.select(holds, element, lowest);
    }
    return alongAxis ? lanes.select(mask, element, lowest) : element;
  }

  Value spread(LaneBuilder &lanes, Value value) { return lanes.materialize(lanes.uniform(value)); }

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row,
               Value rowMask) override {
    OpBuilder &b = lanes.b;
    Location loc = lanes.loc;
    const Buffer &output = kernel.getBuffer(op.getOutput());
    auto offset = [&](ArrayRef<Lanes> indices) {
      SmallVector<Lanes> coordinates;
      for (unsigned position : order)
        coordinates.push_back(indices[position]);
      return getOffset(lanes, output, coordinates);
    };
    Value lowest = lanes.floatVector(-std::numeric_limits<float>::infinity());
    Value zero = lanes.floatVector(0);
    Value largest =
        forRow(lanes, kernel, row, rowMask, lowest,
               [&](ArrayRef<Lanes> indices, Value mask, Value carried) -> Value {
                 Value element = emitElement(lanes, kernel, indices, mask);
                 storeElements(lanes, output, offset(indices), lanes.uniform(element), mask);
                 return arith::MaxNumFOp::create(b, loc, carried, element);
               });
    if (alongAxis)
      largest = spread(lanes, reduceLanes(lanes, ReduceKind::Max, largest));
    // An empty row: anything finite keeps its exponentials at 0.
    Value empty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest, lowest);
    largest = arith::SelectOp::create(b, loc, empty, zero, largest);
    Value sum =
        forRow(lanes, kernel, row, rowMask, zero,
               [&](ArrayRef<Lanes> indices, Value mask, Value carried) -> Value {
                 Lanes stored = loadElements(lanes, output, offset(indices), mask);
                 Value difference =
                     arith::SubFOp::create(b, loc, lanes.materialize(stored), largest);
                 Value power = math::ExpOp::create(b, loc, difference);
                 if (alongAxis)
                   power = lanes.select(mask, power, zero);
                 if (!isLog)
                   storeElements(lanes, output, offset(indices), lanes.uniform(power), mask);
                 return arith::AddFOp::create(b, loc, carried, power);
               });
    if (alongAxis)
      sum = spread(lanes, reduceLanes(lanes, ReduceKind::Sum, sum));
    emitScale(lanes, kernel, row, rowMask, offset, largest, sum);
  }

  /// The last pass: e / sum, or e - max - log(sum).
  void emitScale(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row, Value rowMask,
                 llvm::function_ref<Lanes(ArrayRef<Lanes>)> offset, Value largest, Value sum) {
    OpBuilder &b = lanes.b;
    Location loc = lanes.loc;
    const Buffer &output = kernel.getBuffer(op.getOutput());
    Value zero = lanes.floatVector(0), one = lanes.floatVector(1);
    Value empty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, zero);
    sum = arith::SelectOp::create(b, loc, empty, one, sum);
    Value factor = isLog ? math::LogOp::create(b, loc, sum).getResult()
                         : arith::DivFOp::create(b, loc, one, sum).getResult();
    forRow(lanes, kernel, row, rowMask, zero,
           [&](ArrayRef<Lanes> indices, Value mask, Value carried) -> Value {
             Value stored = lanes.materialize(loadElements(lanes, output, offset(indices), mask));
             Value result;
             if (isLog) {
               result = arith::SubFOp::create(b, loc, stored, largest);
               result = arith::SubFOp::create(b, loc, result, factor);
             } else {
               result = arith::MulFOp::create(b, loc, stored, factor);
             }
             storeElements(lanes, output, offset(indices), lanes.uniform(result), mask);
             return carried;
           });
  }

  SoftmaxOp op;
  SmallVector<unsigned> order;
  unsigned axis;
  bool isLog, alongAxis;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createSoftmaxEmitter(SoftmaxOp op, LoweringAttr lowering) {
  return createFor<SoftmaxEmitter, RowSchedule>(op, lowering);
}
