//===- IndexLoops.cpp - loops over the indices of a formula ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Emitters.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// Elements that one task should touch: enough to hide the cost of handing it to a thread.
static constexpr int64_t kElementsPerTask = 16384;

IndexLoops::IndexLoops(ArrayAttr allIndices, ArrayRef<unsigned> positions, int64_t work,
                       bool parallel)
    : positions(positions), parallel(parallel) {
  for (unsigned position : positions)
    indices.push_back(cast<IndexAttr>(allIndices[position]));
  iterationsPerTask = std::max<int64_t>(1, kElementsPerTask / std::max<int64_t>(1, work));
}

SmallVector<Lanes> IndexLoops::getExtents(LaneBuilder &lanes, const Kernel &kernel) const {
  SmallVector<Lanes> extents;
  for (IndexAttr index : indices)
    extents.push_back(kernel.getExtent(lanes, index));
  return extents;
}

static Lanes product(LaneBuilder &lanes, ArrayRef<Lanes> extents) {
  Lanes total = lanes.constant(1);
  for (const Lanes &extent : extents)
    total = lanes.mul(total, extent);
  return total;
}

Lanes IndexLoops::getNumTasks(LaneBuilder &lanes, const Kernel &kernel) const {
  if (!parallel)
    return lanes.constant(1);
  Lanes total = product(lanes, getExtents(lanes, kernel));
  return lanes.floorDiv(lanes.add(total, lanes.constant(iterationsPerTask - 1)), iterationsPerTask);
}

