//===- AttentionEmitter.cpp - streaming attention -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A task computes a block of queries for fixed outer indices (a head). For each block of keys it
// packs the keys transposed and the values row-major onto the stack, once for all its queries.
// Then for each tile of rows:
//   1. scores: a register tile product of queries and packed keys, into a small buffer;
//   2. the score and predicate regions, vectorised over keys, and the exponentials relative to
//      the running maximum (in powers of two, so scores are multiplied by log2(e));
//   3. results: a register tile product of these weights and the packed values, added to the sums
//      so far, which are scaled when the maximum has grown.
// Tiles outside the bounds of the keys are skipped, tiles inside for every row run without masks.
// Rows past the end repeat the last query; their results are not stored.
//
//===----------------------------------------------------------------------------------------===//

#include "AttentionPlan.h"
#include "Emitters.h"
#include "MicroKernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;

namespace {

constexpr float kLog2E = 1.44269504088896340736f;
/// Stands for the maximum of no scores: finite, so that differences are never NaN.
constexpr float kLowest = -3.0e38f;

class AttentionEmitter : public KernelEmitter {
public:
  AttentionEmitter(AttentionOp op, LoweringAttr lowering)
      : op(op), formula(op), plan(op, lowering) {}

  Lanes getNumTasks(LaneBuilder &lanes, const Kernel &kernel) override {
    Lanes total = getNumBlocks(lanes, kernel);
    for (unsigned position : plan.outer)
      total = lanes.mul(total, kernel.getExtent(lanes, formula.getIndexAttr(position)));
    return total;
  }

  void emitTask(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) override {
    State state = makeState(lanes, kernel, task);
    packQueries(lanes, kernel, state);
    emitBounds(lanes, kernel, state);
    clearSums(lanes, state);
    Value start = lanes.floorDiv(state.lower, lanes.width).value;
    Lanes first = lanes.mul(lanes.uniform(start, {0, INT32_MAX}), lanes.constant(lanes.width));
    lanes.loop(first.value, state.upper.value, plan.blockKeys, {}, [&](Value iv, ValueRange) {
      Lanes block = lanes.uniform(iv, {0, keyIndex().getSize() - 1}, lanes.width);
      emitKeyBlock(lanes, kernel, state, block);
      return SmallVector<Value>();
    });
    storeResults(lanes, kernel, state);
  }

private:
  struct State {
    SmallVector<Lanes> indices; ///< the outer indices
    Lanes firstQuery, numRows;  ///< the rows of this task
    Lanes numKeys;
    Lanes lower, upper; ///< the keys that some row can reach
    SmallVector<Value> queries, keys;
    Value values, scores, sums, largest, total, scale, lowers, uppers;
  };

  IndexAttr keyIndex() { return formula.getIndexAttr(op.getKeyIndex()); }
  bool hasBounds() { return op.getKeyLower() || op.getKeyUpper(); }

  Lanes getNumQueries(LaneBuilder &lanes, const Kernel &kernel) {
    return plan.query ? kernel.getExtent(lanes, formula.getIndexAttr(*plan.query))
                      : lanes.constant(1);
  }
  Lanes getNumBlocks(LaneBuilder &lanes, const Kernel &kernel) {
    Lanes rows = getNumQueries(lanes, kernel);
    return lanes.floorDiv(lanes.add(rows, lanes.constant(plan.blockRows - 1)), plan.blockRows);
  }

