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
// of k, register tiles of `mr x nr` accumulators run over the rows; what is left of the rows is
// cut into powers of two. Then the epilogue reads the scratch, so its code exists once.
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"
#include "MicroKernel.h"
#include "PackedContraction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

namespace {

/// Rows of a task's block: with kc of the other factor they fit the second cache.
constexpr int64_t kBlockRows = 128;
/// Panel groups of the whole width: more than enough tasks for some threads.
constexpr int64_t kPanelGroups = 32;

class GemmEmitter : public KernelEmitter {
public:
  GemmEmitter(ContractOp op, PackedContraction shape, LoweringAttr lowering)
      : op(op), formula(op), shape(shape), tileRows(lowering.getTile()[0]),
        blockK(std::min(lowering.getTile()[2], shape.sizeK)),
        panelsPerTask(std::max<int64_t>(1, shape.numPanels / kPanelGroups)),
        blockRows(kBlockRows / tileRows * tileRows) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    return lanes.mul(getRowBlocks(lanes, kernel), lanes.constant(getPanelGroups()));
  }

  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    Value scratch = kernel.allocateStack(lanes, blockRows * shape.nr * 4);
    Lanes group = lanes.mod(task, getPanelGroups());
    Lanes block = lanes.floorDiv(task, getPanelGroups());
    Rows rows = getRows(lanes, kernel, block);
    Lanes first = lanes.mul(group, lanes.constant(panelsPerTask));
    Lanes last =
        lanes.min(lanes.add(first, lanes.constant(panelsPerTask)), lanes.constant(shape.numPanels));
    lanes.loop(first.value, last.value, 1, {}, [&](Value iv, ValueRange) {
      emitPanel(lanes, kernel, rows, scratch, lanes.uniform(iv, {0, shape.numPanels - 1}));
      return SmallVector<Value>();
    });
  }

