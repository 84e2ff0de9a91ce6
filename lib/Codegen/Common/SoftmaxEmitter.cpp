//===- SoftmaxEmitter.cpp - softmax and log-softmax of rows ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The vector runs along the output's last stored index: along the row if that is the axis, else
// over several rows at once. A pass takes a few neighbouring vectors of a row at a time. In which
// passes a row is computed is the schedule's business (SoftmaxSchedule). An element that does not
// count is minus infinity and its exponential 0: maxima begin at the lowest finite number, so that
// no difference is of two infinities but that of an element that is infinite itself.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Combine.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/RowEmitter.h"
#include "weft/Codegen/Common/RowWalk.h"

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

/// e^(element - largest).
static Value emitPower(LaneBuilder &lanes, Value element, Value largest) {
  Value difference = arith::SubFOp::create(lanes.b, lanes.loc, element, largest);
  return emitExp2(lanes,
                  arith::MulFOp::create(lanes.b, lanes.loc, difference, lanes.floatVector(kLog2E)));
}

namespace {

/// A row, or those of the lanes that are in the mask, while it is computed.
struct Row {
  LaneBuilder &lanes;
  const Kernel &kernel;
  ArrayRef<Lanes> indices;
  Value mask;
};

/// The largest element of a row and the sum of e^(element - largest), in all lanes.
struct RowStatistics {
  Value largest, sum;
};

class SoftmaxEmitter : public RowEmitter {
public:
  SoftmaxEmitter(SoftmaxOp op, const SoftmaxSchedule &schedule,
                 std::unique_ptr<RowWalk> walk = std::make_unique<RowWalk>())
      : SoftmaxEmitter(op, schedule, getStoredOrder(op), std::move(walk)) {}

  int64_t getThreads() const override { return walk->getThreads(); }

private:
  SoftmaxEmitter(SoftmaxOp op, const SoftmaxSchedule &schedule, ArrayRef<unsigned> order,
                 std::unique_ptr<RowWalk> walk)
      : RowEmitter(op, schedule.width, getRowPositions(op, order), getLane(op, order),
                   schedule.tasks),
        op(op), schedule(schedule), walk(std::move(walk)), order(order), axis(op.getAxis()),
        isLog(op.getNormalizer() == Normalizer::LogSoftmax), alongAxis(order.back() == axis) {}

  /// What a pass does with neighbouring vectors of a row, of which `part` is the first.
  using Pass = llvm::function_ref<SmallVector<Value>(ArrayRef<SmallVector<Lanes>> vectors,
                                                     const RowPart &part, ValueRange carried)>;

  /// Visits a row: all chains at a time, and at its end single vectors.
  SmallVector<Value> forRow(const Row &row, ValueRange inits, Pass pass) {
    LaneBuilder &lanes = row.lanes;
    Lanes extent = getExtent(lanes, row.kernel, axis);
    Interval range{0, cast<IndexAttr>(op.getIndices()[axis]).getSize() - 1};
    int64_t step = alongAxis ? lanes.width : 1;
    auto visit = [&](const RowPart &part, int64_t count, ValueRange carried) {
      SmallVector<SmallVector<Lanes>> vectors(count, SmallVector<Lanes>(row.indices));
      for (auto [i, indices] : llvm::enumerate(vectors)) {
        indices[axis] = lanes.add(part.index, lanes.constant(int64_t(i) * step));
        indices[axis].interval = range;
      }
      return pass(vectors, part, carried);
    };
    // All of the lanes are elements, of this row or of another one each.
    auto whole = [&](const Lanes &first) { return RowPart{first, row.mask, Value(), Value()}; };
    int64_t block = schedule.chains * step;
    SmallVector<Value> carried(inits);
    Lanes end = lanes.constant(0);
    if (schedule.chains > 1) {
      end = lanes.sub(extent, lanes.mod(extent, block));
      end.divisor = block;
      carried = lanes.loop(lanes.indexConstant(0), end.value, block, carried,
                           [&](Value iv, ValueRange values) {
                             Lanes first = lanes.uniform(iv, range, block);
                             first.stride = step > 1 ? 1 : 0;
                             return visit(whole(first), schedule.chains, values);
                           });
    }
    if (alongAxis)
      return walk->visit(lanes, end, extent, carried, [&](const RowPart &part, ValueRange values) {
        return visit(part, 1, values);
      });
    return lanes.loop(end.value, extent.value, 1, carried, [&](Value iv, ValueRange values) {
      return visit(whole(lanes.uniform(iv, range)), 1, values);
    });
  }

