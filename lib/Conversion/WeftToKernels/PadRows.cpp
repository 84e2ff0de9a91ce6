//===- PadRows.cpp - rows that a matrix unit loads fast -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A tile of a unit is 64 bytes of each of 16 rows. Where these are an even number of lines apart
// they share few sets of the first cache, and a tile is loaded slowly; an odd number spreads them
// over all. Of fewer rows than a tile has the unit would need another shape, and to set one takes
// as long as a dozen steps: so there is memory for whole tiles of rows.
//
//===----------------------------------------------------------------------------------------===//

#include "PadRows.h"

#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace weft;

/// Bytes of a line of a cache.
static constexpr int64_t kLine = 64;

/// Whether the product reads the tensor as rows, one for each place in the first dimension, and
/// sums over all other dimensions.
static bool readsWholeRows(ContractOp op, const Product &product) {
  AffineMap map = FormulaOpInterface(op).getInputMap(product.getRows());
  auto isSummed = [&](unsigned position) { return llvm::is_contained(product.k, position); };
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto index = dyn_cast<AffineDimExpr>(expr);
    if (!index || isSummed(index.getPosition()) == (dim == 0))
      return false;
  }
  return true;
}

/// Whether a formula that reads the tensor wants padded rows; nothing if it must not have them.
static std::optional<bool> wantsPadding(OpOperand &use) {
  auto op = dyn_cast<ContractOp>(use.getOwner());
  if (!op)
    return isa<FormulaOpInterface>(use.getOwner()) ? std::optional(false) : std::nullopt;
  std::optional<Product> product = Product::matchPacked(op);
  if (!product || use.getOperandNumber() != product->getRows())
    return false;
  if (!readsWholeRows(op, *product))
    return std::nullopt;
  return getLayout(op.getInputs()[product->columns].getType()).getKr() > 1;
}

MemRefType weft::getPaddedType(OpResult tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  if (type.getRank() < 2 || getLayout(type) || !(element.isBF16() || element.isInteger(8)))
    return {};
  ArrayRef<int64_t> row = type.getShape().drop_front();
  int64_t bytes = getStorageBits(element) / 8;
  if (llvm::any_of(row, ShapedType::isDynamic) || computeProduct(row) * bytes % (2 * kLine) != 0)
    return {};
  bool isWanted = false;
  for (OpOperand &use : tensor.getUses()) {
    std::optional<bool> wants = wantsPadding(use);
    if (!wants)
      return {};
    isWanted |= *wants;
  }
  if (!isWanted)
    return {};
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  strides[0] = computeProduct(row) + kLine / bytes;
  auto layout = StridedLayoutAttr::get(type.getContext(), /*offset=*/0, strides);
  return MemRefType::get(type.getShape(), element, layout);
}

/// The bytes of a row of `type` that a unit multiplies; nothing if the formula reads it otherwise.
static std::optional<int64_t> getUnitRow(OpOperand &use, RankedTensorType type) {
  auto op = dyn_cast<ContractOp>(use.getOwner());
  std::optional<Product> product = op ? Product::matchPacked(op) : std::nullopt;
  if (!product || use.getOperandNumber() != product->getRows() || !product->batch.empty() ||
      getLayout(op.getInputs()[product->columns].getType()).getKr() <= 1)
    return std::nullopt;
  return getBoundProduct(op.getIndices(), product->k) * getStorageBits(type.getElementType()) / 8;
}

int64_t weft::getBytesOfTiles(OpResult tensor, MemRefType padded) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (padded) {
    auto layout = cast<StridedLayoutAttr>(padded.getLayout());
    int64_t row = layout.getStrides()[0] * getStorageBits(type.getElementType()) / 8;
    return int64_t(llvm::alignTo(getBound(type, 0), kUnitRows)) * row;
  }
  int64_t bytes = *getLargestBytes(type), most = bytes;
  for (OpOperand &use : tensor.getUses())
    if (std::optional<int64_t> row = getUnitRow(use, type))
      most = std::max<int64_t>(most, llvm::alignTo(bytes, kUnitRows * *row));
  return most;
}
