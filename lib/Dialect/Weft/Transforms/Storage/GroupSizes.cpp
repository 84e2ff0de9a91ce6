//===- GroupSizes.cpp - over how many neighbours a scalar is the same -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What follows from the index alone is evaluated for all of its values; what follows from several
// things changes where one of them does.
//
//===----------------------------------------------------------------------------------------===//

#include "Storage/GroupSizes.h"

#include "Storage/CodeFunction.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace weft;

/// No index of a larger range is looked at.
static constexpr int64_t kMostValues = int64_t(1) << 18;

/// What divides the places at which the sequence changes.
template <typename T> int64_t GroupSizes::ofSequence(ArrayRef<T> values) const {
  int64_t group = size;
  for (int64_t i = 1; i < int64_t(values.size()); ++i)
    if (values[size_t(i)] != values[size_t(i - 1)])
      group = std::gcd(group, i);
  return group;
}

/// The value of an expression of one dimension.
static int64_t evaluateExpr(AffineExpr expr, int64_t value) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return value;
  int64_t lhs = evaluateExpr(binary.getLHS(), value), rhs = evaluateExpr(binary.getRHS(), value);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return llvm::mod(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  default:
    return llvm::divideCeilSigned(lhs, rhs);
  }
}

int64_t GroupSizes::ofExpr(AffineExpr expr) {
  if (!expr.isFunctionOfDim(index))
    return size;
  bool isAlone = true;
  for (unsigned dim = 0; dim != op.getIndices().size(); ++dim)
    isAlone &= dim == index || !expr.isFunctionOfDim(dim);
  if (!isAlone) {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    return std::gcd(ofExpr(binary.getLHS()), ofExpr(binary.getRHS()));
  }
  std::vector<int64_t> values(static_cast<size_t>(size));
  for (int64_t i = 0; i != size; ++i)
    values[size_t(i)] = evaluateExpr(expr, i);
  return ofSequence(ArrayRef(values));
}

int64_t GroupSizes::find(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    int64_t group = size;
    auto map = cast<AffineMapAttr>(op.getMaps()[argument.getArgNumber()]).getValue();
    for (AffineExpr expr : map.getResults())
      group = std::gcd(group, ofExpr(expr));
    return group;
  }
  Operation *own = value.getDefiningOp();
  if (auto read = dyn_cast<weft::IndexOp>(own))
    return read.getPosition() == index ? 1 : size;
  if (own->getNumRegions() != 0)
    return 1;
  int64_t group = size;
  for (Value operand : own->getOperands())
    if (operand.getParentBlock() == own->getBlock())
      group = std::gcd(group, of(operand));
  if (group == size || !isa<IntegerType, mlir::IndexType>(value.getType()))
    return group;
  // Fewer changes than those of the operands, as of i // 32.
  for (Operation &other : *own->getBlock())
    if (auto read = dyn_cast<weft::IndexOp>(other);
        read && read.getPosition() == index && followsFrom(value, read)) {
      SmallVector<double> values = evaluate(value, read, 0, size);
      return values.empty() ? group : ofSequence(ArrayRef<double>(values));
    }
  return group;
}

int64_t GroupSizes::of(Value value) {
  if (size > kMostValues)
    return 1;
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  int64_t group = find(value);
  known[value] = group;
  return group;
}