  Lanes getOffset(const Row &row, ArrayRef<Lanes> indices) {
    SmallVector<Lanes> coordinates;
    for (unsigned position : order)
      coordinates.push_back(indices[position]);
    return weft::getOffset(row.lanes, getOutput(row), coordinates);
  }
  const Buffer &getOutput(const Row &row) { return row.kernel.getBuffer(op.getOutput()); }

  Value load(const Row &row, ArrayRef<Lanes> indices, Value mask) {
    LaneBuilder &lanes = row.lanes;
    return lanes.materialize(loadElements(lanes, getOutput(row), getOffset(row, indices), mask));
  }
  void store(const Row &row, ArrayRef<Lanes> indices, Value value, const RowPart &part) {
    LaneBuilder &lanes = row.lanes;
    writePart(lanes, part, [&] {
      storeElements(lanes, getOutput(row), getOffset(row, indices), lanes.uniform(value),
                    part.mask);
    });
  }

  Value emitElement(const Row &row, ArrayRef<Lanes> indices, const RowPart &part) {
    LaneBuilder &lanes = row.lanes;
    RegionEmitter region(lanes, row.kernel, indices, part.mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    Value element = lanes.materialize(region.emit(op.getBody(), inputs)[0]);
    if (!op.getPredicate().empty()) {
      Value holds = lanes.materialize(region.emit(op.getPredicate(), inputs)[0]);
      element = lanes.select(holds, element, getNothing(lanes));
    }
    return lanes.select(part.counts, element, getNothing(lanes));
  }
  static Value getNothing(LaneBuilder &lanes) {
    return lanes.floatVector(-std::numeric_limits<float>::infinity());
  }
  static Value getLowest(LaneBuilder &lanes) {
    return lanes.floatVector(std::numeric_limits<float>::lowest());
  }

  /// Computes an element in the first pass; the others may find it in the output.
  Value emitFirst(const Row &row, ArrayRef<Lanes> indices, const RowPart &part) {
    Value element = emitElement(row, indices, part);
    if (schedule.kept)
      store(row, indices, element, part);
    return element;
  }
  Value emitAgain(const Row &row, ArrayRef<Lanes> indices, const RowPart &part) {
    if (!schedule.kept)
      return emitElement(row, indices, part);
    Value element = load(row, indices, part.mask);
    return row.lanes.select(part.counts, element, getNothing(row.lanes));
  }

  /// The value of all lanes, from those of each.
  Value spread(const Row &row, ReduceKind kind, Value value) {
    if (!alongAxis)
      return value;
    walk->combine(row.lanes, Accumulator(kind, row.lanes.b.getF32Type(), /*hasPredicate=*/false),
                  value);
    return row.lanes.materialize(row.lanes.uniform(value));
  }

  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
               Value mask) override {
    Row row{lanes, kernel, indices, mask};
    storeResults(row, schedule.passes == 2 ? emitTogether(row) : emitInTurn(row));
  }

  bool keepsPowers() const { return !isLog && schedule.passes == 3 && !walk->isHeld(); }

  RowStatistics emitInTurn(const Row &row) {
    LaneBuilder &lanes = row.lanes;
    SmallVector<Value> inits(schedule.chains, getLowest(lanes));
    auto addElements = [&](ArrayRef<SmallVector<Lanes>> vectors, const RowPart &part,
                           ValueRange carried) {
      SmallVector<Value> next(carried);
      for (auto [indices, largest] : llvm::zip(vectors, next))
        largest = emitLarger(lanes, emitFirst(row, indices, part), largest);
      return next;
    };
    SmallVector<Value> maxima = forRow(row, inits, addElements);
    Value largest = maxima[0];
    for (Value other : ArrayRef(maxima).drop_front())
      largest = emitLarger(lanes, other, largest);
    largest = spread(row, ReduceKind::Max, largest);
    auto addPowers = [&](ArrayRef<SmallVector<Lanes>> vectors, const RowPart &part,
                         ValueRange carried) {
      Value sum = carried[0];
      for (const SmallVector<Lanes> &indices : vectors) {
        Value power = emitPower(lanes, emitAgain(row, indices, part), largest);
        if (keepsPowers())
          store(row, indices, power, part);
        sum = arith::AddFOp::create(lanes.b, lanes.loc, sum, power);
      }
      return SmallVector<Value>{sum};
    };
    Value sum = forRow(row, lanes.floatVector(0), addPowers)[0];
    return {largest, spread(row, ReduceKind::Sum, sum)};
  }