  State makeState(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task) {
    State state;
    SmallVector<Lanes> extents;
    for (unsigned position : plan.outer)
      extents.push_back(kernel.getExtent(lanes, formula.getIndexAttr(position)));
    extents.push_back(getNumBlocks(lanes, kernel));
    SmallVector<Lanes> coordinates = lanes.delinearize(task, extents);
    state.indices.resize(formula.getNumIndices());
    for (auto [position, coordinate] : llvm::zip(plan.outer, coordinates))
      state.indices[position] = coordinate;
    Lanes numQueries = getNumQueries(lanes, kernel);
    state.firstQuery = lanes.mul(coordinates.back(), lanes.constant(plan.blockRows));
    state.numRows =
        lanes.min(lanes.sub(numQueries, state.firstQuery), lanes.constant(plan.blockRows));
    state.numRows.interval = {1, plan.blockRows};
    state.numKeys = kernel.getExtent(lanes, keyIndex());
    auto allocate = [&](int64_t elements) { return kernel.allocateStack(lanes, elements * 4); };
    for (int64_t size : plan.sizeC) {
      state.queries.push_back(allocate(plan.blockRows * size));
      state.keys.push_back(allocate(plan.blockKeys * size));
    }
    state.values = allocate(plan.blockKeys * plan.paddedV);
    // The weights take the place of the first dot product, if there is one or not.
    state.scores = allocate(std::max<int64_t>(op.getDots(), 1) * plan.tileRows * plan.blockKeys);
    state.sums = allocate(plan.blockRows * plan.paddedV);
    state.largest = allocate(plan.blockRows);
    state.total = allocate(plan.blockRows);
    state.scale = allocate(plan.tileRows);
    state.lowers = allocate(2 * plan.blockRows);
    state.uppers = allocate(2 * plan.blockRows);
    return state;
  }

  /// The indices of a row of the block; rows past the end are the last one.
  SmallVector<Lanes> getRowIndices(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                                   const Lanes &row) {
    SmallVector<Lanes> indices = state.indices;
    if (!plan.query)
      return indices;
    Lanes last = lanes.sub(getNumQueries(lanes, kernel), lanes.constant(1));
    Lanes query = lanes.min(lanes.add(state.firstQuery, row), last);
    query.interval = {0, formula.getIndexAttr(*plan.query).getSize() - 1};
    indices[*plan.query] = query;
    return indices;
  }

  void setIndices(LaneBuilder &lanes, const Kernel &kernel, ArrayRef<unsigned> positions,
                  const Lanes &position, SmallVector<Lanes> &values) {
    SmallVector<Lanes> extents;
    for (unsigned index : positions)
      extents.push_back(kernel.getExtent(lanes, formula.getIndexAttr(index)));
    for (auto [index, coordinate] : llvm::zip(positions, lanes.delinearize(position, extents)))
      values[index] = coordinate;
  }

  Value loadScalar(LaneBuilder &lanes, Value pointer, const Lanes &position, Type type) {
    Value address = getElementPointer(lanes, pointer, type, position.value);
    return LLVM::LoadOp::create(lanes.b, lanes.loc, type, address);
  }
  void storeScalar(LaneBuilder &lanes, Value pointer, const Lanes &position, Value value) {
    Value address = getElementPointer(lanes, pointer, value.getType(), position.value);
    LLVM::StoreOp::create(lanes.b, lanes.loc, value, address);
  }

  /// The number of rows, rounded up to whole tiles.
  Lanes getPaddedRows(LaneBuilder &lanes, const State &state) {
    Lanes tiles =
        lanes.floorDiv(lanes.add(state.numRows, lanes.constant(plan.tileRows - 1)), plan.tileRows);
    return lanes.mul(tiles, lanes.constant(plan.tileRows));
  }

  void forRows(LaneBuilder &lanes, const Lanes &count,
               llvm::function_ref<void(const Lanes &)> body) {
    lanes.loop(count, {}, [&](const Lanes &row, ValueRange) {
      body(row);
      return SmallVector<Value>();
    });
  }

  //===--------------------------------------------------------------------------------------===//
  // Before the keys
  //===--------------------------------------------------------------------------------------===//

  /// Queries become rows of contracted elements, scaled.
  void packQueries(LaneBuilder &lanes, const Kernel &kernel, State &state) {
    for (auto [i, size] : llvm::enumerate(plan.sizeC)) {
      double scale = op.getScales()[i] * (plan.plainScore && plan.normalized ? kLog2E : 1);
      forRows(lanes, getPaddedRows(lanes, state), [&, i = i, size = size](const Lanes &row) {
        SmallVector<Lanes> indices = getRowIndices(lanes, kernel, state, row);
        Value target = addElements(lanes, state.queries[i], lanes.mul(row, lanes.constant(size)));
        Buffer packed{target, lanes.b.getF32Type(), {}, {lanes.constant(1)}};
        lanes.laneLoop(lanes.constant(0), lanes.constant(size), {},
                       [&](const Lanes &c, Value mask, ValueRange) {
                         setIndices(lanes, kernel, plan.contracted[i], c, indices);
                         RegionEmitter region(lanes, kernel, indices, mask);
                         Lanes element = region.load(op.getQuery(i), formula.getInputMap(2 * i));
                         element = region.multiply(
                             element, lanes.uniform(lanes.floatConstant(float(scale))));
                         storeElements(lanes, packed, c, element, mask);
                         return SmallVector<Value>();
                       });
      });
    }
  }

