//===- Access.cpp - elements of a tensor at an affine map of the indices --------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Access.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::reference;

int64_t weft::reference::evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                                  ArrayRef<int64_t> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), dims, symbols);
  int64_t rhs = evaluate(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return rhs > 0 ? llvm::divideFloorSigned(lhs, rhs) : 0;
  case AffineExprKind::CeilDiv:
    return rhs > 0 ? llvm::divideCeilSigned(lhs, rhs) : 0;
  default:
    return rhs > 0 ? llvm::mod(lhs, rhs) : 0;
  }
}

void weft::reference::forEachPoint(ArrayRef<int64_t> extents, unsigned fixed,
                                   MutableArrayRef<int64_t> point,
                                   llvm::function_ref<void()> visit) {
  for (unsigned i = fixed; i < extents.size(); ++i) {
    point[i] = 0;
    if (extents[i] <= 0)
      return;
  }
  while (true) {
    visit();
    unsigned i = extents.size();
    while (i > fixed && ++point[i - 1] == extents[i - 1])
      point[--i] = 0;
    if (i == fixed)
      return;
  }
}

/// Adds `stride * expr`, which is not linear, to the offset.
void Access::addOther(AffineExpr expr, int64_t stride, ArrayRef<int64_t> extents) {
  SmallVector<unsigned> used;
  for (unsigned i = 0; i < extents.size(); ++i)
    if (expr.isFunctionOfDim(i))
      used.push_back(i);
  if (used.size() != 1) {
    others.emplace_back(expr, stride);
    return;
  }
  SmallVector<int64_t> point(extents.size());
  std::vector<int64_t> offsets;
  for (int64_t &value = point[used[0]]; value < extents[used[0]]; ++value)
    offsets.push_back(stride * evaluate(expr, point));
  tables.emplace_back(used[0], std::move(offsets));
}

/// Adds `stride * expr` to the offset.
void Access::add(AffineExpr expr, int64_t stride, ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    base += stride * constant.getValue();
    return;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    linear[dim.getPosition()] += stride;
    return;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add) {
    add(binary.getLHS(), stride, extents);
    add(binary.getRHS(), stride, extents);
    return;
  }
  if (expr.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return add(binary.getLHS(), stride * factor.getValue(), extents);
  addOther(expr, stride, extents);
}

std::optional<int64_t> Access::stride(unsigned i) const {
  for (const auto &table : tables)
    if (table.first == i)
      return std::nullopt;
  for (const auto &[expr, stride] : others)
    if (expr.isFunctionOfDim(i))
      return std::nullopt;
  return linear[i];
}

bool Access::uses(unsigned i) const {
  return linear[i] != 0 ||
         llvm::any_of(tables, [&](const auto &table) { return table.first == i; }) ||
         llvm::any_of(others, [&](const auto &term) { return term.first.isFunctionOfDim(i); });
}

/// The coordinates of a dimension are looked at for every value of the indices it depends on.
static llvm::Error checkRange(AffineExpr expr, ArrayRef<int64_t> extents, unsigned dim,
                              int64_t size) {
  auto isWhole = [&](AffineDimExpr index) { return extents[index.getPosition()] <= size; };
  if (auto index = dyn_cast<AffineDimExpr>(expr); index && isWhole(index))
    return llvm::Error::success();
  SmallVector<int64_t> box(extents), point(extents.size());
  for (unsigned i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0)
      return llvm::Error::success();
    if (!expr.isFunctionOfDim(i))
      box[i] = 1;
  }
  std::optional<int64_t> bad;
  forEachPoint(box, 0, point, [&] {
    int64_t value = evaluate(expr, point);
    if (value < 0 || value >= size)
      bad = value;
  });
  if (!bad)
    return llvm::Error::success();
  return llvm::createStringError("coordinate " + Twine(dim) + " takes the value " + Twine(*bad) +
                                 " in a dimension of size " + Twine(size));
}

llvm::Expected<Access> Access::create(const Tensor &tensor, AffineMap map,
                                      ArrayRef<int64_t> extents) {
  if (map.getNumResults() != tensor.shape().size() || map.getNumDims() != extents.size() ||
      map.getNumSymbols() != 0)
    return llvm::createStringError("an indexing map does not fit its tensor");
  Access access;
  access.linear.resize(extents.size());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (llvm::Error error = checkRange(expr, extents, dim, tensor.shape()[dim]))
      return std::move(error);
    access.add(expr, tensor.strides()[dim], extents);
  }
  return access;
}