private:
  struct Rows {
    Lanes first, count, total;
  };

  int64_t getPanelGroups() { return llvm::divideCeil(shape.numPanels, panelsPerTask); }
  SmallVector<Lanes> getExtents(LaneBuilder &lanes, const Kernel &kernel,
                                ArrayRef<unsigned> positions) {
    SmallVector<Lanes> extents;
    for (unsigned position : positions)
      extents.push_back(kernel.getExtent(lanes, formula.getIndexAttr(position)));
    return extents;
  }
  Lanes getNumRows(LaneBuilder &lanes, const Kernel &kernel) {
    Lanes total = lanes.constant(1);
    for (const Lanes &extent : getExtents(lanes, kernel, shape.m))
      total = lanes.mul(total, extent);
    return total;
  }
  Lanes getRowBlocks(LaneBuilder &lanes, const Kernel &kernel) {
    Lanes total = getNumRows(lanes, kernel);
    return lanes.floorDiv(lanes.add(total, lanes.constant(blockRows - 1)), blockRows);
  }
  Rows getRows(LaneBuilder &lanes, const Kernel &kernel, const Lanes &block) {
    Lanes total = getNumRows(lanes, kernel);
    Lanes first = lanes.mul(block, lanes.constant(blockRows));
    Lanes count = lanes.min(lanes.sub(total, first), lanes.constant(blockRows));
    count.interval = {1, std::min(blockRows, total.interval.max)};
    if (std::optional<int64_t> size = total.getConstant(); size && *size % blockRows == 0)
      count = lanes.constant(blockRows);
    else if (size && *size <= blockRows)
      count = lanes.constant(*size);
    return {first, count, total};
  }

  void setIndices(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<unsigned> positions,
                  const Lanes &position, SmallVector<Lanes> &values) {
    SmallVector<Lanes> extents = getExtents(lanes, kernel, positions);
    SmallVector<Lanes> coordinates = lanes.delinearize(position, extents);
    for (auto [index, coordinate] : llvm::zip(positions, coordinates))
      values[index] = coordinate;
  }

  //===--------------------------------------------------------------------------------------===//
  // One panel
  //===--------------------------------------------------------------------------------------===//

  void emitPanel(LaneBuilder &lanes, const Kernel &kernel, const Rows &rows, Value scratch,
                 const Lanes &panel) {
    int64_t numBlocks = isSplit(kernel) ? 1 : llvm::divideCeil(shape.sizeK, blockK);
    if (numBlocks > 1)
      clearScratch(lanes, rows, scratch);
    const Buffer &packed = kernel.getBuffer(op.getInputs()[shape.packed]);
    Lanes offset = lanes.mul(panel, lanes.constant(shape.sizeK * shape.nr));
    Value panelPointer = addElements(lanes, packed.pointer, offset);
    auto emitBlock = [&](const Lanes &firstK, const Lanes &sizeK) {
      forTiles(lanes, rows, [&](const Lanes &row, int64_t count) {
        emitTile(lanes, kernel, rows, scratch, panelPointer, row, count, firstK, sizeK,
                 numBlocks > 1);
      });
    };
    if (numBlocks == 1) {
      emitBlock(lanes.constant(0), lanes.constant(shape.sizeK));
    } else {
      lanes.loop(lanes.indexConstant(0), lanes.indexConstant(shape.sizeK), blockK, {},
                 [&](Value iv, ValueRange) {
                   Lanes first = lanes.uniform(iv, {0, shape.sizeK});
                   Lanes size = shape.sizeK % blockK == 0
                                    ? lanes.constant(blockK)
                                    : lanes.min(lanes.constant(blockK),
                                                lanes.sub(lanes.constant(shape.sizeK), first));
                   emitBlock(first, size);
                   return SmallVector<Value>();
                 });
    }
    emitEpilogue(lanes, kernel, rows, scratch, panel);
  }

  void clearScratch(LaneBuilder &lanes, const Rows &rows, Value scratch) {
    Value size = lanes.mul(rows.count, lanes.constant(shape.nr)).value;
    lanes.loop(lanes.indexConstant(0), size, lanes.width, {}, [&](Value iv, ValueRange) {
      storeVector(lanes, addElements(lanes, scratch, lanes.uniform(iv)), lanes.floatVector(0));
      return SmallVector<Value>();
    });
  }

  /// Calls `body(first row of the tile in the block, rows)`: full tiles in a loop, then what is
  /// left in powers of two.
  void forTiles(LaneBuilder &lanes, const Rows &rows,
                llvm::function_ref<void(const Lanes &, int64_t)> body) {
    std::optional<int64_t> count = rows.count.getConstant();
    Lanes rest = lanes.mod(rows.count, tileRows);
    Lanes fullEnd = lanes.sub(rows.count, rest);
    if (!count || *count >= tileRows)
      lanes.loop(lanes.indexConstant(0), fullEnd.value, tileRows, {}, [&](Value iv, ValueRange) {
        body(lanes.uniform(iv, {0, blockRows}), tileRows);
        return SmallVector<Value>();
      });
    // Some sizes cannot be left over: rows of earlier blocks are full tiles.
    Lanes row = fullEnd;
    for (int64_t size = llvm::bit_floor(uint64_t(tileRows - 1)); size >= 1; size /= 2) {
      if (rows.count.interval.max < size)
        continue;
      if (count) {
        if (*count % tileRows & size) {
          body(row, size);
          row = lanes.add(row, lanes.constant(size));
        }
        continue;
      }
      Value bit = arith::AndIOp::create(lanes.b, lanes.loc, rest.value, lanes.indexConstant(size));
      Value some = arith::CmpIOp::create(lanes.b, lanes.loc, arith::CmpIPredicate::ne, bit,
                                         lanes.indexConstant(0));
      lanes.ifThen(some, {}, [&] {
        body(row, size);
        return SmallVector<Value>();
      });
      row = lanes.add(row, lanes.uniform(bit, {0, size}));
    }
  }

  //===--------------------------------------------------------------------------------------===//
  // Register tiles
  //===--------------------------------------------------------------------------------------===//

  /// How the other factor is walked along k: strides in elements of the k indices, the innermost
  /// ones that are one run merged.
  struct Walk {
    SmallVector<unsigned> outer; ///< k indices that need a loop of their own
    int64_t run = 1;             ///< elements of k in one run
    Lanes stride;                ///< of the run
    SmallVector<Lanes> outerStrides;
  };

  std::optional<int64_t> getStaticStride(unsigned position) {
    AffineMap map = formula.getInputMap(shape.getOther());
    auto type = cast<MemRefType>(op.getInputs()[shape.getOther()].getType());
    int64_t stride = 0, element = 1;
    for (unsigned r = map.getNumResults(); r-- > 0;) {
      AffineExpr expr = map.getResult(r);
      if (expr.isFunctionOfDim(position)) {
        if (element < 0)
          return std::nullopt;
        stride += (*getLinearCoefficients(expr, map.getNumDims()))[position] * element;
      }
      element = element < 0 || type.isDynamicDim(r) ? -1 : element * type.getDimSize(r);
    }
    return stride;
  }

  Lanes getStride(LaneBuilder &lanes, const Kernel &kernel, unsigned position) {
    AffineMap map = formula.getInputMap(shape.getOther());
    const Buffer &other = kernel.getBuffer(op.getInputs()[shape.getOther()]);
    Lanes stride = lanes.constant(0);
    for (auto [r, expr] : llvm::enumerate(map.getResults())) {
      if (!expr.isFunctionOfDim(position))
        continue;
      int64_t coefficient = (*getLinearCoefficients(expr, map.getNumDims()))[position];
      stride = lanes.add(stride, lanes.mul(other.strides[r], lanes.constant(coefficient)));
    }
    return stride;
  }

  /// The number of trailing k indices that are one run in the other factor.
  unsigned getRunLength() {
    unsigned length = 0;
    std::optional<int64_t> expected;
    for (unsigned position : llvm::reverse(shape.k)) {
      std::optional<int64_t> stride = getStaticStride(position);
      if (length && (!stride || stride != expected))
        break;
      ++length;
      if (!stride)
        break;
      expected = *stride * formula.getIndexAttr(position).getSize();
    }
    return length;
  }
  bool isSplit(const Kernel &) { return getRunLength() != shape.k.size(); }

  Walk getWalk(LaneBuilder &lanes, const Kernel &kernel) {
    Walk walk;
    unsigned length = getRunLength();
    ArrayRef<unsigned> k = shape.k;
    for (unsigned position : k.take_back(length))
      walk.run *= formula.getIndexAttr(position).getSize();
    walk.stride = k.empty() ? lanes.constant(1) : getStride(lanes, kernel, k.back());
    for (unsigned position : k.drop_back(length)) {
      walk.outer.push_back(position);
      walk.outerStrides.push_back(getStride(lanes, kernel, position));
    }
    return walk;
  }

  void emitTile(LaneBuilder &lanes, const Kernel &kernel, const Rows &rows, Value scratch,
                Value panel, const Lanes &row, int64_t count, const Lanes &firstK,
                const Lanes &sizeK, bool accumulate) {
    int64_t numVectors = shape.nr / lanes.width;
    Walk walk = getWalk(lanes, kernel);
    SmallVector<Value> lhs = getRowPointers(lanes, kernel, rows, row, count);
    Value target = addElements(lanes, scratch, lanes.mul(row, lanes.constant(shape.nr)));
    SmallVector<Value> sums(count * numVectors, lanes.floatVector(0));
    if (accumulate)
      for (auto [i, sum] : llvm::enumerate(sums))
        sum = loadVector(lanes, addElements(lanes, target, i * lanes.width));
    if (!walk.outer.empty()) {
      sums = emitSplitK(lanes, kernel, walk, lhs, panel, 0, lanes.constant(0), sums);
    } else {
      Lanes skip = lanes.mul(firstK, walk.stride);
      for (Value &pointer : lhs)
        pointer = addElements(lanes, pointer, skip);
      Value start = addElements(lanes, panel, lanes.mul(firstK, lanes.constant(shape.nr)));
      sums = emitRun(lanes, lhs, walk.stride, start, sizeK, sums);
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      storeVector(lanes, addElements(lanes, target, i * lanes.width), sum);
  }

  SmallVector<Value> getRowPointers(LaneBuilder &lanes, const Kernel &kernel, const Rows &rows,
                                    const Lanes &row, int64_t count) {
    const Buffer &other = kernel.getBuffer(op.getInputs()[shape.getOther()]);
    AffineMap map = formula.getInputMap(shape.getOther());
    SmallVector<Value> pointers;
    for (int64_t i = 0; i != count; ++i) {
      SmallVector<Lanes> values(formula.getNumIndices());
      Lanes position = lanes.add(lanes.add(rows.first, row), lanes.constant(i));
      position.interval = {0, std::max<int64_t>(rows.total.interval.max - 1, 0)};
      setIndices(lanes, kernel, shape.m, position, values);
      for (unsigned k : shape.k)
        values[k] = lanes.constant(0);
      SmallVector<Lanes> coordinates;
      for (AffineExpr expr : map.getResults())
        coordinates.push_back(lanes.apply(expr, values));
      pointers.push_back(addElements(lanes, other.pointer, getOffset(lanes, other, coordinates)));
    }
    return pointers;
  }

  /// Loops over the outer k indices, whose runs follow one another in the panel.
  SmallVector<Value> emitSplitK(LaneBuilder &lanes, const Kernel &kernel, const Walk &walk,
                                ArrayRef<Value> lhs, Value panel, unsigned depth,
                                const Lanes &firstK, ValueRange sums) {
    if (depth == walk.outer.size()) {
      Value start = addElements(lanes, panel, lanes.mul(firstK, lanes.constant(shape.nr)));
      return emitRun(lanes, lhs, walk.stride, start, lanes.constant(walk.run), sums);
    }
    IndexAttr index = formula.getIndexAttr(walk.outer[depth]);
    int64_t inner = walk.run;
    for (unsigned position : ArrayRef(walk.outer).drop_front(depth + 1))
      inner *= formula.getIndexAttr(position).getSize();
    return lanes.loop(
        lanes.constant(index.getSize()), sums, [&](const Lanes &iv, ValueRange carried) {
          SmallVector<Value> moved;
          Lanes skip = lanes.mul(iv, walk.outerStrides[depth]);
          for (Value pointer : lhs)
            moved.push_back(addElements(lanes, pointer, skip));
          Lanes next = lanes.add(firstK, lanes.mul(iv, lanes.constant(inner)));
          return emitSplitK(lanes, kernel, walk, moved, panel, depth + 1, next, carried);
        });
  }

  SmallVector<Value> emitRun(LaneBuilder &lanes, ArrayRef<Value> lhs, const Lanes &stride,
                             Value panel, const Lanes &sizeK, ValueRange sums) {
    TileFactors factors{SmallVector<Value>(lhs), stride, panel, shape.nr, shape.nr / lanes.width};
    return emitTileProduct(lanes, factors, sizeK, sums);
  }

  //===--------------------------------------------------------------------------------------===//
  // Epilogue
  //===--------------------------------------------------------------------------------------===//

  void emitEpilogue(LaneBuilder &lanes, const Kernel &kernel, const Rows &rows, Value scratch,
                    const Lanes &panel) {
    lanes.loop(rows.count, {}, [&](const Lanes &row, ValueRange) {
      SmallVector<Lanes> values(formula.getNumIndices());
      Lanes position = lanes.add(rows.first, row);
      position.interval = {0, std::max<int64_t>(rows.total.interval.max - 1, 0)};
      setIndices(lanes, kernel, shape.m, position, values);
      Value source = addElements(lanes, scratch, lanes.mul(row, lanes.constant(shape.nr)));
      for (int64_t v = 0; v != shape.nr / lanes.width; ++v) {
        Value sum = loadVector(lanes, addElements(lanes, source, v * lanes.width));
        emitResult(lanes, kernel, values, panel, v, sum);
      }
      return SmallVector<Value>();
    });
  }

  void emitResult(LaneBuilder &lanes, const Kernel &kernel, SmallVector<Lanes> values,
                  const Lanes &panel, int64_t v, Value sum) {
    Lanes first =
        lanes.add(lanes.mul(panel, lanes.constant(shape.nr)), lanes.constant(v * lanes.width));
    Value mask;
    if (shape.sizeN % shape.nr != 0)
      mask = lanes.maskBelow(first.value, lanes.indexConstant(shape.sizeN));
    Lanes column = lanes.iota(first);
    column.interval = {0, shape.sizeN - 1};
    setIndices(lanes, kernel, shape.n, column, values);
    RegionEmitter region(lanes, kernel, values, mask);
    Lanes value = lanes.uniform(sum);
    if (double scale = op.getScale().convertToDouble(); scale != 1)
      value = region.multiply(value, lanes.uniform(lanes.floatConstant(float(scale))));
    if (!op.getEpilogue().empty()) {
      SmallVector<Lanes> arguments{value};
      llvm::append_range(arguments, region.loadInputs(op.getInputs(), op.getMaps(), 2));
      value = region.emit(op.getEpilogue(), arguments)[0];
    }
    storeOutput(lanes, kernel, formula, values, value, mask);
  }

  ContractOp op;
  FormulaOpInterface formula;
  PackedContraction shape;
  int64_t tileRows, blockK, panelsPerTask, blockRows;
};

} // namespace

std::optional<int64_t> weft::getPanelWidth(ContractOp op, int64_t width) {
  if (width == 1)
    return std::nullopt;
  std::optional<PackedContraction> shape = PackedContraction::match(op);
  if (!shape || shape->nr % width != 0)
    return std::nullopt;
  return shape->nr;
}

std::unique_ptr<KernelEmitter> weft::createGemmEmitter(ContractOp op, LoweringAttr lowering) {
  std::optional<PackedContraction> shape = PackedContraction::match(op);
  if (!shape || lowering.getTile().size() != 3 || lowering.getTile()[0] < 1 ||
      lowering.getTile()[2] < 1 || lowering.getWidth() == 1 ||
      shape->nr % lowering.getWidth() != 0) {
    op.emitError("lowering \"gemm\" needs a packed factor and the tile [mr, nr, kc]");
    return nullptr;
  }
  return std::make_unique<GemmEmitter>(op, *shape, lowering);
}
