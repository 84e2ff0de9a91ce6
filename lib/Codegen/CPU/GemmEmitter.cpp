//===- GemmEmitter.cpp - contractions with a packed factor ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// C[b, m, n] = epilogue(scale * sum(k) A[b, m, k] * B[b][n / nr][k][n % nr]).
//
// A task is a block of rows of a product times a group of panels. Blocks are as equal as whole
// tiles allow, and a group's come one after the other: a thread, which gets neighbouring tasks, has
// panels of its own. For each panel, a scratch block of `rows x nr` on the stack (it stays in the
// first cache) collects the sums: for each cache block of k, register tiles of `mr x nr`
// accumulators run over the rows. Then the epilogue reads the scratch, so its code exists once.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "GemmSchedule.h"
#include "MicroKernel.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Codegen/Common/RowFactor.h"

using namespace mlir;
using namespace weft;

/// Tiles of a task's rows up to which a panel is used up faster than memory brings the next one.
static constexpr int64_t kFewTiles = 2;
/// How far ahead the lines of the own panel are fetched, in bytes: farther than the hardware does.
static constexpr int64_t kAhead = 16 << 10;

namespace {

/// What is known of a product before it is run.
struct GemmPlan {
  GemmPlan(ContractOp op, const GemmSchedule &schedule)
      : shape(op, *Product::matchPacked(op)), rows(op, shape), schedule(schedule),
        tileRows(schedule.tile[0]), blockRows(schedule.rows), blockK(schedule.k),
        panelsPerTask(schedule.panels),
        panelGroups(llvm::divideCeil(shape.numPanels, panelsPerTask)) {}

  bool usesTiles() const { return bool(schedule.unit); }
  /// Whether k is cut into cache blocks.
  bool hasBlocksK() const { return blockK < shape.sizeK; }

  /// What the sums of a task's rows take for one panel.
  int64_t getStackBytes() const { return blockRows * shape.nr * int64_t(sizeof(float)); }

  PackedProduct shape;
  RowFactor rows;
  GemmSchedule schedule;
  int64_t tileRows, blockRows; ///< mr, and the rows of a task
  int64_t blockK;              ///< kc
  int64_t panelsPerTask, panelGroups;
};

/// Writes the code of one task.
class GemmTask {
public:
  GemmTask(LaneBuilder &lanes, const Kernel &kernel, ContractOp op, const GemmPlan &plan)
      : lanes(lanes), kernel(kernel), op(op), formula(op), plan(plan), product(plan.shape),
        indices(formula.getNumIndices()), sizeN(getSize(product.n)), sizeK(getSize(product.k)),
        numPanels(lanes.ceilDiv(sizeN, plan.shape.nr)) {}

  Lanes getNumTasks() { return lanes.mul(getNumGroups(), getNumBlocks()); }

  void emit(const Lanes &task) {
    scratch = kernel.allocateStack(lanes, plan.getStackBytes());
    SmallVector<Lanes> place = lanes.delinearize(task, {getNumGroups(), getNumBlocks()});
    Lanes group = setMatrix(place[0]);
    setRows(place[1]);
    Lanes first = lanes.mul(group, lanes.constant(plan.panelsPerTask));
    Lanes last = lanes.min(lanes.add(first, lanes.constant(plan.panelsPerTask)), numPanels);
    if (plan.usesTiles())
      cpu::BeginTilesOp::create(lanes.b, lanes.loc);
    lanes.loop(first.value, last.value, 1, {}, [&](Value iv, ValueRange) {
      emitPanel(lanes.uniform(iv, {0, plan.shape.numPanels - 1}));
      return SmallVector<Value>();
    });
    if (plan.usesTiles())
      cpu::EndTilesOp::create(lanes.b, lanes.loc);
  }

private:
  Lanes getSize(ArrayRef<unsigned> positions) {
    return getCount(lanes, kernel, op.getIndices(), positions);
  }
  Type getRowType() { return kernel.getBuffer(op.getInputs()[product.getRows()]).elementType; }
  Value addRowElements(Value pointer, const Lanes &elements) {
    return getElementPointer(lanes, pointer, getMemoryType(getRowType()), elements.value);
  }
  /// Of the panels of all matrices.
  Lanes getNumGroups() {
    return lanes.mul(getSize(product.batch), lanes.constant(plan.panelGroups));
  }
  Lanes getNumBlocks() { return lanes.ceilDiv(getSize(product.m), plan.blockRows); }

  /// Sets the indices of the batch and returns the group of panels; `number` counts all groups.
  Lanes setMatrix(const Lanes &number) {
    matrix = lanes.constant(0);
    if (product.batch.empty())
      return number;
    matrix = lanes.floorDiv(number, plan.panelGroups);
    setIndices(lanes, kernel, op.getIndices(), product.batch, matrix, indices);
    return lanes.mod(number, plan.panelGroups);
  }