  /// The bounds of the keys of every row, and of all rows together.
  void emitBounds(LaneBuilder &lanes, const Kernel &kernel, State &state) {
    state.lower = lanes.constant(0);
    state.upper = state.numKeys;
    if (!hasBounds())
      return;
    SmallVector<Lanes> symbols;
    if (op.getBoundSymbols())
      for (StringRef name : op.getBoundSymbols()->getAsValueRange<StringAttr>())
        symbols.push_back(kernel.getSymbol(name));
    Type i64 = lanes.b.getI64Type();
    SmallVector<Value> inits{state.numKeys.value, lanes.indexConstant(0)};
    SmallVector<Value> ends =
        lanes.loop(getPaddedRows(lanes, state), inits, [&](const Lanes &row, ValueRange carried) {
          SmallVector<Lanes> indices = getRowIndices(lanes, kernel, state, row);
          Lanes lower = lanes.constant(0), upper = state.numKeys;
          if (op.getKeyLower())
            for (AffineExpr expr : op.getKeyLower()->getResults())
              lower = lanes.max(lower, lanes.apply(expr, indices, symbols));
          if (op.getKeyUpper())
            for (AffineExpr expr : op.getKeyUpper()->getResults())
              upper = lanes.min(upper, lanes.apply(expr, indices, symbols));
          auto store = [&](Value array, Value value) {
            storeScalar(lanes, array, row,
                        lanes.b.createOrFold<arith::IndexCastOp>(lanes.loc, i64, value));
          };
          store(state.lowers, lower.value);
          store(state.uppers, upper.value);
          Value first = arith::MinSIOp::create(lanes.b, lanes.loc, carried[0], lower.value);
          Value last = arith::MaxSIOp::create(lanes.b, lanes.loc, carried[1], upper.value);
          return SmallVector<Value>{first, last};
        });
    state.lower = lanes.uniform(ends[0], {0, keyIndex().getSize()});
    state.upper = lanes.uniform(ends[1], {0, keyIndex().getSize()});
  }

  void clearSums(LaneBuilder &lanes, const State &state) {
    Lanes rows = getPaddedRows(lanes, state);
    Lanes size = lanes.mul(rows, lanes.constant(plan.paddedV));
    lanes.loop(lanes.indexConstant(0), size.value, lanes.width, {}, [&](Value iv, ValueRange) {
      storeVector(lanes, addElements(lanes, state.sums, lanes.uniform(iv)), lanes.floatVector(0));
      return SmallVector<Value>();
    });
    forRows(lanes, rows, [&](const Lanes &row) {
      storeScalar(lanes, state.largest, row, lanes.floatConstant(kLowest));
      storeScalar(lanes, state.total, row, lanes.floatConstant(0));
    });
  }

  //===--------------------------------------------------------------------------------------===//
  // A block of keys
  //===--------------------------------------------------------------------------------------===//

  void emitKeyBlock(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                    const Lanes &block) {
    int64_t step = 2 * lanes.width;
    Lanes count = lanes.min(lanes.sub(state.upper, block), lanes.constant(plan.blockKeys));
    Lanes chunks = lanes.floorDiv(lanes.add(count, lanes.constant(step - 1)), step);
    chunks = lanes.uniform(chunks.value, {0, plan.blockKeys / step});
    Lanes padded = lanes.mul(chunks, lanes.constant(step));
    for (unsigned i = 0; i != op.getDots(); ++i)
      packKeys(lanes, kernel, state, i, block, padded);
    packValues(lanes, kernel, state, block, padded);
    lanes.loop(lanes.indexConstant(0), getPaddedRows(lanes, state).value, plan.tileRows, {},
               [&](Value iv, ValueRange) {
                 Lanes row = lanes.uniform(iv, {0, plan.blockRows - 1});
                 emitTile(lanes, kernel, state, row, block, padded);
                 return SmallVector<Value>();
               });
  }

