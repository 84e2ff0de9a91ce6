//===- FewRowsResults.cpp - from the sums of threads to results -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FewRows.h"
#include "ResultRows.h"

#include "weft/Codegen/Common/Combine.h"

using namespace mlir;
using namespace weft;

/// Threads that add up what was found for a column: as many as there are columns for all of them.
int64_t FewRowsPlan::getAdders() const { return std::min(kBlockSize / getColumns(), kWarpSize); }

/// From what was found for a column of a thread to that for the next one: so far that those who add
/// up different columns read from different banks.
int64_t FewRowsPlan::getStride() const { return kBlockSize + getAdders(); }

/// Row by row, the sums of all threads lie in shared memory, those of a column together, and some
/// threads add up each column. Then neighbouring threads finish neighbouring results.
void FewRowsTask::emitResults(ValueRange sums) {
  OpBuilder &b = lanes.b;
  int64_t ofThread = plan.schedule.columns, all = plan.getNumTotals();
  Type type = plan.shape.getSumType(b);
  auto makeArray = [&](int64_t count, StringRef name) {
    return makeShared(lanes, LLVM::LLVMArrayType::get(type, unsigned(count)), name, 16);
  };
  Value found = makeArray(plan.getNumFound(), "found"), totals = makeArray(all, "totals");
  for (int64_t row = 0; row != plan.schedule.rows; ++row) {
    if (row)
      nvx::BarrierOp::create(b, lanes.loc);
    for (int64_t i = 0; i != ofThread; ++i)
      storeScalar(lanes, found, lanes.add(thread, lanes.constant(i * plan.getStride())),
                  sums[size_t(i * plan.schedule.rows + row)]);
    nvx::BarrierOp::create(b, lanes.loc);
    addUp(row, found, totals);
  }
  nvx::BarrierOp::create(b, lanes.loc);
  for (int64_t first = 0; first < all; first += kBlockSize) {
    Lanes number = lanes.add(thread, lanes.constant(first));
    Value exists = lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(all));
    lanes.ifThen(exists, {}, [&] {
      storeResult(number, loadScalar(lanes, totals, number, type));
      return Values();
    });
  }
}

/// What the threads of each column of the block found for a row. Warps are there as a whole.
void FewRowsTask::addUp(int64_t row, Value found, Value totals) {
  int64_t adders = plan.getAdders(), columns = plan.getColumns();
  Lanes number = lanes.floorDiv(thread, adders), own = lanes.mod(thread, adders);
  Lanes column = lanes.mod(number, plan.schedule.columns);
  Lanes ofGroup = lanes.floorDiv(number, plan.schedule.columns);
  Lanes first = lanes.add(lanes.mul(column, lanes.constant(plan.getStride())),
                          lanes.mul(ofGroup, lanes.constant(plan.getThreads())));
  first = lanes.add(first, own);
  Type type = plan.shape.getSumType(lanes.b);
  Value exists = lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(columns));
  lanes.ifThen(exists, {}, [&] {
    Value total = loadScalar(lanes, found, first, type);
    for (int64_t i = adders; i != plan.getThreads(); i += adders)
      total = combine(lanes, ReduceKind::Sum, total,
                      loadScalar(lanes, found, lanes.add(first, lanes.constant(i)), type));
    for (int64_t distance = adders / 2; distance > 0; distance /= 2)
      total = combine(lanes, ReduceKind::Sum, total, shuffle(lanes, total, distance));
    Value isFirst = lanes.compare(arith::CmpIPredicate::eq, own, lanes.constant(0));
    lanes.ifThen(isFirst, {}, [&] {
      storeScalar(lanes, totals, lanes.add(number, lanes.constant(row * columns)), total);
      return Values();
    });
    return Values();
  });
}

/// The results of the block are numbered row by row. Where a group read other columns than its own,
/// these are another's to write.
void FewRowsTask::storeResult(const Lanes &number, Value sum) {
  int64_t ofBlock = plan.getColumns(), ofThread = plan.schedule.columns;
  Lanes row = lanes.floorDiv(number, ofBlock), inBlock = lanes.mod(number, ofBlock);
  Lanes ofGroup = lanes.floorDiv(inBlock, ofThread);
  Lanes column = lanes.add(getFirstColumn(ofGroup), lanes.mod(inBlock, ofThread));
  Lanes own = lanes.add(blockColumn, lanes.mul(ofGroup, lanes.constant(ofThread)));
  Value exists = lanes.andMask(lanes.compare(arith::CmpIPredicate::slt, row, sizeM),
                               lanes.compare(arith::CmpIPredicate::sge, column, own));
  lanes.ifThen(exists, {}, [&] {
    ResultRows(lanes, kernel, op, plan.shape, ofBlock, /*width=*/1)
        .storeResults(indices, row, column, sum);
    return Values();
  });
}
