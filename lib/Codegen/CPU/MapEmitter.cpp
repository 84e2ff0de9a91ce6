//===- MapEmitter.cpp - element-wise formulas, gathers and checks ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The output is written in the order in which it is stored, in vectors along its last dimension.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

namespace {

class MapEmitter : public KernelEmitter {
public:
  MapEmitter(MapOp op, LoweringAttr lowering)
      : op(op), order(getStoredOrder(op)), width(lowering.getWidth()),
        rows(op.getIndices(), rowPositions(), work(), lowering.getParallel()) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return rows.getNumTasks(lanes, kernel);
  }

  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    int64_t useful = order.empty() ? 1 : getUsefulWidth(width, laneIndex());
    LaneBuilder lanes = outer.withWidth(useful);
    SmallVector<Lanes> values(op.getIndices().size());
    rows.emit(lanes, kernel, task, values, [&](ArrayRef<Lanes> row) {
      if (order.empty())
        return emitElements(lanes, kernel, row, Value());
      SmallVector<Lanes> indices(row);
      Lanes extent = kernel.getExtent(lanes, laneIndex());
      lanes.laneLoop(lanes.constant(0), extent, {},
                     [&](const Lanes &index, Value mask, ValueRange) {
                       indices[order.back()] = index;
                       emitElements(lanes, kernel, indices, mask);
                       return SmallVector<Value>();
                     });
    });
  }

private:
  ArrayRef<unsigned> rowPositions() {
    return order.empty() ? ArrayRef<unsigned>() : ArrayRef(order).drop_back();
  }
  IndexAttr laneIndex() { return cast<IndexAttr>(op.getIndices()[order.back()]); }
  int64_t work() { return order.empty() ? 1 : laneIndex().getSize(); }

  void emitElements(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> indices, Value mask) {
    RegionEmitter region(lanes, kernel, indices, mask);
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    Lanes value = region.emit(op.getBody(), inputs)[0];
    storeOutput(lanes, kernel, op, indices, value, mask);
  }

  MapOp op;
  SmallVector<unsigned> order;
  int64_t width;
  IndexLoops rows;
};

/// Counts the elements that fail; the first check that fails decides the code.
class CheckEmitter : public KernelEmitter {
public:
  CheckEmitter(CheckOp op, LoweringAttr lowering) : op(op), width(lowering.getWidth()) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &) override { return lanes.constant(1); }

  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &) override {
    auto positions = llvm::to_vector(llvm::seq(0u, unsigned(op.getIndices().size())));
    IndexAttr last =
        positions.empty() ? IndexAttr() : cast<IndexAttr>(op.getIndices()[positions.back()]);
    LaneBuilder lanes = outer.withWidth(last ? getUsefulWidth(width, last) : 1);
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
    Value code = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(errorCode()));
    Value failed = arith::SelectOp::create(b, loc, fine, code, old);
    Value status = arith::SelectOp::create(b, loc, all, old, failed);
    LLVM::StoreOp::create(b, loc, status, kernel.status, 4);
  }

  /// WEFT_ERROR_INDEX unless the op says otherwise.
  int64_t errorCode() {
    auto code = op->getAttrOfType<IntegerAttr>("code");
    return code ? code.getInt() : 2;
  }

  CheckOp op;
  int64_t width;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createMapEmitter(MapOp op, LoweringAttr lowering) {
  return std::make_unique<MapEmitter>(op, lowering);
}

std::unique_ptr<KernelEmitter> weft::createCheckEmitter(CheckOp op, LoweringAttr lowering) {
  return std::make_unique<CheckEmitter>(op, lowering);
}
