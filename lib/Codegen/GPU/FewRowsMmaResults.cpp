//===- FewRowsMmaResults.cpp - from the sums of warps to results ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FewRowsMma.h"
#include "ResultRows.h"

#include "weft/Codegen/Common/Combine.h"

using namespace mlir;
using namespace weft;

/// In shared memory, of a warp's sum.
Lanes FewRowsMmaTask::getPlace(const Lanes &ofWarp, const Lanes &row, const Lanes &column) {
  Lanes start = lanes.add(lanes.mul(ofWarp, lanes.constant(plan.getSumsOfWarp())),
                          lanes.mul(row, lanes.constant(plan.getRowOfSums())));
  return lanes.add(start, column);
}

/// The sums of all warps lie in shared memory; then neighbouring threads add up and finish
/// neighbouring results, which are numbered row by row.
void FewRowsMmaTask::emitResults(ValueRange sums) {
  OpBuilder &b = lanes.b;
  int64_t numSums = plan.getSumsOfBlock(), ofBlock = plan.getColumns();
  Value found = makeShared(lanes, LLVM::LLVMArrayType::get(b.getF32Type(), unsigned(numSums)),
                           "found", /*alignment=*/16);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    auto matrix = int64_t(i) / kRegistersC;
    auto [column, row] = ResultRows::getPosition(lanes, lane, int64_t(i) % kRegistersC);
    Lanes above = lanes.constant(matrix % plan.getRowTiles() * kMmaColumns);
    Lanes before = lanes.constant(matrix / plan.getRowTiles() * kMmaRows);
    storeScalar(lanes, found, getPlace(warp, lanes.add(row, above), lanes.add(column, before)),
                sum);
  }
  nvx::BarrierOp::create(b, lanes.loc);
  int64_t turns = int64_t(llvm::divideCeil(plan.schedule.rows * ofBlock, kBlockSize));
  lanes.loop(lanes.constant(turns), {}, [&](const Lanes &turn, ValueRange) {
    Lanes number = lanes.add(lanes.mul(turn, lanes.constant(kBlockSize)), thread);
    Lanes row = lanes.floorDiv(number, ofBlock), inBlock = lanes.mod(number, ofBlock);
    Lanes column = lanes.add(blockColumn, inBlock);
    Value exists = lanes.andMask(lanes.compare(arith::CmpIPredicate::slt, row, sizeM),
                                 lanes.compare(arith::CmpIPredicate::slt, column, sizeN));
    lanes.ifThen(exists, {}, [&] {
      ResultRows(lanes, kernel, op, plan.shape, ofBlock, /*width=*/1)
          .storeResults(indices, row, column, addUp(row, inBlock, found));
      return Values();
    });
    return Values();
  });
}

/// What the warps found that share the column.
Value FewRowsMmaTask::addUp(const Lanes &row, const Lanes &inBlock, Value found) {
  int64_t ofGroup = plan.schedule.columns, warps = plan.schedule.warps;
  Lanes first = lanes.mul(lanes.floorDiv(inBlock, ofGroup), lanes.constant(warps));
  Lanes place = getPlace(first, row, getMatrixRow(lanes.mod(inBlock, ofGroup)));
  Value total;
  for (int64_t i = 0; i != warps; ++i) {
    Lanes own = lanes.add(place, lanes.constant(i * plan.getSumsOfWarp()));
    Value sum = loadScalar(lanes, found, own, lanes.b.getF32Type());
    total = total ? combine(lanes, ReduceKind::Sum, total, sum) : sum;
  }
  return total;
}
