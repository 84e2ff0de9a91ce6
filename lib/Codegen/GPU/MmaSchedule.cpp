//===- MmaSchedule.cpp - which products the matrix units compute, and in which tiles --------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaSchedule.h"

#include "Emitters.h"

#include "weft/Codegen/Common/IndexLoops.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// A product of so few rows or columns would leave most of a tile empty.
static constexpr int64_t kFew = 2, kFewF32 = 8;
/// Of f32, of which a product takes three, so are fewer multiplications than those of a small tile.
static constexpr int64_t kFewOfF32 = 64 * 64 * 64;
/// The processors of the smallest GPU of a data centre that the tiles are for (A100).
static constexpr int64_t kProcessors = 108;
static constexpr int64_t kSmallTile = 64, kLargeTile = 128, kStages = 3;
/// Of a row of a tile along k.
static constexpr int64_t kDepthBytes = 64;
/// Blocks that keep a device busy with few rows; parts of k, and tiles along k that each has.
static constexpr int64_t kWantedBlocks = 216, kMaxSplits = 16, kPartSteps = 4;
/// Results of 4 bytes that fill an access of 16.
static constexpr int64_t kMaxResults = 4;

//===----------------------------------------------------------------------------------------===//
// What can be copied in chunks
//===----------------------------------------------------------------------------------------===//

