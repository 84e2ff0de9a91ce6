//===- MicroKernel.cpp - the register tile of products and attention ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MicroKernel.h"

#include "FactorStep.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weft;

void weft::emitPrefetches(OpBuilder &b, Location loc, Value first, int64_t lines) {
  constexpr int32_t read = 0, secondCache = 2, data = 1;
  for (int64_t line = 0; line != lines; ++line) {
    LLVM::GEPArg place = int32_t(line * kLine / int64_t(sizeof(float)));
    Value address =
        LLVM::GEPOp::create(b, loc, first.getType(), b.getF32Type(), first, ArrayRef(place));
    LLVM::Prefetch::create(b, loc, address, read, secondCache, data);
  }
}

void weft::emitShare(OpBuilder &b, Location loc, ValueRange first, int64_t lines, int64_t part,
                     int64_t parts) {
  int64_t all = lines * int64_t(first.size());
  for (int64_t line = part * all / parts; line != (part + 1) * all / parts; ++line) {
    Value run = first[size_t(line / lines)];
    LLVM::GEPArg place = int32_t(line % lines * kLine / int64_t(sizeof(float)));
    Value address =
        LLVM::GEPOp::create(b, loc, run.getType(), b.getF32Type(), run, ArrayRef(place));
    emitPrefetches(b, loc, address, /*lines=*/1);
  }
}

Value weft::loadRowCodes(LaneBuilder &lanes, Value address) {
  Value codes = LLVM::LoadOp::create(lanes.b, lanes.loc, lanes.b.getI32Type(), address,
                                     /*alignment=*/1);
  return lanes.materialize(lanes.uniform(codes));
}

/// Rows of a tile up to which each step fetches its share of lines, behind its own.
static constexpr size_t kSpreadRows = 4;

/// Where the lines are that are to be fetched beside the steps that begin at number `position`.
static SmallVector<Value> getLinesBeside(LaneBuilder &lanes, const TileFactors &factors,
                                         const Lanes &position) {
  if (!factors.prefetch)
    return {};
  Lanes elements = lanes.constant(factors.prefetchLines * kLine / int64_t(sizeof(float)));
  if (factors.prefetchMore)
    elements = lanes.add(elements, *factors.prefetchMore);
  Lanes before = lanes.mul(lanes.floorDiv(position, factors.unroll), elements);
  SmallVector<Value> first{addElements(lanes, factors.prefetch, before)};
  if (factors.prefetchMore)
    first.push_back(addElements(lanes, first[0], *factors.prefetchMore));
  return first;
}

SmallVector<Value> weft::emitTileProduct(LaneBuilder &lanes, const TileFactors &factors,
                                         const Lanes &size, ValueRange sums) {
  FactorStep step(lanes, factors);
  auto steps = [&](const Lanes &position, int64_t count, bool half, ValueRange carried) {
    SmallVector<Value> next(carried), elements = step.getElements(position);
    Value row = step.getRow(position);
    SmallVector<Value> lines;
    if (count == factors.unroll)
      lines = getLinesBeside(lanes, factors, position);
    auto fetch = [&](int64_t part, int64_t parts) {
      emitShare(lanes.b, lanes.loc, lines, factors.prefetchLines, part, parts);
    };
    bool isSpread = factors.rows.size() <= kSpreadRows;
    for (int64_t u = 0; u != count; ++u) {
      if (!isSpread && u % kLineSteps == 0)
        fetch(u / kLineSteps, llvm::divideCeil(factors.unroll, kLineSteps));
      step.emit(elements, row, u, half, next);
      if (isSpread)
        fetch(u, factors.unroll);
    }
    return next;
  };
  auto loop = [&](Value lower, const Lanes &upper, int64_t count, ValueRange carried) {
    return lanes.loop(lower, upper.value, count, carried, [&](Value iv, ValueRange inner) {
      return steps(lanes.uniform(iv, {0, INT32_MAX}), count, /*half=*/false, inner);
    });
  };
  int64_t unroll = factors.unroll, depth = factors.getDepth();
  Lanes numSteps = lanes.floorDiv(size, depth);
  bool isWhole = numSteps.divisor != 0 && numSteps.divisor % unroll == 0;
  Lanes rest = isWhole ? lanes.constant(0) : lanes.mod(numSteps, unroll);
  Lanes fullEnd = lanes.sub(numSteps, rest);
  SmallVector<Value> result = loop(lanes.indexConstant(0), fullEnd, unroll, sums);
  if (rest.getConstant() != 0)
    result = loop(fullEnd.value, numSteps, 1, result);
  if (size.divisor % depth == 0)
    return result;
  Value odd = lanes.compare(arith::CmpIPredicate::ne, lanes.mod(size, depth), lanes.constant(0));
  return lanes.ifThen(odd, result, [&] { return steps(numSteps, 1, /*half=*/true, result); });
}

SmallVector<Value> weft::transpose(LaneBuilder &lanes, SmallVector<Value> rows) {
  int64_t width = lanes.width;
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i != width; ++i) {
    low.push_back(i / 2 + (i % 2) * width);
    high.push_back(width / 2 + i / 2 + (i % 2) * width);
  }
  // Interleaving row i with row i + width/2 rotates the bits of (row, column) by one; after
  // log2(width) rounds rows and columns have changed places.
  for (int64_t round = 1; round < width; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i != width / 2; ++i) {
      next.push_back(
          vector::ShuffleOp::create(lanes.b, lanes.loc, rows[i], rows[i + width / 2], low));
      next.push_back(
          vector::ShuffleOp::create(lanes.b, lanes.loc, rows[i], rows[i + width / 2], high));
    }
    rows = std::move(next);
  }
  return rows;
}
