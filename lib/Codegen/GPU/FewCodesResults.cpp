//===- FewCodesResults.cpp - from the sums of threads to results -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FewCodes.h"
#include "ResultRows.h"

#include "weft/Codegen/Common/Combine.h"

using namespace mlir;
using namespace weft;

static constexpr int64_t kWarps = kBlockSize / kWarpSize;

/// Row by row, the sums of all threads lie in shared memory, those of a column together; a warp
/// adds up some columns. Then neighbouring threads finish neighbouring results.
void FewCodesTask::emitResults(ValueRange sums) {
  OpBuilder &b = lanes.b;
  int64_t ofThread = plan.schedule.columns, ofBlock = plan.getColumns();
  Type type = plan.shape.getSumType(b);
  auto makeArray = [&](int64_t count, StringRef name) {
    return makeShared(lanes, LLVM::LLVMArrayType::get(type, unsigned(count)), name, 16);
  };
  Value found = makeArray(ofThread * kBlockSize, "found");
  Value totals = makeArray(plan.schedule.rows * ofBlock, "totals");
  Lanes warp = lanes.floorDiv(thread, kWarpSize), lane = lanes.mod(thread, kWarpSize);
  for (int64_t row = 0; row != plan.schedule.rows; ++row) {
    if (row)
      nvx::BarrierOp::create(b, lanes.loc);
    for (int64_t i = 0; i != ofThread; ++i)
      storeScalar(lanes, found, lanes.add(thread, lanes.constant(i * kBlockSize)),
                  sums[size_t(i * plan.schedule.rows + row)]);
    nvx::BarrierOp::create(b, lanes.loc);
    for (int64_t first = 0; first < ofBlock; first += kWarps) {
      Lanes number = lanes.add(warp, lanes.constant(first));
      Value exists = lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(ofBlock));
      lanes.ifThen(exists, {}, [&] {
        Value total = addUp(found, number);
        Value isFirst = lanes.compare(arith::CmpIPredicate::eq, lane, lanes.constant(0));
        lanes.ifThen(isFirst, {}, [&] {
          storeScalar(lanes, totals, lanes.add(number, lanes.constant(row * ofBlock)), total);
          return Values();
        });
        return Values();
      });
    }
  }
  nvx::BarrierOp::create(b, lanes.loc);
  int64_t all = plan.schedule.rows * ofBlock;
  for (int64_t first = 0; first < all; first += kBlockSize) {
    Lanes number = lanes.add(thread, lanes.constant(first));
    Value exists = lanes.compare(arith::CmpIPredicate::slt, number, lanes.constant(all));
    lanes.ifThen(exists, {}, [&] {
      storeResult(number, loadScalar(lanes, totals, number, type));
      return Values();
    });
  }
}

/// What the threads of column `number` of the block found.
Value FewCodesTask::addUp(Value found, const Lanes &number) {
  Lanes column = lanes.mod(number, plan.schedule.columns);
  Lanes ofGroup = lanes.floorDiv(number, plan.schedule.columns);
  Lanes first = lanes.add(lanes.mul(column, lanes.constant(kBlockSize)),
                          lanes.mul(ofGroup, lanes.constant(plan.getThreads())));
  first = lanes.add(first, lanes.mod(thread, kWarpSize));
  Value total;
  for (int64_t i = 0; i != plan.schedule.warps; ++i) {
    Value more = loadScalar(lanes, found, lanes.add(first, lanes.constant(i * kWarpSize)),
                            plan.shape.getSumType(lanes.b));
    total = i ? combine(lanes, ReduceKind::Sum, total, more) : more;
  }
  for (int64_t distance = kWarpSize / 2; distance > 0; distance /= 2)
    total = combine(lanes, ReduceKind::Sum, total, shuffle(lanes, total, distance));
  return total;
}

/// The results of the block are numbered row by row. Where a group read other columns than its own,
/// these are another's to write.
void FewCodesTask::storeResult(const Lanes &number, Value sum) {
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
