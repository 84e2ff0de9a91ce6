//===- Layout.cpp - #weft.layout: where elements lie -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Support/TensorSize.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// On types
//===----------------------------------------------------------------------------------------===//

BoundsAttr weft::getBounds(RankedTensorType type) {
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()))
    return layout.getBounds();
  return dyn_cast_or_null<BoundsAttr>(type.getEncoding());
}

LayoutAttr weft::getLayout(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return dyn_cast_or_null<LayoutAttr>(tensor.getEncoding());
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer ? dyn_cast<LayoutAttr>(buffer.getLayout()) : LayoutAttr();
}

RankedTensorType weft::withLayout(RankedTensorType type, LayoutAttr layout) {
  Attribute encoding = getBounds(type);
  if (layout)
    encoding = layout.withBounds(getBounds(type));
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

LayoutAttr LayoutAttr::withBounds(BoundsAttr bounds) const {
  return get(getContext(), getBatch(), getN(), getK(), getTile(), getNibbles(), getParts(),
             getCodes(), getGroup(), getNarrow(), bounds);
}

LayoutAttr LayoutAttr::withCodes(CodeTable table, int64_t group) const {
  return get(getContext(), getBatch(), getN(), getK(), {getNr(), 1}, /*nibbles=*/0, /*parts=*/1,
             infoOf(table).name, group, /*narrow=*/false, getBounds());
}

LayoutAttr LayoutAttr::asNarrow() const {
  return get(getContext(), getBatch(), getN(), getK(), getTile(), getNibbles(), getParts(),
             getCodes(), getGroup(), /*narrow=*/true, getBounds());
}

CodeTable LayoutAttr::getTable() const {
  return findCodeTable(getCodes()).value_or(CodeTable::None);
}

//===----------------------------------------------------------------------------------------===//
// Where (batch, k, n) lies
//===----------------------------------------------------------------------------------------===//

/// The position of `coordinates` (or, without any, the number of positions) in the row-major box
/// of some dimensions, whose sizes are symbols.
static AffineExpr linearize(ArrayRef<int64_t> dims, bool coordinates, MLIRContext *context) {
  AffineExpr position = getAffineConstantExpr(coordinates ? 0 : 1, context);
  for (int64_t dim : dims) {
    position = position * getAffineSymbolExpr(dim, context);
    if (coordinates)
      position = position + getAffineDimExpr(dim, context);
  }
  return position;
}

AffineMap LayoutAttr::getStoredShapeMap() const {
  MLIRContext *context = getContext();
  SmallVector<AffineExpr> sizes;
  for (int64_t dim : getBatch())
    sizes.push_back(getAffineSymbolExpr(dim, context));
  // Rounded up by hand: the code generator divides downwards only.
  auto groups = [&](ArrayRef<int64_t> dims, int64_t size) {
    return (linearize(dims, /*coordinates=*/false, context) + (size - 1)).floorDiv(size);
  };
  sizes.push_back(groups(getN(), getNr()));
  sizes.push_back(groups(getK(), getKr()));
  if (isSplit())
    sizes.push_back(getAffineConstantExpr(getParts(), context));
  sizes.push_back(getAffineConstantExpr(getNr(), context));
  sizes.push_back(getAffineConstantExpr(getKr(), context));
  return AffineMap::get(0, getRank(), sizes, context);
}

/// `(d0, ...)[s0, ...] -> (stored coordinates)` of element d0, ... of a tensor of the shape s0, ...
AffineMap LayoutAttr::getAffineMap() const {
  MLIRContext *context = getContext();
  SmallVector<AffineExpr> place;
  for (int64_t dim : getBatch())
    place.push_back(getAffineDimExpr(dim, context));
  AffineExpr n = linearize(getN(), /*coordinates=*/true, context);
  AffineExpr k = linearize(getK(), /*coordinates=*/true, context);
  AffineExpr zero = getAffineConstantExpr(0, context);
  if (isSplit()) // the first of the parts
    place.append({n.floorDiv(getNr()), k.floorDiv(getKr()), zero, n % getNr(), k % getKr()});
  else if (getNr() == 1) // rows of one column follow one another, whatever the tile's height
    place.append({n, zero, zero, k});
  else
    place.append({n.floorDiv(getNr()), k.floorDiv(getKr()), n % getNr(), k % getKr()});
  return AffineMap::get(getRank(), getRank(), place, context);
}

/// The elements of some dimensions of a shape whose elements are not too many.
static int64_t countOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sizes = llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
  return elementCount(sizes).value_or(0); // a part of a count that is none is 0, too
}

