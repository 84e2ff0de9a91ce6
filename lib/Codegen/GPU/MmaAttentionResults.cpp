//===- MmaAttentionResults.cpp - from sums to results --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaAttentionTask.h"

#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

MmaAttentionTask::Total MmaAttentionTask::getTotal(int64_t half, const State &state) {
  if (!hasTotals())
    return {};
  Value sum = overRow(state.totals[size_t(half)], ReduceKind::Sum);
  return {sum, plan.roles.normalized ? emitReciprocal(lanes, sum) : Value()};
}

void MmaAttentionTask::forExisting(const Row &row, llvm::function_ref<void()> body) {
  Value exists = lanes.compare(arith::CmpIPredicate::slt, row.number, getNumRows());
  lanes.ifThen(exists, {}, [&] {
    body();
    return Values();
  });
}

void MmaAttentionTask::storeResults(const State &state) {
  for (int64_t half : {0, 1}) {
    const Row &row = rows[half];
    Total total = getTotal(half, state);
    forExisting(row, [&] {
      storeRow(half, state.sums, total.factor);
      if (hasRowSum())
        storeRowSum(row, state.largest[size_t(half)], total.sum);
    });
  }
}

/// The thread's part of a row.
void MmaAttentionTask::storeRow(int64_t half, ValueRange sums, Value factor) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  int64_t width = plan.schedule.width, size = plan.value.size;
  LaneBuilder together = lanes.withWidth(width);
  for (int64_t i = 2 * half; i < int64_t(sums.size()); i += kRegistersC)
    for (int64_t j = 0; j != 2; j += width) {
      int64_t first = i / kRegistersC * kMmaColumns;
      Lanes column = lanes.add(lanes.mul(inGroup, lanes.constant(2)), lanes.constant(first + j));
      auto store = [&] {
        Values results;
        for (Value sum : sums.slice(size_t(i + j), size_t(width)))
          results.push_back(factor ? arith::MulFOp::create(b, loc, sum, factor).getResult() : sum);
        Value result = results[0];
        if (width > 1)
          result =
              vector::FromElementsOp::create(b, loc, together.vectorOf(b.getF32Type()), results);
        SmallVector<Lanes> indices = rows[half].indices;
        Lanes columns = together.iota(column);
        columns.interval = {0, size - 1};
        setIndices(together, kernel, op.getIndices(), plan.roles.columns, columns, indices);
        RegionEmitter(together, kernel, indices, /*mask=*/Value())
            .storeOutput(formula, together.uniform(result));
        return Values();
      };
      if (first + kMmaColumns <= size)
        store();
      else if (first < size)
        lanes.ifThen(lanes.compare(arith::CmpIPredicate::slt, column, lanes.constant(size)), {},
                     store);
    }
}

/// By the first thread of a row.
void MmaAttentionTask::storeRowSum(const Row &row, Value largest, Value total) {
  Value isFirst = lanes.compare(arith::CmpIPredicate::eq, inGroup, lanes.constant(0));
  lanes.ifThen(isFirst, {}, [&] {
    storeRowResults(lanes, RegionEmitter(lanes, kernel, row.indices, /*mask=*/Value()), op, largest,
                    total);
    return Values();
  });
}