std::optional<ChunkedProduct> ChunkedProduct::match(ContractOp op) {
  FormulaOpInterface formula = op;
  auto typeOf = [&](unsigned input) { return cast<MemRefType>(op.getInputs()[input].getType()); };
  Type element = typeOf(0).getElementType();
  bool isKnown = element.isBF16() || element.isF16() || element.isF32();
  if (!isKnown || typeOf(1).getElementType() != element || getLayout(typeOf(0)) ||
      getLayout(typeOf(1)))
    return std::nullopt;
  for (unsigned input : {1u, 0u}) {
    std::optional<Product> product = Product::match(op, input);
    std::optional<Product> other = Product::match(op, 1 - input);
    if (!product || !other || product->k != other->k)
      continue;
    RowFactor rows(op, *product), columns(op, *other);
    auto hasChunks = [&](unsigned input, ArrayRef<unsigned> along) {
      return weft::getChunk(formula, input, along) * (element.isF32() ? 4 : 2) == kChunkBytes;
    };
    bool transposed = !hasChunks(product->columns, product->k);
    if (!hasChunks(product->getRows(), product->k) || !columns.isOneRun() ||
        (transposed && !hasChunks(product->columns, product->n)))
      continue;
    bool isStatic =
        llvm::none_of(product->n, [&](unsigned n) { return formula.getIndexAttr(n).getDynamic(); });
    auto bound = [&](ArrayRef<unsigned> positions) {
      return getBoundProduct(op.getIndices(), positions);
    };
    return ChunkedProduct{*product,          rows,
                          columns,           transposed,
                          element,           bound(product->m),
                          bound(product->n), bound(product->k),
                          isStatic};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------------------------===//

void MmaSchedule::check(ScheduleRules &rules, ContractOp op) const {
  auto product = ChunkedProduct::match(op);
  rules.requireWhole(
      product.has_value(),
      "the factors are no matrices of bf16, f16 or f32 that can be copied 16 bytes at once");
  if (!rules.hold())
    return;
  auto isOneOf = [](int64_t value, int64_t small) { return value == small || value == 2 * small; };
  int64_t bytes = product->getBytes(), depth = kDepthBytes / bytes;
  rules.require(tile.size() == 3 && isOneOf(tile[0], kSmallTile) && isOneOf(tile[1], kSmallTile) &&
                    isOneOf(tile[2], depth),
                "tile",
                "rows and columns of 64 or 128 and " + Twine(depth) + " or " + Twine(2 * depth) +
                    " of k");
  rules.require(stages >= 2, "stages", "2 or more");
  if (!rules.hold())
    return;
  int64_t shared = stages * (tile[0] + tile[1]) * tile[2] * bytes;
  rules.require(shared <= kMaxSharedBytes, "stages",
                "so many that they take at most " + Twine(kMaxSharedBytes) + " bytes, not " +
                    Twine(shared));
  bool isCount = products && (products == 1 || products == 3);
  rules.require(product->isWide() ? isCount : !products, "products",
                product->isWide() ? "1 or 3 of tf32 for one of f32" : "none, but for f32");
  int64_t steps = int64_t(llvm::divideCeil(product->sizeK, tile[2]));
  int64_t most = std::min(steps, kMaxSplits);
  rules.require(getSplits() <= most, "splits", "at most " + Twine(most));
  checkResultWidth(rules, *product, width);
}

void weft::checkResultWidth(ScheduleRules &rules, const ChunkedProduct &product, int64_t width) {
  bool divides = product.isStaticN && product.sizeN % width == 0;
  rules.require(width == 1 || ((width == 2 || width == kMaxResults) && divides), "width",
                "1, 2 or 4, a divisor of the columns");
}

int64_t weft::getResultWidth(ContractOp op, const ChunkedProduct &product) {
  SmallVector<unsigned> order = getStoredOrder(op);
  if (order.back() != product.product.n.back())
    return 1;
  IndexAttr last = FormulaOpInterface(op).getIndexAttr(order.back());
  int64_t width = kMaxResults;
  while (width > 1 && (last.getDynamic() || last.getSize() % width != 0))
    width /= 2;
  return width;
}

int64_t weft::getFewRows(Type element) { return element.isF32() ? kFewF32 : kFew; }

/// Parts of k, so that there are enough blocks for few rows.
static std::optional<int64_t> chooseSplits(const ChunkedProduct &product,
                                           const MmaSchedule &schedule, int64_t batch) {
  if (product.sizeM > kSkinnyRows)
    return std::nullopt;
  auto tiles = int64_t(llvm::divideCeil(product.sizeN, schedule.tile[1])) * batch;
  auto steps = int64_t(llvm::divideCeil(product.sizeK, schedule.tile[2]));
  int64_t splits =
      std::min({int64_t(llvm::divideCeil(kWantedBlocks, tiles)), steps / kPartSteps, kMaxSplits});
  return splits > 1 ? std::optional(splits) : std::nullopt;
}

LoweringAttr weft::chooseMma(ContractOp op, bool tf32, int64_t mostRows) {
  auto product = ChunkedProduct::match(op);
  if (!product)
    return {};
  product->sizeM = std::min(product->sizeM, mostRows);
  int64_t few = getFewRows(product->element);
  if (product->sizeM <= few || product->sizeN <= few)
    return {};
  bool isShort = llvm::SaturatingMultiply<uint64_t>(
                     llvm::SaturatingMultiply<uint64_t>(product->sizeM, product->sizeN),
                     product->sizeK) < uint64_t(kFewOfF32);
  if (product->isWide() && isShort)
    return {};
  int64_t batch = getBoundProduct(op.getIndices(), product->product.batch);
  auto isEnough = [&](int64_t rows, int64_t columns) {
    auto tiles = int64_t(llvm::divideCeil(product->sizeM, rows));
    tiles *= int64_t(llvm::divideCeil(product->sizeN, columns));
    return int64_t(llvm::divideCeil(kProcessors, tiles)) <= batch;
  };
  MmaSchedule schedule;
  bool isLarge = product->sizeM > kSmallTile && isEnough(kLargeTile, kLargeTile);
  bool isWide = product->sizeN > kSmallTile && (isLarge || isEnough(kSmallTile, kLargeTile));
  schedule.tile = {isLarge ? kLargeTile : kSmallTile, isWide ? kLargeTile : kSmallTile,
                   kDepthBytes / product->getBytes()};
  if (product->isWide())
    schedule.products = tf32 ? 1 : 3;
  schedule.stages = kStages;
  schedule.width = getResultWidth(op, *product);
  schedule.splits = chooseSplits(*product, schedule, batch);
  return getLowering(op.getContext(), emitters::mma, schedule);
}