std::optional<int64_t> LayoutAttr::getStoredBytes(ArrayRef<int64_t> shape, unsigned bits) const {
  std::optional<SmallVector<int64_t>> stored = getStoredShape(shape);
  bool hasTable = getTable() != CodeTable::None;
  if (!stored || (getNibbles() == 0 && !hasTable))
    return stored ? tensorBytes(bits, *stored) : std::nullopt;
  int64_t rows = countOf(shape, getK());
  return tensorBytes(
      /*elementBits=*/8,
      {countOf(shape, getBatch()), llvm::divideCeilSigned(countOf(shape, getN()), getNr()),
       hasTable ? getScaledPanel(rows).getBytes() : getNibblePanel(rows).getBytes()});
}

std::optional<SmallVector<int64_t>> LayoutAttr::getStoredShape(ArrayRef<int64_t> shape) const {
  if (!elementCount(shape))
    return std::nullopt;
  SmallVector<int64_t> stored;
  for (int64_t dim : getBatch())
    stored.push_back(shape[dim]);
  stored.append({llvm::divideCeilSigned(countOf(shape, getN()), getNr()),
                 llvm::divideCeilSigned(countOf(shape, getK()), getKr())});
  if (isSplit())
    stored.push_back(getParts());
  stored.append({getNr(), getKr()});
  if (!elementCount(stored))
    return std::nullopt;
  return stored;
}

//===----------------------------------------------------------------------------------------===//
// What is a layout
//===----------------------------------------------------------------------------------------===//

bool LayoutAttr::isIdentity() const { return false; }

LogicalResult LayoutAttr::verifyLayout(ArrayRef<int64_t> shape,
                                       llvm::function_ref<InFlightDiagnostic()> emitError) const {
  llvm::SmallBitVector seen(shape.size());
  bool isPartition = getRank() == shape.size() && !getN().empty() && !getK().empty();
  for (ArrayRef<int64_t> dims : {getBatch(), getN(), getK()})
    for (int64_t dim : dims) {
      isPartition &= dim >= 0 && dim < int64_t(shape.size()) && !seen.test(dim);
      if (isPartition)
        seen.set(dim);
    }
  if (!isPartition)
    return emitError() << *this << " does not divide the " << shape.size()
                       << " dimensions into matrices, columns and rows";
  if (getTile().size() != 2 || getNr() < 1 || getKr() < 1)
    return emitError() << "the tile of " << *this << " is not [columns, rows], both at least 1";
  int64_t rows = countOf(shape, getK());
  bool isGroup = getNibbles() > 0 && getKr() == 4 && rows > 0 && rows % getNibbles() == 0 &&
                 (getNibbles() % 8 == 0 || getNibbles() == rows);
  if (getNibbles() != 0 && !isGroup)
    return emitError() << "the nibbles of " << *this
                       << " are no groups of 8, 16, ... rows or all, in tiles of [columns, 4]";
  if (!getCodes().empty() || getGroup() != 0) {
    bool isWhole = getTable() != CodeTable::None && getGroup() > 0 && rows > 0 &&
                   getScaledPanel(rows).isWhole();
    if (!isWhole || getKr() != 1 || getNibbles() != 0 || isSplit())
      return emitError() << "the codes of " << *this
                         << " are none of a table, in groups that divide the rows, in tiles of "
                            "[columns, 1]";
  }
  if (getNarrow() && (getKr() != 4 || getNibbles() != 0 || !getCodes().empty()))
    return emitError() << *this << " is narrow, expected bytes in tiles of [columns, 4]";
  if (getParts() < 1 || getParts() > 3)
    return emitError() << *this << " has " << getParts() << " parts, expected 1 to 3";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                         llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (getBounds() && failed(getBounds().verifyEncoding(shape, elementType, emitError)))
    return failure();
  if (!getBounds() && ShapedType::isDynamicShape(shape))
    return emitError() << *this << " has no symbols for the dynamic dimensions";
  if (getNibbles() != 0 && !elementType.isSignlessInteger(8))
    return emitError() << *this << " has nibbles for elements of type " << elementType
                       << ", expected 'i8'";
  if (getNarrow() && !elementType.isSignlessInteger(8))
    return emitError() << *this << " is narrow for elements of type " << elementType
                       << ", expected 'i8'";
  if (getTable() != CodeTable::None && !elementType.isF32())
    return emitError() << *this << " has codes of elements of type " << elementType
                       << ", expected 'f32'";
  if (isSplit() && !elementType.isF32())
    return emitError() << *this << " has parts of elements of type " << elementType
                       << ", expected 'f32'";
  return verifyLayout(shape, emitError);
}