  /// Tiles are dealt out so that no block has more than one more than another.
  void setRows(const Lanes &block) {
    Lanes total = getSize(product.m), blocks = getNumBlocks();
    rowInterval = {0, std::max<int64_t>(total.interval.max - 1, 0)};
    if (blocks.interval.max <= 1) {
      firstRow = lanes.constant(0);
      numRows = total;
      return;
    }
    Lanes tiles = lanes.ceilDiv(total, plan.tileRows);
    std::optional<int64_t> size = total.getConstant(), number = blocks.getConstant();
    if (size && *size % (*number * plan.tileRows) == 0) {
      numRows = lanes.constant(*size / *number);
      firstRow = lanes.mul(block, numRows);
      return;
    }
    auto getFirst = [&](const Lanes &number) {
      Lanes tile = lanes.binary(arith::DivUIOp::getOperationName(), lanes.mul(number, tiles),
                                blocks, tiles.interval);
      return lanes.mul(tile, lanes.constant(plan.tileRows));
    };
    firstRow = getFirst(block);
    Lanes end = lanes.min(getFirst(lanes.add(block, lanes.constant(1))), total);
    numRows = lanes.sub(end, firstRow);
    numRows.interval = {1, std::min(plan.blockRows, total.interval.max)};
  }

  //===--------------------------------------------------------------------------------------===//
  // One panel
  //===--------------------------------------------------------------------------------------===//

  void emitPanel(const Lanes &panel) {
    const Buffer &packed = kernel.getBuffer(op.getInputs()[product.columns]);
    Lanes before = lanes.add(lanes.mul(matrix, numPanels), panel);
    Lanes words = getWords(lanes.ceilDiv(sizeK, plan.shape.depth));
    panelPointer = addElements(lanes, packed.pointer, lanes.mul(before, words));
    if (!plan.hasBlocksK() && !plan.usesTiles()) {
      emitBlock(lanes.constant(0), sizeK, /*accumulate=*/false);
      return emitEpilogue(panel);
    }
    clearScratch();
    lanes.loop(lanes.indexConstant(0), sizeK.value, plan.blockK, {}, [&](Value iv, ValueRange) {
      Lanes first = lanes.uniform(iv, {0, plan.shape.sizeK});
      std::optional<int64_t> whole = sizeK.getConstant();
      Lanes size = whole && *whole % plan.blockK == 0
                       ? lanes.constant(plan.blockK)
                       : lanes.min(lanes.constant(plan.blockK), lanes.sub(sizeK, first));
      emitBlock(first, size, /*accumulate=*/true);
      return SmallVector<Value>();
    });
    emitEpilogue(panel);
  }

  /// Sums of codes are whole numbers.
  Type getSumsType() {
    return lanes.vectorOf(plan.shape.isCodes ? Type(lanes.b.getI32Type()) : lanes.b.getF32Type());
  }
  Value loadSums(Value pointer) {
    return LLVM::LoadOp::create(lanes.b, lanes.loc, getSumsType(), pointer, /*alignment=*/4);
  }

  /// Of a number of steps of a panel.
  Lanes getWords(const Lanes &steps) {
    return lanes.mul(steps, lanes.constant(plan.shape.stepWords));
  }

  void clearScratch() {
    Value size = lanes.mul(numRows, lanes.constant(plan.shape.nr)).value;
    lanes.loop(lanes.indexConstant(0), size, lanes.width, {}, [&](Value iv, ValueRange) {
      storeVector(lanes, addElements(lanes, scratch, lanes.uniform(iv)), lanes.floatVector(0));
      return SmallVector<Value>();
    });
  }

  /// All rows times a cache block of k.
  void emitBlock(const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
    if (plan.usesTiles())
      return emitTiles(firstK, sizeK);
    lanes.tileLoop(numRows, plan.tileRows, [&](const Lanes &row, int64_t count) {
      auto emit = [&](Ahead ahead) { emitTile({row, count, ahead}, firstK, sizeK, accumulate); };
      const int64_t few = kFewTiles * plan.tileRows;
      // One row computes less than it waits for, whatever is fetched when.
      if (!plan.schedule.prefetch || count == 1)
        emit(Ahead::Nothing);
      else if (count < plan.tileRows || numRows.interval.max <= few)
        emit(Ahead::OwnPanel);
      else if (numRows.getConstant())
        emit(Ahead::NextPanel);
      else
        lanes.choose(
            lanes.compare(arith::CmpIPredicate::sle, numRows, lanes.constant(few)),
            [&] { emit(Ahead::OwnPanel); }, [&] { emit(Ahead::NextPanel); });
    });
  }

