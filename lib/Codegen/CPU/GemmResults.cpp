//===- GemmResults.cpp - what becomes of the sums of a product ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GemmTask.h"

#include "weft/Codegen/Common/RegionEmitter.h"

using namespace mlir;
using namespace weft;

/// Rows after which the results are fetched that will be stored.
static constexpr int64_t kResultsAhead = 8;

void GemmTask::emitEpilogue(const Lanes &panel, const Lanes &first, const Lanes &count,
                            bool isFetched) {
  // The lines of a later row are fetched beside the row in hand, if they were not beside tiles.
  bool fetchesLater = plan.schedule.prefetch && !product.chosen && !isFetched &&
                      numRows.interval.max > 2 * kResultsAhead;
  int64_t sums = plan.sumsOfResult, nr = plan.shape.nr;
  lanes.loop(lanes.floorDiv(count, sums), {}, [&](const Lanes &result, ValueRange) {
    SmallVector<Lanes> values = indices;
    Lanes row = lanes.mul(result, lanes.constant(sums)), own = lanes.add(first, row);
    Lanes position = getRow(own);
    setIndices(lanes, kernel, op.getIndices(), product.m, position, values);
    if (fetchesLater)
      fetchResults(lanes.add(position, lanes.constant(kResultsAhead * sums)), panel);
    Kernel ofRow = kernel;
    moveLocals(ofRow, lanes.floorDiv(own, sums));
    Lanes held = plan.holdsTile() ? row : own;
    Value source = addElements(lanes, scratch, lanes.mul(held, lanes.constant(nr)));
    for (int64_t v = 0; v != nr / lanes.width; ++v) {
      SmallVector<Lanes> parts;
      for (int64_t i = 0; i != sums; ++i)
        parts.push_back(
            lanes.uniform(loadSums(addElements(lanes, source, i * nr + v * lanes.width))));
      emitResult(ofRow, values, panel, v, parts);
    }
    return SmallVector<Value>();
  });
}

/// What a row has of a panel's results, and of what the epilogue reads beside them, is a line or
/// two that caches may not have, in a page of its own, and a store waits for the one before.
void GemmTask::fetchResults(const Lanes &row, const Lanes &panel) {
  if (product.m.size() != 1 + op.getApart())
    return;
  SmallVector<Lanes> later(indices);
  setIndices(lanes, kernel, op.getIndices(), product.m, row, later);
  auto reads = [&](AffineMap map) { return map.isFunctionOfDim(product.m.front()); };
  if (AffineMap map = formula.getOutputIndexingMap(0); reads(map))
    fetchColumns(formula.getOutputs()[0], map, later, panel);
  for (unsigned input = 2; input < op.getInputs().size(); ++input)
    if (AffineMap map = formula.getInputMap(input); reads(map))
      fetchColumns(op.getInputs()[input], map, later, panel);
}

/// What all rows read of them, a bias or factors of codes, has lines for each panel, which one row
/// would wait for at the end of each.
void GemmTask::fetchFactors(const Lanes &panel) {
  for (unsigned input = 2; input < op.getInputs().size(); ++input) {
    AffineMap map = formula.getInputMap(input);
    auto reads = [&](unsigned position) { return map.isFunctionOfDim(position); };
    if (llvm::none_of(product.m, reads))
      fetchColumns(op.getInputs()[input], map, indices, panel);
  }
}

void GemmTask::fetchColumns(Value tensor, AffineMap map, ArrayRef<Lanes> rows, const Lanes &panel) {
  auto reads = [&](unsigned position) { return map.isFunctionOfDim(position); };
  if (llvm::none_of(product.n, reads) || getLayout(tensor.getType()) ||
      tensor.getDefiningOp<LocalOp>()) // which the task has just made
    return;
  Lanes column = lanes.mul(panel, lanes.constant(plan.shape.nr));
  column.interval = {0, plan.shape.sizeN - 1};
  SmallVector<Lanes> values(rows);
  setIndices(lanes, kernel, op.getIndices(), product.n, column, values);
  const Buffer &buffer = kernel.getBuffer(tensor);
  Lanes offset = getOffset(lanes, buffer, lanes.apply(map, values));
  Type memory = getMemoryType(buffer.elementType);
  emitPrefetches(lanes.b, lanes.loc, getElementPointer(lanes, buffer.pointer, memory, offset.value),
                 llvm::divideCeil(plan.shape.nr * memory.getIntOrFloatBitWidth() / 8, kLine));
}

void GemmTask::emitResult(const Kernel &ofRow, MutableArrayRef<Lanes> values, const Lanes &panel,
                          int64_t v, ArrayRef<Lanes> sums) {
  Lanes first =
      lanes.add(lanes.mul(panel, lanes.constant(plan.shape.nr)), lanes.constant(v * lanes.width));
  Value mask;
  std::optional<int64_t> whole = sizeN.getConstant();
  if (!whole || *whole % plan.shape.nr != 0)
    mask = lanes.maskBelow(first.value, sizeN.value);
  Lanes column = lanes.iota(first);
  column.interval = {0, plan.shape.sizeN - 1};
  setIndices(lanes, kernel, op.getIndices(), product.n, column, values);
  RegionEmitter region(lanes, ofRow, values, mask);
  region.storeOutput(formula, region.emitEpilogue(op, sums));
}
