//===- CodeFunction.cpp - scalars that follow from one small integer ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Storage/CodeFunction.h"

#include "weft/Dialect/Weft/IR/ElementTypes.h"
#include "weft/Reference/Interpreter.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

/// No function of more operations is evaluated.
static constexpr size_t kMostOps = 256;

//===----------------------------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------------------------===//

/// Of an element of an input: only short types say something.
static Interval getElementInterval(MapOp op, BlockArgument argument) {
  Type element = getElementTypeOrSelf(op.getInputs()[argument.getArgNumber()]);
  auto type = dyn_cast<IntegerType>(element);
  if (!type || type.getWidth() > 16)
    return {};
  int64_t count = int64_t(1) << type.getWidth();
  if (type.isUnsigned() || type.getWidth() == 1)
    return {0, count - 1};
  return {-count / 2, count / 2 - 1};
}

static Interval shiftRight(Interval a, Interval by) {
  if (!a.isNonNegative() || !by.isNonNegative())
    return {};
  return {by.max > 62 ? 0 : a.min >> by.max, by.min > 62 ? 0 : a.max >> by.min};
}

static Interval getOpInterval(MapOp map, Operation *op) {
  auto of = [&](unsigned i) { return getInterval(map, op->getOperand(i)); };
  if (isa<arith::AddIOp>(op))
    return of(0) + of(1);
  if (isa<arith::SubIOp>(op))
    return of(0) - of(1);
  if (isa<arith::MulIOp>(op))
    return of(0) * of(1);
  if (isa<arith::AndIOp>(op)) {
    Interval a = of(0), b = of(1);
    if (!a.isNonNegative() && !b.isNonNegative())
      return {};
    return {0, std::min(a.isNonNegative() ? a.max : b.max, b.isNonNegative() ? b.max : a.max)};
  }
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return shiftRight(of(0), of(1));
  if (isa<arith::FloorDivSIOp>(op))
    return floorDivide(of(0), of(1));
  if (isa<arith::RemSIOp>(op) && of(0).isNonNegative())
    return floorModulo(of(0), of(1));
  if (isa<arith::SelectOp>(op))
    return of(1).unionWith(of(2));
  if (isa<arith::IndexCastOp>(op))
    return of(0);
  return {};
}

Interval weft::getInterval(MapOp op, Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {constant.getSExtValue(), constant.getSExtValue()};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getElementInterval(op, argument);
  if (auto index = value.getDefiningOp<weft::IndexOp>())
    return {0, op.getIndexAttr(index.getPosition()).getSize() - 1};
  // What may leave 32 bits may have wrapped.
  Interval found = getOpInterval(op, value.getDefiningOp());
  return found.fitsInt32() ? found : Interval();
}

//===----------------------------------------------------------------------------------------===//
// Cones
//===----------------------------------------------------------------------------------------===//

/// An element, an index, or what else is read.
static bool isLeaf(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || isa<weft::IndexOp, AtOp, SizeOp>(op) || op->getNumRegions() != 0;
}

/// Adds the values that `value` follows from, behind those that they follow from, but none that
/// `stop` follows from.
static void collect(Value value, Value stop, llvm::SetVector<Value> &cone) {
  if (cone.contains(value))
    return;
  if (value != stop && !isLeaf(value))
    for (Value operand : value.getDefiningOp()->getOperands())
      collect(operand, stop, cone);
  cone.insert(value);
}

static llvm::SetVector<Value> getCone(Value value, Value stop = {}) {
  llvm::SetVector<Value> cone;
  collect(value, stop, cone);
  return cone;
}

bool weft::followsFrom(Value value, Value leaf) {
  return llvm::none_of(getCone(value, leaf), [&](Value one) { return one != leaf && isLeaf(one); });
}

/// A formula of the last value of the cone, with the value of its index in the place of `leaf`.
static MapOp buildTable(OpBuilder &builder, ArrayRef<Value> cone, Value leaf, int64_t first,
                        int64_t count) {
  MLIRContext *context = builder.getContext();
  Location loc = leaf.getLoc();
  Value value = cone.back();
  Type element = value.getType().isIndex() ? builder.getI32Type() : value.getType();
  auto index = IndexAttr::get(context, "code", "", count, /*dynamic=*/false);
  auto table =
      MapOp::create(builder, loc, RankedTensorType::get({count}, element), ValueRange(), Value(),
                    builder.getArrayAttr(index), builder.getAffineMapArrayAttr({}), ArrayAttr());
  OpBuilder body = OpBuilder::atBlockEnd(&table.getBody().emplaceBlock());
  Value code = weft::IndexOp::create(body, loc, 0);
  code = arith::AddIOp::create(body, loc, code, arith::ConstantIndexOp::create(body, loc, first));
  if (!leaf.getType().isIndex())
    code = arith::IndexCastOp::create(body, loc, leaf.getType(), code);
  IRMapping mapping;
  mapping.map(leaf, code);
  for (Value one : cone)
    if (one != leaf && !mapping.contains(one))
      body.clone(*one.getDefiningOp(), mapping);
  Value result = mapping.lookup(value);
  if (result.getType().isIndex())
    result = arith::IndexCastOp::create(body, loc, element, result);
  YieldOp::create(body, loc, result);
  return table;
}

SmallVector<double> weft::evaluate(Value value, Value leaf, int64_t first, int64_t count) {
  llvm::SetVector<Value> cone = getCone(value, leaf);
  OpBuilder builder(value.getContext());
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(builder, value.getLoc());
  builder.setInsertionPointToStart(scratch->getBody());
  MapOp table = buildTable(builder, cone.getArrayRef(), leaf, first, count);
  auto tensors = interpretOp(table, DenseMap<Value, TensorRef>());
  if (!tensors) {
    llvm::consumeError(tensors.takeError());
    return {};
  }
  const Tensor &tensor = *tensors->front();
  if (tensor.isReal())
    return SmallVector<double>(tensor.reals.begin(), tensor.reals.end());
  return llvm::map_to_vector(tensor.integers, [](int64_t one) { return double(one); });
}

std::optional<CodeFunction> weft::findCodeFunction(MapOp op, Value value, int64_t mostValues) {
  llvm::SetVector<Value> cone = getCone(value);
  if (cone.size() > kMostOps || llvm::none_of(cone, isLeaf))
    return std::nullopt;
  CodeFunction best;
  Interval range;
  // Values nearer to the leaves come first: of equals the nearest to `value` is taken.
  for (Value one : cone) {
    if (!isa<IntegerType, mlir::IndexType>(one.getType()) || one.getType().isInteger(1))
      continue;
    Interval own = getInterval(op, one);
    if (!own.fitsInt32() || own.max - own.min >= mostValues || own.max == own.min ||
        !followsFrom(value, one))
      continue;
    mostValues = own.max - own.min + 1;
    best.code = one;
    range = own;
  }
  if (!best.code)
    return std::nullopt;
  best.first = range.min;
  best.values = evaluate(value, best.code, range.min, mostValues);
  if (best.values.empty())
    return std::nullopt;
  return best;
}