  /// The indices of a key of the block; keys past the end are the last one, masked later.
  Lanes clampKey(LaneBuilder &lanes, const State &state, const Lanes &key) {
    Lanes clamped = lanes.min(key, lanes.sub(state.numKeys, lanes.constant(1)));
    clamped.interval = {0, keyIndex().getSize() - 1};
    return clamped;
  }

  bool isContiguous(unsigned input, ArrayRef<unsigned> positions) {
    if (positions.empty() || formula.getIndexAttr(positions.back()).getSize() % plan.width != 0)
      return false;
    AffineMap map = formula.getInputMap(input);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      bool isLast = i + 1 == map.getNumResults();
      AffineExpr dim = getAffineDimExpr(positions.back(), expr.getContext());
      if (!isLast ? expr.isFunctionOfDim(positions.back()) : expr != dim)
        return false;
    }
    return true;
  }

  /// Keys become `[contracted][key]`.
  void packKeys(LaneBuilder &lanes, const Kernel &kernel, const State &state, unsigned dot,
                const Lanes &block, const Lanes &padded) {
    int64_t size = plan.sizeC[dot];
    bool square = lanes.width > 1 && isContiguous(2 * dot + 1, plan.contracted[dot]);
    AffineMap map = formula.getInputMap(2 * dot + 1);
    lanes.loop(lanes.indexConstant(0), padded.value, lanes.width, {}, [&](Value iv, ValueRange) {
      Lanes group = lanes.uniform(iv, {0, plan.blockKeys - 1}, lanes.width);
      Value target = addElements(lanes, state.keys[dot], group);
      int64_t step = square ? lanes.width : 1;
      lanes.loop(
          lanes.indexConstant(0), lanes.indexConstant(size), step, {}, [&](Value c, ValueRange) {
            Lanes position = lanes.uniform(c, {0, size - 1}, step);
            SmallVector<Lanes> indices = state.indices;
            SmallVector<Value> columns;
            Lanes key = lanes.add(block, group);
            if (square) {
              SmallVector<Value> rows;
              setIndices(lanes, kernel, plan.contracted[dot], lanes.iota(position), indices);
              for (int64_t j = 0; j != lanes.width; ++j) {
                indices[op.getKeyIndex()] =
                    clampKey(lanes, state, lanes.add(key, lanes.constant(j)));
                RegionEmitter region(lanes, kernel, indices, Value());
                rows.push_back(lanes.materialize(region.load(op.getKey(dot), map)));
              }
              columns = transpose(lanes, rows);
            } else {
              setIndices(lanes, kernel, plan.contracted[dot], position, indices);
              columns.push_back(loadKeys(lanes, kernel, state, dot, key, indices));
            }
            Value row =
                addElements(lanes, target, lanes.mul(position, lanes.constant(plan.blockKeys)));
            for (auto [j, column] : llvm::enumerate(columns))
              storeVector(lanes, addElements(lanes, row, j * plan.blockKeys), column);
            return SmallVector<Value>();
          });
      return SmallVector<Value>();
    });
  }

  /// One contracted element of `width` keys.
  Value loadKeys(LaneBuilder &lanes, const Kernel &kernel, const State &state, unsigned dot,
                 const Lanes &key, SmallVector<Lanes> indices) {
    Lanes lane = lanes.iota(key);
    lane.interval = {0, keyIndex().getSize() - 1};
    indices[op.getKeyIndex()] = lanes.width == 1 ? clampKey(lanes, state, key) : lane;
    Value mask;
    if (lanes.width > 1)
      mask = lanes.maskBelow(key.value, state.numKeys.value);
    RegionEmitter region(lanes, kernel, indices, mask);
    return lanes.materialize(region.load(op.getKey(dot), formula.getInputMap(2 * dot + 1)));
  }

