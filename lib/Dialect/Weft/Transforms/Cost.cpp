//===- Cost.cpp - what formulas cost to compute, to keep and to read ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Cost.h"
#include "TensorReads.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace weft;

/// What is made to be looked up has at most so many elements, as what reads it needs none: for a
/// text, and for a batch of them.
constexpr double kMostMade = 1 << 25, kMostMadeOfBatch = 1 << 29;
constexpr double kDivisionCost = 8, kGatherCost = 4, kByteCost = 2;
constexpr int64_t kMostPositions = 512;

double weft::countValues(IndexAttr index) {
  int64_t size = index.getSize();
  return double(std::max<int64_t>(index.getDynamic() ? std::min(size, kMostPositions) : size, 1));
}

double weft::countPoints(FormulaOpInterface op, const llvm::SmallBitVector &used) {
  double points = 1;
  for (unsigned i : used.set_bits())
    points *= countValues(op.getIndexAttr(i));
  return points;
}

double weft::countPoints(FormulaOpInterface op) {
  return countPoints(op, llvm::SmallBitVector(op.getNumIndices(), true));
}

//===----------------------------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------------------------===//

static double getCost(Region &region) {
  double cost = 0;
  for (Block &block : region)
    for (Operation &op : block.without_terminator())
      cost += weft::getCost(op);
  return cost;
}

double weft::getCost(Operation &op) {
  return llvm::TypeSwitch<Operation *, double>(&op)
      .Case<weft::IndexOp, SizeOp, arith::ConstantOp>([](auto) { return 0; })
      .Case<InnerOp>([](InnerOp inner) {
        return countValues(inner.getRange()) * (1 + ::getCost(inner.getBody()));
      })
      .Case<AtOp>([](auto) { return kGatherCost; })
      .Case<arith::DivFOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp, arith::RemSIOp>(
          [](auto) { return kDivisionCost; })
      // What a processor does in one step.
      .Case<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::CopySignOp>(
          [](auto) { return 1; })
      .Default([](Operation *other) {
        return isa_and_nonnull<math::MathDialect>(other->getDialect()) ? kFunctionCost : 1;
      });
}

//===----------------------------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------------------------===//

double weft::getElementCost(FormulaOpInterface op) {
  double cost = 0;
  for (Region &region : op->getRegions())
    cost += ::getCost(region);
  llvm::SmallBitVector reduced(op.getNumIndices());
  reduced.set(op.getNumOutputIndices(), op.getNumIndices());
  double terms = countPoints(op, reduced);
  if (isa<ContractOp>(op)) // a product and a sum for each term, then the epilogue
    return 2 * terms + cost;
  if (isa<SoftmaxOp>(op))
    return cost + kFunctionCost + kDivisionCost;
  return isa<MapOp>(op) ? cost : (1 + cost) * terms;
}

/// How many elements a tensor has.
static double countElements(Type type) {
  double elements = 1;
  auto shaped = cast<ShapedType>(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  for (unsigned dim = 0, rank = shaped.getRank(); dim != rank; ++dim) {
    bool isBounded = tensor && shaped.isDynamicDim(dim) && !getSymbol(tensor, dim).empty();
    int64_t size =
        isBounded ? std::min(getBound(tensor, dim), kMostPositions) : shaped.getDimSize(dim);
    elements *= double(std::max<int64_t>(size, 1));
  }
  return elements;
}

bool weft::isWorthInlining(double cost, double elements, double readerPoints) {
  return readerPoints * cost <= elements * (cost + sizeof(float) * kByteCost);
}

bool weft::isWorthInlining(FormulaOpInterface producer, double readerPoints, bool isLookedUp) {
  double cost = getElementCost(producer),
         elements = countElements(producer->getResult(0).getType());
  auto type = dyn_cast<RankedTensorType>(producer->getResult(0).getType());
  if (!isLookedUp || !isa<ContractOp>(producer) || !type || !mayBeMade(type))
    return isWorthInlining(cost, elements, readerPoints);
  return readerPoints * cost <= elements * (cost / kProductGain + sizeof(float) * kByteCost);
}

/// How many texts a tensor is for: a run-time dimension before all others is a batch if there is
/// another one.
static double countTexts(RankedTensorType type) {
  bool isFirst = type.getRank() && type.isDynamicDim(0);
  for (unsigned dim = 1; isFirst && dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) && getSymbol(type, dim) != getSymbol(type, 0))
      return double(getBound(type, 0));
  return 1;
}

bool weft::mayBeMade(RankedTensorType type) {
  double elements = 1;
  for (unsigned dim = 0; dim != type.getRank(); ++dim)
    elements *= double(std::max<int64_t>(getBound(type, dim), 1));
  return elements <= kMostMadeOfBatch && elements <= kMostMade * countTexts(type);
}

bool weft::isWorthRepeating(FormulaOpInterface op, unsigned times) {
  return times * getElementCost(op) <= getElementCost(op) + (times + 1) * sizeof(float) * kByteCost;
}

bool weft::isNoLargerThanRead(FormulaOpInterface op) {
  double elements = countElements(op->getResult(0).getType());
  return llvm::any_of(getReads(op), [&](const TensorRead &read) {
    return countElements(read.tensor.getType()) >= elements;
  });
}
