//===- ArgTopEmitter.cpp - the index of the j-th largest ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The rank of an element is the number of elements before it in descending order (ties by the
// smaller index), so the result is the index whose rank is j. Quadratic, without scratch and
// without a sort: it serves routers, which choose among a few experts.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/RowEmitter.h"

using namespace mlir;
using namespace weft;

namespace {

class ArgTopEmitter : public RowEmitter {
public:
  ArgTopEmitter(ReduceOp op, const ArgTopSchedule &schedule)
      : RowEmitter(op, /*width=*/1, getStoredOrder(op), /*lane=*/std::nullopt, schedule.tasks),
        op(op), reduced(FormulaOpInterface(op).getNumOutputIndices()) {}

private:
  void emitRow(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row, Value) override {
    Value found = lanes.loop(getExtent(lanes, kernel, reduced), lanes.indexConstant(0),
                             [&](const Lanes &candidate, ValueRange carried) {
                               return SmallVector<Value>{
                                   emitCandidate(lanes, kernel, row, candidate, carried[0])};
                             })[0];
    RegionEmitter(lanes, kernel, row, Value()).storeOutput(op, lanes.uniform(found));
  }

  struct Element {
    Lanes value, rank;
    Value holds; ///< null: always
  };
  Element emitElement(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row,
                      const Lanes &position) {
    SmallVector<Lanes> indices(row);
    indices[reduced] = position;
    RegionEmitter region(lanes, kernel, indices, Value());
    SmallVector<Lanes> inputs = region.loadInputs(op.getInputs(), op.getMaps());
    SmallVector<Lanes> yielded = region.emit(op.getBody(), inputs);
    Value holds;
    if (!op.getPredicate().empty())
      holds = region.emit(op.getPredicate(), inputs)[0].value;
    return {yielded[0], yielded[1], holds};
  }

  static Value compare(LaneBuilder &lanes, arith::CmpFPredicate real, arith::CmpIPredicate integer,
                       const Lanes &a, const Lanes &c) {
    if (isa<FloatType>(a.value.getType()))
      return arith::CmpFOp::create(lanes.b, lanes.loc, real, a.value, c.value);
    return arith::CmpIOp::create(lanes.b, lanes.loc, integer, a.value, c.value);
  }

  /// `position` if the candidate's rank is the wanted one, otherwise `found`.
  Value emitCandidate(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<Lanes> row,
                      const Lanes &position, Value found) {
    OpBuilder &b = lanes.b;
    Location loc = lanes.loc;
    Element candidate = emitElement(lanes, kernel, row, position);
    Value zero = lanes.indexConstant(0), one = lanes.indexConstant(1);
    Value rank = lanes.loop(
        getExtent(lanes, kernel, reduced), zero, [&](const Lanes &other, ValueRange carried) {
          Element rival = emitElement(lanes, kernel, row, other);
          Value larger = compare(lanes, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt,
                                 rival.value, candidate.value);
          Value equal = compare(lanes, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq,
                                rival.value, candidate.value);
          Value earlier = lanes.compare(arith::CmpIPredicate::slt, other, position);
          Value tie = arith::AndIOp::create(b, loc, equal, earlier);
          Value before = arith::OrIOp::create(b, loc, larger, tie);
          before = lanes.andMask(before, rival.holds);
          Value next = arith::AddIOp::create(b, loc, carried[0], one);
          return SmallVector<Value>{arith::SelectOp::create(b, loc, before, next, carried[0])};
        })[0];
    Value wanted = candidate.rank.value;
    if (!wanted.getType().isIndex())
      wanted = arith::IndexCastOp::create(b, loc, b.getIndexType(), wanted);
    Value match = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank, wanted);
    // What is no number, which equals nothing, has no rank.
    match = lanes.andMask(match, compare(lanes, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq,
                                         candidate.value, candidate.value));
    match = lanes.andMask(match, candidate.holds);
    return arith::SelectOp::create(b, loc, match, position.value, found);
  }

  ReduceOp op;
  unsigned reduced;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createArgTopEmitter(ReduceOp op, LoweringAttr lowering) {
  return createFor<ArgTopEmitter, ArgTopSchedule>(op, lowering);
}
