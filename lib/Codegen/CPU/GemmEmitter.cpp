//===- GemmEmitter.cpp - contractions with a packed factor ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// C[m, n] = epilogue(scale * sum(k) A[m, k] * B[n / nr][k][n % nr]).
//
// A task is a block of rows times a group of panels. For each panel, a scratch block of
// `rows x nr` on the stack (it stays in the first cache) collects the sums: for each cache block
// of k, register tiles of `mr x nr` accumulators run over the rows. Then the epilogue reads the
// scratch, so its code exists once.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "MicroKernel.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/PackedContraction.h"
#include "weft/Codegen/Common/RowFactor.h"

using namespace mlir;
using namespace weft;

namespace {

/// Rows of a task's block: with kc of the other factor they fit the second cache.
constexpr int64_t kBlockRows = 128;
/// Panel groups of the whole width: more than enough tasks for some threads.
constexpr int64_t kPanelGroups = 32;

/// What is known of a product before it is run.
struct GemmPlan {
  GemmPlan(ContractOp op, const PackedContraction &shape, ArrayRef<int64_t> tile)
      : shape(shape), rows(op, shape), tileRows(tile[0]),
        blockRows(kBlockRows / tileRows * tileRows), blockK(std::min(tile[2], shape.sizeK)),
        panelsPerTask(std::max<int64_t>(1, shape.numPanels / kPanelGroups)),
        panelGroups(llvm::divideCeil(shape.numPanels, panelsPerTask)) {}

  /// Cache blocks of k; runs of k are not cut.
  int64_t getNumBlocksK() const {
    return rows.isOneRun() ? llvm::divideCeil(shape.sizeK, blockK) : 1;
  }

  /// What the sums of a task's rows take for one panel.
  int64_t getStackBytes() const { return blockRows * shape.nr * int64_t(sizeof(float)); }

  PackedContraction shape;
  RowFactor rows;
  int64_t tileRows, blockRows; ///< mr, and the rows of a task
  int64_t blockK;              ///< kc
  int64_t panelsPerTask, panelGroups;
};

/// Writes the code of one task.
class GemmTask {
public:
  GemmTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const GemmPlan &plan)
      : lanes(lanes), kernel(kernel), op(op), formula(op), plan(plan), shape(plan.shape) {}

  Lanes getNumTasks() {
    Lanes numRows = getNumRows();
    Lanes blocks =
        lanes.floorDiv(lanes.add(numRows, lanes.constant(plan.blockRows - 1)), plan.blockRows);
    return lanes.mul(blocks, lanes.constant(plan.panelGroups));
  }

  void emit(const Lanes &task) {
    scratch = kernel.allocateStack(lanes, plan.getStackBytes());
    Lanes group = lanes.mod(task, plan.panelGroups);
    setRows(lanes.floorDiv(task, plan.panelGroups));
    Lanes first = lanes.mul(group, lanes.constant(plan.panelsPerTask));
    Lanes last = lanes.min(lanes.add(first, lanes.constant(plan.panelsPerTask)),
                           lanes.constant(shape.numPanels));
    lanes.loop(first.value, last.value, 1, {}, [&](Value iv, ValueRange) {
      emitPanel(lanes.uniform(iv, {0, shape.numPanels - 1}));
      return SmallVector<Value>();
    });
  }

private:
  Lanes getNumRows() { return getCount(lanes, kernel, op.getIndices(), shape.m); }

  void setRows(const Lanes &block) {
    Lanes total = getNumRows();
    firstRow = lanes.mul(block, lanes.constant(plan.blockRows));
    numRows = lanes.min(lanes.sub(total, firstRow), lanes.constant(plan.blockRows));
    numRows.interval = {1, std::min(plan.blockRows, total.interval.max)};
    rowInterval = {0, std::max<int64_t>(total.interval.max - 1, 0)};
    if (std::optional<int64_t> size = total.getConstant(); size && *size % plan.blockRows == 0)
      numRows = lanes.constant(plan.blockRows);
    else if (size && *size <= plan.blockRows)
      numRows = lanes.constant(*size);
  }