void IndexLoops::emit(LaneBuilder &lanes, const Kernel &kernel, const Lanes &task,
                      SmallVector<Lanes> values,
                      llvm::function_ref<void(ArrayRef<Lanes>)> body) const {
  SmallVector<Lanes> extents = getExtents(lanes, kernel);
  std::function<void(unsigned)> nest = [&](unsigned depth) {
    if (depth == extents.size())
      return body(values);
    lanes.loop(extents[depth], {}, [&](const Lanes &iv, ValueRange) {
      values[positions[depth]] = iv;
      nest(depth + 1);
      return SmallVector<Value>();
    });
  };
  if (!parallel)
    return nest(0);
  Lanes total = product(lanes, extents);
  Lanes lower = lanes.mul(task, lanes.constant(iterationsPerTask));
  Lanes upper = lanes.min(lanes.add(lower, lanes.constant(iterationsPerTask)), total);
  lanes.loop(lower.value, upper.value, 1, {}, [&](Value iv, ValueRange) {
    Interval interval{0, std::max<int64_t>(total.interval.max - 1, 0)};
    SmallVector<Lanes> coordinates = lanes.delinearize(lanes.uniform(iv, interval), extents);
    for (auto [position, coordinate] : llvm::zip(positions, coordinates))
      values[position] = coordinate;
    body(values);
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

SmallVector<unsigned> weft::getStoredOrder(FormulaOpInterface op) {
  SmallVector<unsigned> order;
  for (AffineExpr expr : op.getOutputIndexingMap().getResults())
    order.push_back(cast<AffineDimExpr>(expr).getPosition());
  return order;
}

int64_t weft::getUsefulWidth(int64_t width, IndexAttr index) {
  return std::min<int64_t>(width, llvm::PowerOf2Ceil(std::max<int64_t>(index.getSize(), 1)));
}

int64_t weft::getVectorCost(OperandRange inputs, ArrayAttr maps, unsigned position, int64_t width) {
  int64_t cost = 0;
  for (auto [input, attr] : llvm::zip(inputs, maps.getAsRange<AffineMapAttr>())) {
    AffineMap map = attr.getValue();
    bool contiguous = true;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      bool isLast = i + 1 == map.getNumResults();
      // The panel coordinate `n floordiv nr` hardly ever changes within a vector.
      bool isPanel = expr.getKind() == AffineExprKind::FloorDiv;
      if (expr.isFunctionOfDim(position) && !isLast && !isPanel)
        contiguous = false;
      if (!isLast || !expr.isFunctionOfDim(position))
        continue;
      AffineExpr inner = expr;
      if (expr.getKind() == AffineExprKind::Mod)
        inner = cast<AffineBinaryOpExpr>(expr).getLHS();
      AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
      AffineExpr difference =
          inner - inner.replace(getAffineDimExpr(position, expr.getContext()), zero);
      difference = simplifyAffineExpr(difference, map.getNumDims(), 0);
      contiguous &= difference == getAffineDimExpr(position, expr.getContext());
    }
    cost += contiguous ? 1 : width;
  }
  return cost;
}

/// Whether a value of a formula's region changes along the index.
static bool changesAlong(Value value, Operation *formula, unsigned position) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  auto maps = formula->getAttrOfType<ArrayAttr>("maps").getAsValueRange<AffineMapAttr>();
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(current)) {
      // The arguments of a formula's regions are elements of its inputs.
      unsigned number = argument.getArgNumber();
      bool input = argument.getOwner()->getParentOp() == formula;
      if (!input || (*std::next(maps.begin(), number)).isFunctionOfDim(position))
        return true;
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (auto index = dyn_cast<weft::IndexOp>(op); index && index.getPosition() == position)
      return true;
    if (op->getNumRegions())
      return true;
    if (formula->isAncestor(op))
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

int64_t weft::getGatherCost(Operation *formula, unsigned position, int64_t width) {
  int64_t cost = 0;
  formula->walk([&](AtOp at) {
    bool contiguous = true;
    for (auto [i, coordinate] : llvm::enumerate(at.getCoordinates())) {
      auto index = coordinate.getDefiningOp<weft::IndexOp>();
      bool isLast = i + 1 == at.getCoordinates().size();
      if (!isLast || !index || index.getPosition() != position)
        contiguous &= !changesAlong(coordinate, formula, position);
    }
    cost += contiguous ? 1 : width;
  });
  return cost;
}

int64_t weft::getBoundProduct(ArrayAttr indices, ArrayRef<unsigned> positions) {
  int64_t product = 1;
  for (unsigned position : positions)
    product = (Interval{product, product} * Interval{cast<IndexAttr>(indices[position]).getSize(),
                                                     cast<IndexAttr>(indices[position]).getSize()})
                  .max;
  return product;
}

void weft::storeOutput(LaneBuilder &lanes, const Kernel &kernel, FormulaOpInterface op,
                       ArrayRef<Lanes> indices, Lanes value, Value mask) {
  const Buffer &output = kernel.getBuffer(op.getOutput());
  SmallVector<Lanes> coordinates;
  for (AffineExpr expr : op.getOutputIndexingMap().getResults())
    coordinates.push_back(lanes.apply(expr, indices));
  Lanes offset = getOffset(lanes, output, coordinates);
  // Values of type index are stored as the output's integers.
  if (!offset.isUniform())
    value.value = lanes.materialize(value);
  Type type = value.value.getType(), element = getElementTypeOrSelf(type);
  if (element.isIndex())
    value.value = arith::IndexCastOp::create(lanes.b, lanes.loc, output.elementType, value.value);
  else if (element.isInteger(64) && output.elementType.isInteger(32))
    value.value = arith::TruncIOp::create(lanes.b, lanes.loc,
                                          isa<VectorType>(type) ? lanes.vectorOf(output.elementType)
                                                                : output.elementType,
                                          value.value);
  value.stride = 0;
  storeElements(lanes, output, offset, value, mask);
}

Value weft::reduceLanes(LaneBuilder &lanes, ReduceKind kind, Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  using Kind = vector::CombiningKind;
  Kind combining = kind == ReduceKind::Prod  ? Kind::MUL
                   : kind == ReduceKind::Max ? (isFloat ? Kind::MAXNUMF : Kind::MAXSI)
                   : kind == ReduceKind::Min ? (isFloat ? Kind::MINNUMF : Kind::MINSI)
                                             : Kind::ADD;
  // Without these flags a reduction is a chain of scalar instructions.
  auto flags = kind == ReduceKind::Max || kind == ReduceKind::Min
                   ? arith::FastMathFlags::nnan | arith::FastMathFlags::nsz
                   : arith::FastMathFlags::reassoc;
  return vector::ReductionOp::create(lanes.b, lanes.loc, combining, value,
                                     isFloat ? flags : arith::FastMathFlags::none);
}