  /// One pass: the sum is that of e^(element - largest so far), scaled when something larger comes.
  RowStatistics emitTogether(const Row &row) {
    OpBuilder &b = row.lanes.b;
    Location loc = row.lanes.loc;
    LaneBuilder &lanes = row.lanes;
    auto rescale = [&](Value sum, Value before, Value largest) -> Value {
      return arith::MulFOp::create(b, loc, sum, emitPower(lanes, before, largest));
    };
    auto addElements = [&](ArrayRef<SmallVector<Lanes>> vectors, const RowPart &part,
                           ValueRange carried) {
      SmallVector<Value> elements;
      Value largest = carried[0];
      for (const SmallVector<Lanes> &indices : vectors) {
        elements.push_back(emitFirst(row, indices, part));
        largest = emitLarger(lanes, elements.back(), largest);
      }
      Value sum = rescale(carried[1], carried[0], largest);
      for (Value element : elements)
        sum = arith::AddFOp::create(b, loc, sum, emitPower(lanes, element, largest));
      return SmallVector<Value>{largest, sum};
    };
    SmallVector<Value> found = forRow(row, {getLowest(lanes), lanes.floatVector(0)}, addElements);
    Value largest = spread(row, ReduceKind::Max, found[0]);
    return {largest, spread(row, ReduceKind::Sum, rescale(found[1], found[0], largest))};
  }

  /// The last pass: e / sum, or element - largest - log(sum).
  void storeResults(const Row &row, const RowStatistics &statistics) {
    OpBuilder &b = row.lanes.b;
    Location loc = row.lanes.loc;
    Value zero = row.lanes.floatVector(0), one = row.lanes.floatVector(1), sum = statistics.sum;
    // Nothing counts: all exponentials are 0.
    Value empty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, zero);
    sum = arith::SelectOp::create(b, loc, empty, one, sum);
    Value factor = isLog ? math::LogOp::create(b, loc, sum).getResult()
                         : arith::DivFOp::create(b, loc, one, sum).getResult();
    forRow(row, {}, [&](ArrayRef<SmallVector<Lanes>> vectors, const RowPart &part, ValueRange) {
      for (const SmallVector<Lanes> &indices : vectors) {
        Value value = keepsPowers() ? load(row, indices, part.mask) : emitAgain(row, indices, part),
              result;
        if (isLog) {
          result = arith::SubFOp::create(b, loc, value, statistics.largest);
          result = arith::SubFOp::create(b, loc, result, factor);
        } else {
          Value power = keepsPowers() ? value : emitPower(row.lanes, value, statistics.largest);
          result = arith::MulFOp::create(b, loc, power, factor);
        }
        store(row, indices, result, part);
      }
      return SmallVector<Value>();
    });
  }

  SoftmaxOp op;
  SoftmaxSchedule schedule;
  std::unique_ptr<RowWalk> walk;
  SmallVector<unsigned> order;
  unsigned axis;
  bool isLog, alongAxis;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createSoftmaxEmitter(SoftmaxOp op, LoweringAttr lowering) {
  return createFor<SoftmaxEmitter, SoftmaxSchedule>(op, lowering);
}

std::unique_ptr<KernelEmitter> weft::createSoftmaxEmitter(SoftmaxOp op,
                                                          const SoftmaxSchedule &schedule,
                                                          std::unique_ptr<RowWalk> walk) {
  return std::make_unique<SoftmaxEmitter>(op, schedule, std::move(walk));
}