  //===--------------------------------------------------------------------------------------===//
  // One panel
  //===--------------------------------------------------------------------------------------===//

  void emitPanel(const Lanes &panel) {
    int64_t numBlocks = plan.getNumBlocksK();
    if (numBlocks > 1)
      clearScratch();
    const Buffer &packed = kernel.getBuffer(op.getInputs()[shape.packed]);
    Lanes offset = lanes.mul(panel, lanes.constant(shape.sizeK * shape.nr));
    panelPointer = addElements(lanes, packed.pointer, offset);
    if (numBlocks == 1) {
      emitBlock(lanes.constant(0), lanes.constant(shape.sizeK), /*accumulate=*/false);
    } else {
      lanes.loop(lanes.indexConstant(0), lanes.indexConstant(shape.sizeK), plan.blockK, {},
                 [&](Value iv, ValueRange) {
                   Lanes first = lanes.uniform(iv, {0, shape.sizeK});
                   Lanes size = shape.sizeK % plan.blockK == 0
                                    ? lanes.constant(plan.blockK)
                                    : lanes.min(lanes.constant(plan.blockK),
                                                lanes.sub(lanes.constant(shape.sizeK), first));
                   emitBlock(first, size, /*accumulate=*/true);
                   return SmallVector<Value>();
                 });
    }
    emitEpilogue(panel);
  }

  void clearScratch() {
    Value size = lanes.mul(numRows, lanes.constant(shape.nr)).value;
    lanes.loop(lanes.indexConstant(0), size, lanes.width, {}, [&](Value iv, ValueRange) {
      storeVector(lanes, addElements(lanes, scratch, lanes.uniform(iv)), lanes.floatVector(0));
      return SmallVector<Value>();
    });
  }

  /// All rows times a cache block of k.
  void emitBlock(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
    lanes.tileLoop(numRows, plan.tileRows, [&](const Lanes &row, int64_t count) {
      emitTile(row, count, firstK, sizeK, accumulate);
    });
  }

  //===--------------------------------------------------------------------------------------===//
  // Register tiles
  //===--------------------------------------------------------------------------------------===//

