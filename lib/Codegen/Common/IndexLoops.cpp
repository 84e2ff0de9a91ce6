//===- IndexLoops.cpp - loops over the indices of a formula ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/IndexLoops.h"

using namespace mlir;
using namespace weft;

IndexLoops::IndexLoops(ArrayAttr indices, ArrayRef<unsigned> positions, const RowTasks &tasks,
                       const llvm::DenseMap<unsigned, int64_t> &steps)
    : iterationsPerTask(tasks.vectors ? tasks.vectors : tasks.rows) {
  for (unsigned position : positions) {
    auto step = steps.find(position);
    loops.push_back(
        {cast<IndexAttr>(indices[position]), position, step == steps.end() ? 1 : step->second});
  }
}

static Lanes product(LaneBuilder &lanes, ArrayRef<Lanes> factors) {
  Lanes total = lanes.constant(1);
  for (const Lanes &factor : factors)
    total = lanes.mul(total, factor);
  return total;
}

SmallVector<Lanes> IndexLoops::getCounts(LaneBuilder &lanes, const Kernel &kernel) const {
  SmallVector<Lanes> counts;
  for (const Loop &loop : loops) {
    Lanes extent = kernel.getExtent(lanes, loop.index);
    counts.push_back(loop.step == 1 ? extent : lanes.ceilDiv(extent, loop.step));
  }
  return counts;
}

Lanes IndexLoops::getNumTasks(LaneBuilder &lanes, const Kernel &kernel) const {
  if (!iterationsPerTask)
    return lanes.constant(1);
  Lanes total = product(lanes, getCounts(lanes, kernel));
  return lanes.ceilDiv(total, *iterationsPerTask);
}

void IndexLoops::emit(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task,
                      SmallVector<Lanes> values,
                      llvm::function_ref<void(ArrayRef<Lanes>)> body) const {
  SmallVector<Lanes> counts = getCounts(lanes, kernel);
  auto enter = [&](const Loop &loop, const Lanes &iv) {
    values[loop.position] = loop.step == 1 ? iv : lanes.mul(iv, lanes.constant(loop.step));
  };
  std::function<void(unsigned)> nest = [&](unsigned depth) {
    if (depth == loops.size())
      return body(values);
    lanes.loop(counts[depth], {}, [&](const Lanes &iv, ValueRange) {
      enter(loops[depth], iv);
      nest(depth + 1);
      return SmallVector<Value>();
    });
  };
  if (!iterationsPerTask)
    return nest(0);
  Lanes total = product(lanes, counts);
  auto visit = [&](Value iv) {
    Interval interval{0, std::max<int64_t>(total.interval.max - 1, 0)};
    SmallVector<Lanes> coordinates = lanes.delinearize(lanes.uniform(iv, interval), counts);
    for (auto [loop, coordinate] : llvm::zip(loops, coordinates))
      enter(loop, coordinate);
    body(values);
  };
  if (*iterationsPerTask == 1)
    return visit(task.value);
  Lanes lower = lanes.mul(task, lanes.constant(*iterationsPerTask));
  Lanes upper = lanes.min(lanes.add(lower, lanes.constant(*iterationsPerTask)), total);
  lanes.loop(lower.value, upper.value, 1, {}, [&](Value iv, ValueRange) {
    visit(iv);
    return SmallVector<Value>();
  });
}

SmallVector<Value>
weft::emitNest(LaneBuilder &lanes, const Kernel &kernel, ArrayAttr indices,
               ArrayRef<unsigned> positions, SmallVector<Lanes> values, ValueRange inits,
               llvm::function_ref<SmallVector<Value>(ArrayRef<Lanes>, ValueRange)> body) {
  if (positions.empty())
    return body(values, inits);
  Lanes extent = kernel.getExtent(lanes, cast<IndexAttr>(indices[positions[0]]));
  return lanes.loop(extent, inits, [&](const Lanes &iv, ValueRange carried) {
    values[positions[0]] = iv;
    return emitNest(lanes, kernel, indices, positions.drop_front(), values, carried, body);
  });
}

static SmallVector<Lanes> getExtents(LaneBuilder &lanes, const Kernel &kernel, ArrayAttr indices,
                                     ArrayRef<unsigned> positions) {
  SmallVector<Lanes> extents;
  for (unsigned position : positions)
    extents.push_back(kernel.getExtent(lanes, cast<IndexAttr>(indices[position])));
  return extents;
}

Lanes weft::getCount(LaneBuilder &lanes, const Kernel &kernel, ArrayAttr indices,
                     ArrayRef<unsigned> positions) {
  return product(lanes, getExtents(lanes, kernel, indices, positions));
}

void weft::setIndices(LaneBuilder &lanes, const Kernel &kernel, ArrayAttr indices,
                      ArrayRef<unsigned> positions, const Lanes &number,
                      MutableArrayRef<Lanes> values) {
  SmallVector<Lanes> extents = getExtents(lanes, kernel, indices, positions);
  for (auto [position, coordinate] : llvm::zip(positions, lanes.delinearize(number, extents)))
    values[position] = coordinate;
}

SmallVector<unsigned> weft::getStoredOrder(FormulaOpInterface op) {
  SmallVector<unsigned> order;
  for (AffineExpr expr : op.getOutputIndexingMap().getResults())
    order.push_back(cast<AffineDimExpr>(expr).getPosition());
  return order;
}
