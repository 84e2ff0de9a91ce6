//===- CheckEmitter.cpp - conditions on the inputs of a model -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/Emitters.h"
#include "weft/Codegen/Common/IndexLoops.h"

#include "weft/Runtime/weft_model_info.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

namespace {

/// Notes a failure in the status word, unless an earlier one stands there.
class CheckEmitter : public KernelEmitter {
public:
  CheckEmitter(CheckOp op, const CheckSchedule &schedule) : op(op), schedule(schedule) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &) override { return lanes.constant(1); }

  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &) override {
    auto positions = llvm::to_vector(llvm::seq(0u, unsigned(op.getIndices().size())));
    IndexAttr last =
        positions.empty() ? IndexAttr() : cast<IndexAttr>(op.getIndices()[positions.back()]);
    LaneBuilder lanes = outer.withWidth(schedule.width);
    Type flags = lanes.vectorOf(lanes.b.getI1Type());
    Value good = arith::ConstantOp::create(lanes.b, lanes.loc, allTrue(flags));
    SmallVector<Lanes> values(positions.size());
    ArrayRef<unsigned> outerPositions = positions;
    if (last)
      outerPositions = outerPositions.drop_back();
    good =
        emitNest(lanes, kernel, op.getIndices(), outerPositions, values, good,
                 [&](ArrayRef<Lanes> row, ValueRange carried) -> SmallVector<Value> {
                   if (!last)
                     return {emitTest(lanes, kernel, row, Value(), carried[0])};
                   SmallVector<Lanes> indices(row);
                   return lanes.laneLoop(lanes.constant(0), kernel.getExtent(lanes, last), carried,
                                         [&](const Lanes &index, Value mask, ValueRange inner) {
                                           indices.back() = index;
                                           return SmallVector<Value>{
                                               emitTest(lanes, kernel, indices, mask, inner[0])};
                                         });
                 })[0];
    storeStatus(lanes, kernel, good);
  }

private:
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
    Type i32 = b.getI32Type();
    Value old = LLVM::LoadOp::create(b, loc, i32, kernel.status, 4);
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value fine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, old, zero);
    Value code = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(WEFT_ERROR_INDEX));
    Value failed = arith::SelectOp::create(b, loc, fine, code, old);
    Value status = arith::SelectOp::create(b, loc, all, old, failed);
    LLVM::StoreOp::create(b, loc, status, kernel.status, 4);
  }

  CheckOp op;
  CheckSchedule schedule;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createCheckEmitter(CheckOp op, LoweringAttr lowering) {
  return createFor<CheckEmitter, CheckSchedule>(op, lowering);
}
