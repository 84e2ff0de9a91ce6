//===- CheckEmitter.cpp - conditions on the inputs of a model -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowEmitter.h"

#include "weft/Runtime/weft_model_info.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

/// All indices but the last, which has the lanes.
static SmallVector<unsigned> getRowPositions(CheckOp op) {
  auto positions = llvm::to_vector(llvm::seq(0u, unsigned(op.getIndices().size())));
  if (!positions.empty())
    positions.pop_back();
  return positions;
}

static std::optional<unsigned> getLane(CheckOp op) {
  unsigned count = op.getIndices().size();
  return count ? std::optional(count - 1) : std::nullopt;
}

namespace {

/// Notes a failure in the status word, unless an earlier one stands there.
class CheckEmitter : public RowEmitter {
public:
  CheckEmitter(CheckOp op, const CheckSchedule &schedule)
      : RowEmitter(op, schedule.width, getRowPositions(op), getLane(op),
                   RowTasks{std::nullopt, schedule.vectors, /*parallel=*/false}),
        op(op), schedule(schedule) {}

  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    if (schedule.vectors)
      return RowEmitter::emitTask(outer, kernel, task);
    LaneBuilder lanes = outer.withWidth(schedule.width);
    storeStatus(lanes, kernel, emitAll(lanes, kernel));
  }

private:
  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices,
               Value mask) override {
    storeStatus(lanes, kernel, emitTest(lanes, kernel, indices, mask, emitTrue(lanes)));
  }

  static Value emitTrue(LaneBuilder &lanes) {
    Type flags = lanes.vectorOf(lanes.b.getI1Type());
    return arith::ConstantOp::create(lanes.b, lanes.loc, allTrue(flags));
  }

  /// The tests of all elements together.
  Value emitAll(LaneBuilder &lanes, const Kernel &kernel) {
    SmallVector<Lanes> values(op.getIndices().size());
    auto emitElements = [&](ArrayRef<Lanes> row, ValueRange carried) -> SmallVector<Value> {
      std::optional<unsigned> lane = getLane(op);
      if (!lane)
        return {emitTest(lanes, kernel, row, Value(), carried[0])};
      SmallVector<Lanes> indices(row);
      return lanes.laneLoop(lanes.constant(0), getExtent(lanes, kernel, *lane), carried,
                            [&](const Lanes &index, Value mask, ValueRange inner) {
                              indices.back() = index;
                              return SmallVector<Value>{
                                  emitTest(lanes, kernel, indices, mask, inner[0])};
                            });
    };
    return emitNest(lanes, kernel, op.getIndices(), getRowPositions(op), values, emitTrue(lanes),
                    emitElements)[0];
  }

  static TypedAttr allTrue(Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      return DenseElementsAttr::get(vector, true);
    return IntegerAttr::get(type, 1);
  }

  Value emitTest(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value mask,
                 Value good) {
    RegionEmitter region(lanes, kernel, indices, mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    Value holds = lanes.materialize(region.emit(op.getBody(), inputs)[0]);
    Value both = arith::AndIOp::create(lanes.b, lanes.loc, good, holds);
    return lanes.select(mask, both, good);
  }

  void storeStatus(LaneBuilder &lanes, const Kernel &kernel, Value good) {
    OpBuilder &b = lanes.b;
    Location loc = lanes.loc;
    Value all = good;
    if (isa<VectorType>(good.getType())) {
      Type bits = b.getIntegerType(lanes.width);
      Value packed = LLVM::BitcastOp::create(b, loc, bits, good);
      Value ones = arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, -1));
      all = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, packed, ones);
    }
    Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    Value fails = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, all, no);
    // Other tasks may find failures at the same time.
    lanes.ifThen(fails, {}, [&] {
      Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
      Value code = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(WEFT_ERROR_INDEX));
      constexpr auto ordering = LLVM::AtomicOrdering::monotonic;
      LLVM::AtomicCmpXchgOp::create(b, loc, kernel.status, zero, code, ordering, ordering);
      return SmallVector<Value>();
    });
  }

  CheckOp op;
  CheckSchedule schedule;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createCheckEmitter(CheckOp op, LoweringAttr lowering) {
  return createFor<CheckEmitter, CheckSchedule>(op, lowering);
}