  /// Values become `[key][column]`, padded with zeros.
  void packValues(LaneBuilder &lanes, const Kernel &kernel, const State &state, const Lanes &block,
                  const Lanes &padded) {
    unsigned input = 2 * op.getDots();
    lanes.loop(padded, {}, [&](const Lanes &j, ValueRange) {
      SmallVector<Lanes> indices = state.indices;
      indices[op.getKeyIndex()] = clampKey(lanes, state, lanes.add(block, j));
      Value target = addElements(lanes, state.values, lanes.mul(j, lanes.constant(plan.paddedV)));
      lanes.laneLoop(lanes.constant(0), lanes.constant(plan.sizeV), {},
                     [&](const Lanes &column, Value mask, ValueRange) {
                       setIndices(lanes, kernel, plan.columns, column, indices);
                       RegionEmitter region(lanes, kernel, indices, mask);
                       Lanes value = region.load(op.getValue(), formula.getInputMap(input));
                       Lanes offset = lanes.uniform(column.value);
                       storeVector(lanes, addElements(lanes, target, offset),
                                   lanes.materialize(value));
                       return SmallVector<Value>();
                     });
      return SmallVector<Value>();
    });
  }

  //===--------------------------------------------------------------------------------------===//
  // A tile of rows and a block of keys
  //===--------------------------------------------------------------------------------------===//