  //===--------------------------------------------------------------------------------------===//
  // Register tiles
  //===--------------------------------------------------------------------------------------===//

  /// Tiles of the matrix unit; the last one has fewer rows.
  void emitTiles(const Lanes &firstK, const Lanes &sizeK) {
    Value panel =
        addElements(lanes, panelPointer, getWords(lanes.floorDiv(firstK, plan.shape.depth)));
    lanes.loop(lanes.indexConstant(0), numRows.value, kTileRows, {}, [&](Value iv, ValueRange) {
      Lanes row = lanes.uniform(iv, {0, plan.blockRows - 1}, kTileRows);
      Lanes count = lanes.min(lanes.sub(numRows, row), lanes.constant(kTileRows));
      Lanes skip = lanes.mul(firstK, plan.rows.getRunStride(lanes, kernel));
      Value first =
          addRowElements(plan.rows.getPointers(lanes, kernel, indices, lanes.add(firstRow, row),
                                               /*count=*/1, rowInterval)[0],
                         skip);
      Value target = addElements(lanes, scratch, lanes.mul(row, lanes.constant(plan.shape.nr)));
      Lanes stride =
          lanes.mul(plan.rows.getRowStride(lanes, kernel), lanes.constant(4 / plan.shape.depth));
      cpu::TileProductOp::create(lanes.b, lanes.loc, target, first, stride.value, panel,
                                 count.value, sizeK.value, plan.shape.isCodes);
      return SmallVector<Value>();
    });
  }

  /// What a tile fetches for those after it.
  enum class Ahead { Nothing, OwnPanel, NextPanel };
  struct Tile {
    Lanes row;     ///< the first one, counted from the task's
    int64_t count; ///< of the rows
    Ahead ahead;
  };