  void emitTile(const Lanes &row, int64_t count, const Lanes &firstK, const Lanes &sizeK,
                bool accumulate) {
    Lanes stride = plan.rows.getRunStride(lanes, kernel);
    SmallVector<Value> rows =
        plan.rows.getPointers(lanes, kernel, lanes.add(firstRow, row), count, rowInterval);
    Value target = addElements(lanes, scratch, lanes.mul(row, lanes.constant(shape.nr)));
    SmallVector<Value> sums(count * (shape.nr / lanes.width), lanes.floatVector(0));
    if (accumulate)
      for (auto [i, sum] : llvm::enumerate(sums))
        sum = loadVector(lanes, addElements(lanes, target, i * lanes.width));
    if (plan.rows.isOneRun()) {
      Lanes skip = lanes.mul(firstK, stride);
      for (Value &pointer : rows)
        pointer = addElements(lanes, pointer, skip);
      sums = emitRun(rows, stride, firstK, sizeK, sums);
    } else {
      sums = emitOuterK(rows, stride, /*depth=*/0, lanes.constant(0), sums);
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      storeVector(lanes, addElements(lanes, target, i * lanes.width), sum);
  }

  /// Loops over the k indices outside of runs; the runs follow one another in the panel.
  SmallVector<Value> emitOuterK(ArrayRef<Value> rows, const Lanes &stride, unsigned depth,
                                const Lanes &firstK, ValueRange sums) {
    ArrayRef<unsigned> outer = plan.rows.getOuter();
    if (depth == outer.size())
      return emitRun(rows, stride, firstK, lanes.constant(plan.rows.getRunSize()), sums);
    int64_t inner = plan.rows.getRunSize();
    for (unsigned position : outer.drop_front(depth + 1))
      inner *= formula.getIndexAttr(position).getSize();
    return lanes.loop(lanes.constant(formula.getIndexAttr(outer[depth]).getSize()), sums,
                      [&](const Lanes &iv, ValueRange carried) {
                        SmallVector<Value> moved;
                        Lanes skip =
                            lanes.mul(iv, plan.rows.getStride(lanes, kernel, outer[depth]));
                        for (Value pointer : rows)
                          moved.push_back(addElements(lanes, pointer, skip));
                        Lanes next = lanes.add(firstK, lanes.mul(iv, lanes.constant(inner)));
                        return emitOuterK(moved, stride, depth + 1, next, carried);
                      });
  }

  SmallVector<Value> emitRun(ArrayRef<Value> rows, const Lanes &stride, const Lanes &firstK,
                             const Lanes &sizeK, ValueRange sums) {
    Value start = addElements(lanes, panelPointer, lanes.mul(firstK, lanes.constant(shape.nr)));
    TileFactors factors{SmallVector<Value>(rows), stride, start, shape.nr, shape.nr / lanes.width};
    return emitTileProduct(lanes, factors, sizeK, sums);
  }

  //===--------------------------------------------------------------------------------------===//
  // Epilogue
  //===--------------------------------------------------------------------------------------===//

  void emitEpilogue(const Lanes &panel) {
    lanes.loop(numRows, {}, [&](const Lanes &row, ValueRange) {
      SmallVector<Lanes> values(formula.getNumIndices());
      Lanes position = lanes.add(firstRow, row);
      position.interval = rowInterval;
      setIndices(lanes, kernel, op.getIndices(), shape.m, position, values);
      Value source = addElements(lanes, scratch, lanes.mul(row, lanes.constant(shape.nr)));
      for (int64_t v = 0; v != shape.nr / lanes.width; ++v) {
        Value sum = loadVector(lanes, addElements(lanes, source, v * lanes.width));
        emitResult(values, panel, v, sum);
      }
      return SmallVector<Value>();
    });
  }

  void emitResult(MutableArrayRef<Lanes> values, const Lanes &panel, int64_t v, Value sum) {
    Lanes first =
        lanes.add(lanes.mul(panel, lanes.constant(shape.nr)), lanes.constant(v * lanes.width));
    Value mask;
    if (shape.sizeN % shape.nr != 0)
      mask = lanes.maskBelow(first.value, lanes.indexConstant(shape.sizeN));
    Lanes column = lanes.iota(first);
    column.interval = {0, shape.sizeN - 1};
    setIndices(lanes, kernel, op.getIndices(), shape.n, column, values);
    RegionEmitter region(lanes, kernel, values, mask);
    region.storeOutput(formula, region.emitEpilogue(op, lanes.uniform(sum)));
  }

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  FormulaOpInterface formula;
  const GemmPlan &plan;
  const PackedContraction &shape;
  Lanes firstRow, numRows; ///< the rows of this task
  Interval rowInterval;    ///< of all rows
  Value scratch, panelPointer;
};

class GemmEmitter : public KernelEmitter {
public:
  GemmEmitter(ContractOp op, const PackedContraction &shape, LoweringAttr lowering)
      : op(op), plan(op, shape, lowering.getTile()) {}

  int64_t getStackBytes() const { return plan.getStackBytes(); }
  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return GemmTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    GemmTask(lanes, kernel, op, plan).emit(task);
  }

private:
  ContractOp op;
  GemmPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createGemmEmitter(ContractOp op, LoweringAttr lowering) {
  ArrayRef<int64_t> tile = lowering.getTile();
  if (!getPanelWidth(op, lowering.getWidth()) || tile.size() != 3 || tile[0] > kBlockRows) {
    op.emitError("lowering \"gemm\" needs a packed factor and the tile [mr, nr, kc], mr at most ")
        << kBlockRows;
    return nullptr;
  }
  auto emitter = std::make_unique<GemmEmitter>(op, *PackedContraction::match(op), lowering);
  if (emitter->getStackBytes() > kTaskStack) {
    op.emitError("the sums of a product do not fit the stack: ")
        << emitter->getStackBytes() << " bytes of at most " << kTaskStack;
    return nullptr;
  }
  return emitter;
}