  void emitTile(LaneBuilder &lanes, const Kernel &kernel, const State &state, const Lanes &row,
                const Lanes &block, const Lanes &padded) {
    OpBuilder &b = lanes.b;
    Location loc = lanes.loc;
    Lanes end = lanes.add(block, padded);
    // The keys that some row and that every row can reach.
    Value someLower = state.lower.value, someUpper = state.upper.value;
    Value allLower = someLower, allUpper = someUpper;
    if (hasBounds()) {
      for (int64_t i = 0; i != plan.tileRows; ++i) {
        auto [lower, upper] = loadBounds(lanes, state, lanes.add(row, lanes.constant(i)));
        someLower = i ? arith::MinSIOp::create(b, loc, someLower, lower).getResult() : lower;
        someUpper = i ? arith::MaxSIOp::create(b, loc, someUpper, upper).getResult() : upper;
        allLower = i ? arith::MaxSIOp::create(b, loc, allLower, lower).getResult() : lower;
        allUpper = i ? arith::MinSIOp::create(b, loc, allUpper, upper).getResult() : upper;
      }
    }
    auto compare = [&](Value left, Value right) {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, left, right).getResult();
    };
    Value full =
        arith::AndIOp::create(b, loc, compare(allLower, block.value), compare(end.value, allUpper));
    auto body = [&] {
      emitScores(lanes, state, row, padded);
      auto softmax = [&](bool masked) {
        lanes.loop(lanes.constant(plan.tileRows), {}, [&](const Lanes &r, ValueRange) {
          emitRowWeights(lanes, kernel, state, row, r, block, padded, masked);
          return SmallVector<Value>();
        });
        return SmallVector<Value>();
      };
      emitChoice(lanes, full, [&] { softmax(false); }, [&] { softmax(true); });
      emitSums(lanes, state, row, padded);
      return SmallVector<Value>();
    };
    if (!hasBounds()) {
      body();
      return;
    }
    Value reached = arith::AndIOp::create(
        b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, someLower, end.value),
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, block.value, someUpper));
    lanes.ifThen(reached, {}, body);
  }

  void emitChoice(LaneBuilder &lanes, Value condition, llvm::function_ref<void()> yes,
                  llvm::function_ref<void()> no) {
    OpBuilder::InsertionGuard guard(lanes.b);
    auto ifOp = scf::IfOp::create(lanes.b, lanes.loc, TypeRange(), condition, /*withElse=*/true);
    lanes.b.setInsertionPoint(ifOp.thenYield());
    yes();
    lanes.b.setInsertionPoint(ifOp.elseYield());
    no();
  }

  std::pair<Value, Value> loadBounds(LaneBuilder &lanes, const State &state, const Lanes &row) {
    auto load = [&](Value array) {
      Value value = loadScalar(lanes, array, row, lanes.b.getI64Type());
      return arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), value);
    };
    return {load(state.lowers), load(state.uppers)};
  }

  Value getScores(LaneBuilder &lanes, const State &state, int64_t dot, const Lanes &r) {
    Lanes position = lanes.add(r, lanes.constant(dot * plan.tileRows));
    return addElements(lanes, state.scores, lanes.mul(position, lanes.constant(plan.blockKeys)));
  }

  /// scores[dot][row][key] = scaled dot products.
  void emitScores(LaneBuilder &lanes, const State &state, const Lanes &row, const Lanes &padded) {
    for (auto [dot, size] : llvm::enumerate(plan.sizeC)) {
      lanes.loop(lanes.indexConstant(0), padded.value, 2 * lanes.width, {},
                 [&, dot = dot, size = size](Value key, ValueRange) {
                   TileFactors factors;
                   for (int64_t i = 0; i != plan.tileRows; ++i)
                     factors.rows.push_back(addElements(
                         lanes, state.queries[dot],
                         lanes.mul(lanes.add(row, lanes.constant(i)), lanes.constant(size))));
                   factors.stride = lanes.constant(1);
                   factors.panel = addElements(lanes, state.keys[dot], lanes.uniform(key));
                   factors.panelStride = plan.blockKeys;
                   factors.numVectors = 2;
                   SmallVector<Value> sums(plan.tileRows * 2, lanes.floatVector(0));
                   sums = emitTileProduct(lanes, factors, lanes.constant(size), sums);
                   for (int64_t i = 0; i != plan.tileRows; ++i) {
                     Value target = getScores(lanes, state, dot, lanes.constant(i));
                     target = addElements(lanes, target, lanes.uniform(key));
                     storeVector(lanes, target, sums[2 * i]);
                     storeVector(lanes, addElements(lanes, target, lanes.width), sums[2 * i + 1]);
                   }
                   return SmallVector<Value>();
                 });
    }
  }

  /// Turns the scores of one row into weights relative to the running maximum.
  void emitRowWeights(LaneBuilder &lanes, const Kernel &kernel, const State &state,
                      const Lanes &tile, const Lanes &r, const Lanes &block, const Lanes &padded,
                      bool masked) {
    OpBuilder &b = lanes.b;
    Location loc = lanes.loc;
    Lanes row = lanes.add(tile, r);
    Value scores = getScores(lanes, state, 0, r);
    Value lowest = lanes.floatVector(-std::numeric_limits<float>::infinity());
    Value initial = plan.normalized ? lowest : lanes.floatVector(0);
    auto forKeys = [&](Value init, llvm::function_ref<Value(Value key, Value carried)> body) {
      return lanes.loop(lanes.indexConstant(0), padded.value, lanes.width, init,
                        [&](Value key, ValueRange carried) {
                          return SmallVector<Value>{body(key, carried[0])};
                        })[0];
    };
    bool untouched = plan.plainScore && op.getPredicate().empty() && !masked;
    Value largest = forKeys(initial, [&](Value key, Value carried) {
      Lanes position = lanes.uniform(key, {0, plan.blockKeys - 1}, lanes.width);
      Value score;
      if (untouched)
        score = loadVector(lanes, addElements(lanes, scores, position));
      else
        score = emitScore(lanes, kernel, state, row, r, block, position, masked);
      if (!untouched)
        storeVector(lanes, addElements(lanes, scores, position), score);
      return plan.normalized
                 ? arith::MaxNumFOp::create(b, loc, carried, score, arith::FastMathFlags::nnan)
                       .getResult()
                 : carried;
    });
    if (!plan.normalized)
      return;
    largest = reduceLanes(lanes, ReduceKind::Max, largest);
    Value before = loadScalar(lanes, state.largest, row, b.getF32Type());
    largest = arith::MaxNumFOp::create(b, loc, before, largest, arith::FastMathFlags::nnan);
    Value everywhere = lanes.materialize(lanes.uniform(largest));
    Value sum = forKeys(lanes.floatVector(0), [&](Value key, Value carried) -> Value {
      Value address = addElements(lanes, scores, lanes.uniform(key));
      Value difference = arith::SubFOp::create(b, loc, loadVector(lanes, address), everywhere);
      Value weight = emitExp2(lanes, difference);
      storeVector(lanes, address, weight);
      return arith::AddFOp::create(b, loc, carried, weight);
    });
    LaneBuilder scalar = lanes.withWidth(1);
    Value scale = emitExp2(scalar, arith::SubFOp::create(b, loc, before, largest));
    Value total = loadScalar(lanes, state.total, row, b.getF32Type());
    total = arith::MulFOp::create(b, loc, total, scale);
    total = arith::AddFOp::create(b, loc, total, reduceLanes(lanes, ReduceKind::Sum, sum));
    storeScalar(lanes, state.largest, row, largest);
    storeScalar(lanes, state.total, row, total);
    storeScalar(lanes, state.scale, r, scale);
  }

  /// The scores of some keys, in units of log2(e); minus infinity (or 0, if they are not
  /// normalised) where the predicate fails.
  Value emitScore(LaneBuilder &lanes, const Kernel &kernel, const State &state, const Lanes &row,
                  const Lanes &r, const Lanes &block, const Lanes &position, bool masked) {
    OpBuilder &b = lanes.b;
    Location loc = lanes.loc;
    SmallVector<Lanes> indices = getRowIndices(lanes, kernel, state, row);
    Lanes key = lanes.add(block, position);
    Lanes keys = lanes.iota(key);
    keys.interval = {0, keyIndex().getSize() - 1};
    Value mask = masked ? emitKeyMask(lanes, state, row, key) : Value();
    // A scalar key past the end reads the last one instead.
    indices[op.getKeyIndex()] = lanes.width == 1 && masked ? clampKey(lanes, state, key) : keys;
    RegionEmitter region(lanes, kernel, indices, lanes.width == 1 ? Value() : mask);
    SmallVector<Lanes> extras =
        region.loadInputs(op.getInputs(), op.getMaps(), 2 * op.getDots() + 1);
    SmallVector<Lanes> arguments;
    for (unsigned dot = 0; dot != op.getDots(); ++dot)
      arguments.push_back(lanes.uniform(
          loadVector(lanes, addElements(lanes, getScores(lanes, state, dot, r), position))));
    llvm::append_range(arguments, extras);
    Value score = lanes.materialize(region.emit(op.getScore(), arguments)[0]);
    if (plan.normalized && !plan.plainScore)
      score = arith::MulFOp::create(b, loc, score, lanes.floatVector(kLog2E));
    Value holds = mask;
    if (!op.getPredicate().empty())
      holds = lanes.andMask(holds, lanes.materialize(region.emit(op.getPredicate(), extras)[0]));
    float otherwise = plan.normalized ? -std::numeric_limits<float>::infinity() : 0;
    return lanes.select(holds, score, lanes.floatVector(otherwise));
  }

  /// The keys within the bounds of a row.
  Value emitKeyMask(LaneBuilder &lanes, const State &state, const Lanes &row, const Lanes &key) {
    Lanes keys = lanes.iota(key);
    keys.interval = {0, int64_t(keyIndex().getSize()) + 2 * lanes.width};
    Interval interval{INT32_MIN, INT32_MAX};
    if (!hasBounds())
      return lanes.compare(arith::CmpIPredicate::slt, keys, state.numKeys);
    auto [lower, upper] = loadBounds(lanes, state, row);
    Value mask = lanes.compare(arith::CmpIPredicate::slt, keys, lanes.uniform(upper, interval));
    if (!op.getKeyLower())
      return mask;
    Value above = lanes.compare(arith::CmpIPredicate::sge, keys, lanes.uniform(lower, interval));
    return lanes.andMask(mask, above);
  }

  /// sums[row][column] = scale * sums + weights * values.
  void emitSums(LaneBuilder &lanes, const State &state, const Lanes &row, const Lanes &padded) {
    int64_t vectors = plan.paddedV / lanes.width;
    if (vectors >= 2)
      lanes.loop(lanes.indexConstant(0), lanes.indexConstant(vectors / 2 * 2 * lanes.width),
                 2 * lanes.width, {}, [&](Value column, ValueRange) {
                   emitSumTile(lanes, state, row, padded, column, 2);
                   return SmallVector<Value>();
                 });
    if (vectors % 2)
      emitSumTile(lanes, state, row, padded, lanes.indexConstant((vectors - 1) * lanes.width), 1);
  }

  void emitSumTile(LaneBuilder &lanes, const State &state, const Lanes &row, const Lanes &padded,
                   Value column, int64_t numVectors) {
    TileFactors factors;
    SmallVector<Value> targets, sums;
    for (int64_t i = 0; i != plan.tileRows; ++i) {
      factors.rows.push_back(getScores(lanes, state, 0, lanes.constant(i)));
      Lanes offset =
          lanes.add(lanes.mul(lanes.add(row, lanes.constant(i)), lanes.constant(plan.paddedV)),
                    lanes.uniform(column));
      targets.push_back(addElements(lanes, state.sums, offset));
      Value scale;
      if (plan.normalized)
        scale = lanes.materialize(
            lanes.uniform(loadScalar(lanes, state.scale, lanes.constant(i), lanes.b.getF32Type())));
      for (int64_t v = 0; v != numVectors; ++v) {
        Value sum = loadVector(lanes, addElements(lanes, targets[i], v * lanes.width));
        sums.push_back(scale ? arith::MulFOp::create(lanes.b, lanes.loc, sum, scale).getResult()
                             : sum);
      }
    }
    factors.stride = lanes.constant(1);
    factors.panel = addElements(lanes, state.values, lanes.uniform(column));
    factors.panelStride = plan.paddedV;
    factors.numVectors = numVectors;
    sums = emitTileProduct(lanes, factors, padded, sums);
    for (auto [i, sum] : llvm::enumerate(sums))
      storeVector(lanes,
                  addElements(lanes, targets[i / numVectors], (i % numVectors) * lanes.width), sum);
  }

  //===--------------------------------------------------------------------------------------===//
  // After the keys
  //===--------------------------------------------------------------------------------------===//

  void storeResults(LaneBuilder &vectors, const Kernel &kernel, const State &state) {
    // Without columns a row's result is one element.
    LaneBuilder lanes = vectors.withWidth(plan.columns.empty() ? 1 : vectors.width);
    OpBuilder &b = lanes.b;
    Location loc = lanes.loc;
    forRows(lanes, state.numRows, [&](const Lanes &row) {
      SmallVector<Lanes> indices = getRowIndices(lanes, kernel, state, row);
      Value factor;
      if (plan.normalized) {
        Value total = loadScalar(lanes, state.total, row, b.getF32Type());
        Value zero = lanes.floatConstant(0), one = lanes.floatConstant(1);
        Value some = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, total, zero);
        Value safe = arith::SelectOp::create(b, loc, some, total, one);
        Value inverse = arith::DivFOp::create(b, loc, one, safe);
        factor = arith::SelectOp::create(b, loc, some, inverse, zero);
        factor = lanes.materialize(lanes.uniform(factor));
      }
      Value source = addElements(lanes, state.sums, lanes.mul(row, lanes.constant(plan.paddedV)));
      lanes.laneLoop(lanes.constant(0), lanes.constant(plan.sizeV), {},
                     [&](const Lanes &column, Value mask, ValueRange) {
                       setIndices(lanes, kernel, plan.columns, column, indices);
                       Value sum = loadVector(
                           lanes, addElements(lanes, source, lanes.uniform(column.value)));
                       if (factor)
                         sum = arith::MulFOp::create(b, loc, sum, factor);
                       storeOutput(lanes, kernel, formula, indices, lanes.uniform(sum), mask);
                       return SmallVector<Value>();
                     });
    });
  }

  AttentionOp op;
  FormulaOpInterface formula;
  AttentionPlan plan;
};

} // namespace

std::unique_ptr<KernelEmitter> weft::createAttentionEmitter(AttentionOp op, LoweringAttr lowering) {
  if (op.getNormalizer() == Normalizer::LogSoftmax) {
    op.emitError("attention with log_softmax has no CPU lowering");
    return nullptr;
  }
  if (lowering.getTile().size() != 3 ||
      llvm::any_of(lowering.getTile(), [](int64_t size) { return size < 1; })) {
    op.emitError("lowering \"attention\" needs the tile [queries, keys, rows]");
    return nullptr;
  }
  return std::make_unique<AttentionEmitter>(op, lowering);
}