  void emitTile(const Tile &tile, const Lanes &firstK, const Lanes &sizeK, bool accumulate) {
    auto [row, count, ahead] = tile;
    Lanes stride = plan.rows.getRunStride(lanes, kernel);
    SmallVector<Value> rows =
        plan.rows.getPointers(lanes, kernel, indices, lanes.add(firstRow, row), count, rowInterval);
    Value target = addElements(lanes, scratch, lanes.mul(row, lanes.constant(plan.shape.nr)));
    Value zero = arith::ConstantOp::create(lanes.b, lanes.loc, lanes.b.getZeroAttr(getSumsType()));
    SmallVector<Value> sums(count * (plan.shape.nr / lanes.width), zero);
    if (accumulate)
      for (auto [i, sum] : llvm::enumerate(sums))
        sum = loadSums(addElements(lanes, target, i * lanes.width));
    if (plan.rows.isOneRun()) {
      Lanes skip = lanes.mul(firstK, stride);
      for (Value &pointer : rows)
        pointer = addRowElements(pointer, skip);
      sums = emitRun(tile, rows, stride, firstK, sizeK, sums);
    } else {
      sums = emitOuterK(tile, rows, stride, /*depth=*/0, lanes.constant(0), sums);
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      storeVector(lanes, addElements(lanes, target, i * lanes.width), sum);
  }

  /// Loops over the k indices outside of runs; the runs follow one another in the panel.
  SmallVector<Value> emitOuterK(const Tile &tile, ArrayRef<Value> rows, const Lanes &stride,
                                unsigned depth, const Lanes &firstK, ValueRange sums) {
    ArrayRef<unsigned> outer = plan.rows.getOuter();
    if (depth == outer.size())
      return emitRun(tile, rows, stride, firstK, getSize(plan.rows.getRun()), sums);
    Lanes inner = lanes.mul(getSize(plan.rows.getRun()), getSize(outer.drop_front(depth + 1)));
    return lanes.loop(getSize(outer[depth]), sums, [&](const Lanes &iv, ValueRange carried) {
      SmallVector<Value> moved;
      Lanes skip = lanes.mul(iv, plan.rows.getStride(lanes, kernel, outer[depth]));
      for (Value pointer : rows)
        moved.push_back(addRowElements(pointer, skip));
      Lanes next = lanes.add(firstK, lanes.mul(iv, inner));
      return emitOuterK(tile, moved, stride, depth + 1, next, carried);
    });
  }

  SmallVector<Value> emitRun(const Tile &tile, ArrayRef<Value> rows, const Lanes &stride,
                             const Lanes &firstK, const Lanes &sizeK, ValueRange sums) {
    TileFactors factors;
    factors.rows.assign(rows.begin(), rows.end());
    factors.stride = stride;
    factors.panel =
        addElements(lanes, panelPointer, getWords(lanes.floorDiv(firstK, plan.shape.depth)));
    factors.rowType = getRowType();
    factors.columnType = kernel.getBuffer(op.getInputs()[product.columns]).elementType;
    factors.panelStride = plan.shape.stepWords;
    factors.numVectors = plan.shape.nr / lanes.width;
    factors.unroll = plan.schedule.unroll;
    setPrefetch(factors, tile, firstK);
    return emitTileProduct(lanes, factors, sizeK, sums);
  }

  void setPrefetch(TileFactors &factors, const Tile &tile, const Lanes &firstK) {
    constexpr int64_t element = sizeof(float);
    if (tile.ahead == Ahead::OwnPanel) {
      factors.prefetch = addElements(lanes, factors.panel, kAhead / element);
      factors.prefetchLines =
          llvm::divideCeil(factors.unroll * plan.shape.stepWords * element, kLine);
    } else if (tile.ahead == Ahead::NextPanel) {
      // The tiles share the panel out; it is fetched when its lines have been counted.
      Lanes steps = lanes.ceilDiv(sizeK, plan.shape.depth);
      Lanes before = lanes.mul(lanes.floorDiv(tile.row, plan.tileRows), steps);
      Lanes done = lanes.add(before, lanes.floorDiv(firstK, plan.shape.depth));
      Lanes lines = lanes.floorDiv(done, factors.unroll);
      Lanes panel = getWords(steps);
      Lanes offset = lanes.add(panel, lanes.mul(lines, lanes.constant(kLine / element)));
      factors.prefetch = addElements(lanes, panelPointer, offset);
      factors.prefetchLines = 1;
    }
  }

  //===--------------------------------------------------------------------------------------===//
  // Epilogue
  //===--------------------------------------------------------------------------------------===//

  void emitEpilogue(const Lanes &panel) {
    lanes.loop(numRows, {}, [&](const Lanes &row, ValueRange) {
      SmallVector<Lanes> values = indices;
      Lanes position = lanes.add(firstRow, row);
      position.interval = rowInterval;
      setIndices(lanes, kernel, op.getIndices(), product.m, position, values);
      Value source = addElements(lanes, scratch, lanes.mul(row, lanes.constant(plan.shape.nr)));
      for (int64_t v = 0; v != plan.shape.nr / lanes.width; ++v) {
        Value sum = loadSums(addElements(lanes, source, v * lanes.width));
        emitResult(values, panel, v, sum);
      }
      return SmallVector<Value>();
    });
  }

  void emitResult(MutableArrayRef<Lanes> values, const Lanes &panel, int64_t v, Value sum) {
    Lanes first =
        lanes.add(lanes.mul(panel, lanes.constant(plan.shape.nr)), lanes.constant(v * lanes.width));
    Value mask;
    std::optional<int64_t> whole = sizeN.getConstant();
    if (!whole || *whole % plan.shape.nr != 0)
      mask = lanes.maskBelow(first.value, sizeN.value);
    Lanes column = lanes.iota(first);
    column.interval = {0, plan.shape.sizeN - 1};
    setIndices(lanes, kernel, op.getIndices(), product.n, column, values);
    RegionEmitter region(lanes, kernel, values, mask);
    region.storeOutput(formula, region.emitEpilogue(op, lanes.uniform(sum)));
  }

  LaneBuilder &lanes;
  const Kernel &kernel;
  ContractOp op;
  FormulaOpInterface formula;
  const GemmPlan &plan;
  const Product &product;
  SmallVector<Lanes> indices;    ///< of the batch
  Lanes sizeN, sizeK, numPanels; ///< of one matrix
  Lanes matrix;                  ///< its number in the batch
  Lanes firstRow, numRows;       ///< the rows of this task
  Interval rowInterval;          ///< of all rows
  Value scratch, panelPointer;
};

class GemmEmitter : public KernelEmitter {
public:
  GemmEmitter(ContractOp op, const GemmSchedule &schedule) : op(op), plan(op, schedule) {}

  bool isParallel() const override { return plan.schedule.parallel; }
  Lanes getNumTasks(LaneBuilder &outer, const Kernel &kernel) override {
    LaneBuilder lanes = outer.withWidth(plan.schedule.width);
    return GemmTask(lanes, kernel, op, plan).getNumTasks();
  }
  void emitTask(LaneBuilder &outer, const Kernel &kernel, const Lanes &task) override {
    LaneBuilder lanes = outer.withWidth(plan.schedule.width);
    GemmTask(lanes, kernel, op, plan).emit(task);
  }

private:
  ContractOp op;
  GemmPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createGemmEmitter(ContractOp op, LoweringAttr lowering) {
  if (!Product::matchPacked(op)) {
    op.emitError("lowering \"gemm\" needs two factors that can be multiplied, one of them packed");
    return nullptr;
  }
  return createFor<GemmEmitter, GemmSchedule>(op, lowering);
}
