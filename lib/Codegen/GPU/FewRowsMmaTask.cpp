//===- FewRowsMmaTask.cpp - the code of the columns of a block ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FewRowsMma.h"

#include "SharedTile.h"

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

FewRowsMmaTask::FewRowsMmaTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op,
                               const FewRowsMmaPlan &plan)
    : ColumnBlock(lanes, kernel, op, plan.shape.product, plan.getColumns()), plan(plan) {}

void FewRowsMmaTask::emit(const Lanes &task) {
  thread = getThread(lanes);
  lane = lanes.mod(thread, kWarpSize);
  warp = lanes.floorDiv(thread, kWarpSize);
  setBlock(task);
  setPointers();
  emitResults(emitSteps());
}

/// The first of the warp.
Lanes FewRowsMmaTask::getWarpColumn() {
  Lanes group = lanes.floorDiv(warp, plan.schedule.warps);
  return lanes.add(blockColumn, lanes.mul(group, lanes.constant(plan.schedule.columns)));
}

/// Eight threads of four have a row each of the weight, and of the product. The last ones are read
/// where there are no more.
void FewRowsMmaTask::setPointers() {
  const ChunkedProduct &shape = plan.shape;
  Lanes number = lanes.floorDiv(lane, 4);
  Lanes ownK = lanes.mul(lanes.mod(lane, 4), lanes.constant(kChunk));
  auto add = [&](const RowFactor &factor, const Lanes &position, const Lanes &size, int64_t bound,
                 Values &pointers) {
    Lanes existing = lanes.min(position, lanes.sub(size, lanes.constant(1)));
    Value start = factor.getPointers(lanes, kernel, indices, existing, 1, {0, bound - 1})[0];
    pointers.push_back(getElementPointer(lanes, start, shape.element, ownK.value));
  };
  Lanes first = lanes.add(getWarpColumn(), number);
  for (int64_t i = 0; !shape.transposed && i != plan.schedule.columns; i += kMmaRows / 2)
    add(shape.columns, lanes.add(first, lanes.constant(i)), sizeN, shape.sizeN, columns);
  if (shape.transposed)
    setPointersAcross();
  for (int64_t i = 0; i != plan.getRowTiles(); ++i)
    add(shape.rows, lanes.add(number, lanes.constant(i * kMmaColumns)), sizeM, shape.sizeM, rows);
}

//===----------------------------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------------------------===//

/// In each turn a warp has steps that lie side by side, behind those of the warp before it. What is
/// left is dealt out step by step, and so is all where nothing of k lies side by side in the
/// weight: then the order of k does not depend on how many steps a turn has.
FewRowsMmaTask::Values FewRowsMmaTask::emitSteps() {
  constexpr int64_t depth = FewRowsMmaPlan::kStepDepth;
  int64_t warps = plan.schedule.warps, steps = plan.schedule.steps;
  int64_t sizeK = plan.shape.sizeK, ofAll = depth * warps, turns = sizeK / (ofAll * steps);
  bool across = plan.shape.transposed;
  int64_t distance = across ? ofAll : depth, ofWarp = across ? depth : depth * steps;
  Lanes inGroup = lanes.mod(warp, warps);
  size_t count = size_t(plan.getColumnTiles() * plan.getRowTiles() * kRegistersC);
  Values sums(count, lanes.floatConstant(0.0f));
  if (turns > 0)
    sums = lanes.loop(lanes.constant(turns), sums, [&](const Lanes &turn, ValueRange carried) {
      Lanes k = lanes.add(lanes.mul(turn, lanes.constant(ofAll * steps)),
                          lanes.mul(inGroup, lanes.constant(ofWarp)));
      return emitTurn({k, distance, steps, /*endsWithin=*/false}, carried);
    });
  int64_t done = turns * ofAll * steps, left = sizeK - done;
  if (left == 0)
    return sums;
  Lanes k = lanes.add(lanes.mul(inGroup, lanes.constant(depth)), lanes.constant(done));
  return emitTurn({k, ofAll, int64_t(llvm::divideCeil(left, ofAll)), left % ofAll != 0}, sums);
}

/// All that is read comes first, so that it is on its way at once; the weight, which comes from
/// afar, before the rest.
FewRowsMmaTask::Values FewRowsMmaTask::emitTurn(const Turn &turn, ValueRange before) {
  Values sums(before);
  bool across = plan.shape.transposed;
  SmallVector<SmallVector<Values>> ofColumns, ofRows;
  for (int64_t i = 0; i != turn.count; ++i)
    ofColumns.push_back(across ? loadAcross(turn, i) : load(columns, turn, i));
  for (int64_t i = 0; i != turn.count; ++i)
    ofRows.push_back(load(rows, turn, i));
  for (auto [ofStep, rowsOfStep] : llvm::zip_equal(ofColumns, ofRows))
    multiply(across ? turnAcross(ofStep) : ofStep, rowsOfStep, sums);
  return sums;
}

/// Behind the last k that is read.
std::pair<Lanes, Value> FewRowsMmaTask::getOwnK(const Turn &turn, int64_t step) {
  Lanes k = lanes.add(turn.k, lanes.constant(step * turn.distance));
  if (!turn.endsWithin || step + 1 != turn.count)
    return {k, Value()};
  Lanes ownK = lanes.mul(lanes.mod(lane, 4), lanes.constant(kChunk));
  Lanes last = lanes.sub(lanes.constant(plan.shape.sizeK - kChunk), ownK);
  return {lanes.min(k, last), lanes.compare(arith::CmpIPredicate::sle, k, last)};
}

/// The thread's 16 bytes of each row.
SmallVector<FewRowsMmaTask::Values> FewRowsMmaTask::load(ValueRange pointers, const Turn &turn,
                                                         int64_t step) {
  auto [k, exists] = getOwnK(turn, step);
  SmallVector<Values> ofRows;
  for (Value pointer : pointers) {
    Value place = getElementPointer(lanes, pointer, plan.shape.element, k.value);
    ofRows.push_back(loadWords(lanes, place, kChunkBytes / 4, exists));
  }
  return ofRows;
}

/// Two words of each factor are a product of the units: a thread's lower k and its upper ones, of A
/// of two rows (Fragment.h).
void FewRowsMmaTask::multiply(ArrayRef<Values> ofColumns, ArrayRef<Values> ofRows, Values &sums) {
  for (int64_t half : {0, 2})
    for (int64_t i = 0; i != plan.getColumnTiles(); ++i) {
      const Values &upper = ofColumns[2 * i], &lower = ofColumns[2 * i + 1];
      Value a[] = {upper[half], lower[half], upper[half + 1], lower[half + 1]};
      for (auto [j, row] : llvm::enumerate(ofRows)) {
        size_t first = (size_t(i) * ofRows.size() + j) * kRegistersC;
        addProduct(lanes, plan.shape.element, a, ValueRange(row).slice(half, kRegistersB),
                   MutableArrayRef(sums).slice(first, kRegistersC));
      }
    }
}
