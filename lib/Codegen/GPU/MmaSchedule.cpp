//===- MmaSchedule.cpp - which products the matrix units compute, and in which tiles --------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MmaSchedule.h"

#include "Emitters.h"
#include "MmaTask.h"

#include "weft/Codegen/Common/IndexLoops.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

/// A product of so few rows or columns would leave most of a tile empty.
static constexpr int64_t kFew = 2, kFewF32 = 8;
static constexpr int64_t kLowTile = 16, kSmallTile = 64, kLargeTile = 128, kStages = 3;
/// Bytes of the ring of tiles of fewer rows.
static constexpr int64_t kLowRing = 40 << 10;
/// Of a row of a tile along k.
static constexpr int64_t kDepthBytes = 64;
/// The fewest bytes that are copied at once.
static constexpr int64_t kLeastCopy = 4;
/// Blocks that keep a device busy with few rows; parts of k, and tiles along k that each has.
static constexpr int64_t kWantedBlocks = 216, kMaxSplits = 16, kPartSteps = 4;
/// Results of 4 bytes that fill an access of 16.
static constexpr int64_t kMaxResults = 4;

//===----------------------------------------------------------------------------------------===//
// What can be copied in chunks
//===----------------------------------------------------------------------------------------===//

static MemRefType getFactorType(ContractOp op, unsigned input) {
  return cast<MemRefType>(op.getInputs()[input].getType());
}

/// What is multiplied if this input is B; null if units do not multiply such factors.
static Type getElement(ContractOp op, unsigned input) {
  Type rows = getFactorType(op, 1 - input).getElementType();
  Type columns = getFactorType(op, input).getElementType();
  bool isReal = columns.isBF16() || columns.isF16() || columns.isF32();
  bool isWhole = columns.isSignlessInteger(8) && canMultiply(rows, columns);
  return isWhole || (isReal && rows == columns) ? columns : Type();
}

/// Where B is in panels of one column, k and the columns are in the order of these.
static std::optional<Product> matchFactors(ContractOp op, unsigned input) {
  LayoutAttr layout = getLayout(getFactorType(op, input));
  if (getLayout(getFactorType(op, 1 - input)) || !getElement(op, input))
    return std::nullopt;
  if (!layout)
    return Product::matchAny(op, input);
  std::optional<Product> packed = Product::matchPacked(op);
  if (!packed || packed->columns != input || layout.getNr() != 1)
    return std::nullopt;
  AffineMap map = FormulaOpInterface(op).getInputMap(input);
  for (ArrayRef<unsigned> positions : {packed->batch, packed->n, packed->k})
    if (!llvm::all_of(positions, [&](unsigned i) { return map.isFunctionOfDim(i); }))
      return std::nullopt;
  return packed;
}

/// But for indices of one value.
static bool haveSameOrder(FormulaOpInterface op, ArrayRef<unsigned> one, ArrayRef<unsigned> other) {
  auto isLong = [&](unsigned position) { return op.getIndexAttr(position).getExtent() != 1; };
  return llvm::equal(llvm::make_filter_range(one, isLong), llvm::make_filter_range(other, isLong));
}

std::optional<ChunkedProduct> ChunkedProduct::match(ContractOp op) {
  std::optional<ChunkedProduct> shape = matchAny(op);
  return shape && shape->product.chosen ? std::nullopt : shape;
}

std::optional<ChunkedProduct> ChunkedProduct::matchAny(ContractOp op) {
  FormulaOpInterface formula = op;
  for (unsigned input : {1u, 0u}) {
    std::optional<Product> product = matchFactors(op, input);
    if (!product)
      continue;
    // Of a matrix that rows choose nothing can be seen from its own side alone.
    std::optional<Product> other =
        product->chosen ? product->getFlipped(op) : Product::match(op, 1 - input);
    if (!other || !std::is_permutation(product->k.begin(), product->k.end(), other->k.begin(),
                                       other->k.end()))
      continue;
    Type element = getElement(op, input);
    RowFactor rows(op, *product), columns(op, *other);
    auto hasChunks = [&](unsigned input, ArrayRef<unsigned> along) {
      return weft::getChunk(formula, input, along) * element.getIntOrFloatBitWidth() / 8 ==
             kChunkBytes;
    };
    bool isPacked = bool(getLayout(getFactorType(op, input)));
    bool transposed = !isPacked && !hasChunks(product->columns, product->k);
    // Matrices of 8 bits are not turned as they are read.
    bool canTurn = !element.isInteger(8) && hasChunks(product->columns, product->n);
    if (!hasChunks(product->getRows(), product->k) || (!isPacked && !columns.isOneRun()) ||
        (transposed && !canTurn))
      continue;
    // Number i of k is the same of both.
    if (!isPacked && !haveSameOrder(formula, product->k, other->k))
      continue;
    bool isStatic =
        llvm::none_of(product->n, [&](unsigned n) { return formula.getIndexAttr(n).getDynamic(); });
    auto bound = [&](ArrayRef<unsigned> positions) {
      return getBoundProduct(op.getIndices(), positions);
    };
    ChunkedProduct result{*product,
                          rows,
                          columns,
                          transposed,
                          element,
                          bound(product->m),
                          bound(product->n),
                          bound(product->k),
                          isStatic,
                          isPacked,
                          CodedColumns::get(getFactorType(op, input))};
    int64_t depth = kDepthBytes / result.getBytes();
    if (result.codes && (!result.canStep(depth) || result.codes->getCopyBytes(depth) < kLeastCopy))
      continue;
    return result;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------------------------===//

void MmaSchedule::check(ScheduleRules &rules, ContractOp op) const {
  auto product = ChunkedProduct::matchAny(op);
  rules.requireWhole(
      product.has_value(),
      "the factors are no matrices of bf16, f16, f32 or codes that can be copied 16 bytes at once");
  if (!rules.hold())
    return;
  auto isOneOf = [](int64_t value, int64_t small) { return value == small || value == 2 * small; };
  int64_t bytes = product->getBytes(), depth = kDepthBytes / bytes;
  // Sixteen columns of a warp are read at once.
  bool isLow = tile.size() == 3 && isOneOf(tile[0], kLowTile) && tile[1] == kLargeTile;
  rules.require(tile.size() == 3 &&
                    (isLow || (isOneOf(tile[0], kSmallTile) && isOneOf(tile[1], kSmallTile))) &&
                    isOneOf(tile[2], depth),
                "tile",
                "rows and columns of 64 or 128 (or 16 or 32 and 128) and " + Twine(depth) + " or " +
                    Twine(2 * depth) + " of k");
  rules.require(stages >= 2, "stages", "2 or more");
  if (!rules.hold())
    return;
  rules.require(!product->codes || product->canStep(tile[2]), "tile",
                "k of whole groups of codes, or parts of them");
  int64_t shared = MmaPlan(op, *this).getSharedBytes();
  rules.require(shared <= kMaxSharedBytes, "stages",
                "so many that they take at most " + Twine(kMaxSharedBytes) + " bytes, not " +
                    Twine(shared));
  bool isCount = products && (products == 1 || products == 3);
  rules.require(product->isWide() ? isCount : !products, "products",
                product->isWide() ? "1 or 3 of tf32 for one of f32" : "none, but for f32");
  int64_t steps = int64_t(llvm::divideCeil(product->sizeK, tile[2]));
  int64_t most = std::min(steps, kMaxSplits);
  rules.require(getSplits() <= most, "splits", "at most " + Twine(most));
  rules.require(!product->product.chosen || !splits, "splits", "none, where rows choose matrices");
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

int64_t weft::getFewRows(const ChunkedProduct &product) {
  if (product.isCoded())
    return 0; // nothing else reads them as fast as memory gives them
  return product.isWide() ? kFewF32 : kFew;
}

/// Rows of codes are short, so steps of few rows are longer.
static int64_t chooseDepth(const ChunkedProduct &product) {
  int64_t depth = kDepthBytes / product.getBytes();
  bool isLong = product.codes && product.sizeM <= kSkinnyRows && product.sizeK >= 2 * depth &&
                product.canStep(2 * depth);
  return isLong ? 2 * depth : depth;
}

/// Steps of the processors of both chips while the busiest ones work; to begin and to end a part
/// takes as long as a step.
static int64_t countSteps(int64_t tiles, int64_t steps, int64_t splits) {
  auto ofPart = int64_t(llvm::divideCeil(steps, splits)) + 1, all = int64_t(0);
  for (int64_t processors : {kProcessors, kMoreProcessors})
    all += int64_t(llvm::divideCeil(tiles * splits, processors)) * ofPart * processors;
  return all;
}

/// Parts of k, so that there are enough blocks for few rows; somewhat more where that takes an
/// eighth less.
static std::optional<int64_t> chooseSplits(const ChunkedProduct &product,
                                           const MmaSchedule &schedule, int64_t batch) {
  if (product.sizeM > kSkinnyRows || product.product.chosen)
    return std::nullopt;
  auto tiles = int64_t(llvm::divideCeil(product.sizeN, schedule.tile[1])) * batch;
  auto steps = int64_t(llvm::divideCeil(product.sizeK, schedule.tile[2]));
  int64_t most = std::clamp<int64_t>(steps / kPartSteps, 1, kMaxSplits);
  int64_t least = std::min(int64_t(llvm::divideCeil(kWantedBlocks, tiles)), most);
  int64_t best = least;
  for (int64_t splits = least; splits <= std::min(most, least + least / 4 + 1); ++splits)
    if (8 * countSteps(tiles, steps, splits) <= 7 * countSteps(tiles, steps, best))
      best = splits;
  return best > 1 ? std::optional(best) : std::nullopt;
}

LoweringAttr weft::chooseMma(ContractOp op, bool tf32, int64_t mostRows) {
  auto product = ChunkedProduct::matchAny(op);
  if (!product)
    return {};
  product->sizeM = std::min(product->sizeM, mostRows);
  int64_t few = getFewRows(*product);
  if (product->sizeM <= few || product->sizeN <= few)
    return {};
  bool isShort = llvm::SaturatingMultiply<uint64_t>(
                     llvm::SaturatingMultiply<uint64_t>(product->sizeM, product->sizeN),
                     product->sizeK) < uint64_t(kFewOfF32);
  if (product->isWide() && !product->codes && isShort)
    return {};
  int64_t batch = getBoundProduct(op.getIndices(), product->product.batch);
  if (auto chosen = product->product.chosen) { // by so many rows on average
    int64_t matrices = FormulaOpInterface(op).getIndexAttr(*chosen).getSize();
    product->sizeM = int64_t(llvm::divideCeil(product->sizeM, matrices));
  }
  auto isEnough = [&](int64_t rows, int64_t columns) {
    auto tiles = int64_t(llvm::divideCeil(product->sizeM, rows));
    tiles *= int64_t(llvm::divideCeil(product->sizeN, columns));
    return int64_t(llvm::divideCeil(kProcessors, tiles)) <= batch;
  };
  MmaSchedule schedule;
  // Who chooses a matrix leaves a tile half empty on average.
  bool isLarge =
      product->sizeM > kSmallTile && !product->product.chosen && isEnough(kLargeTile, kLargeTile);
  bool isWide = product->sizeN > kSmallTile && (isLarge || isEnough(kSmallTile, kLargeTile));
  schedule.tile = {isLarge ? kLargeTile : kSmallTile, isWide ? kLargeTile : kSmallTile,
                   chooseDepth(*product)};
  // Of few rows, codes should be expanded once, and more of them be on their way.
  if (product->isCoded() && product->sizeM <= 2 * kLowTile)
    schedule.tile = {product->sizeM <= kLowTile ? kLowTile : 2 * kLowTile, kLargeTile,
                     chooseDepth(*product)};
  if (product->isWide())
    schedule.products = tf32 ? 1 : 3;
  MmaPlan plan(op, schedule);
  int64_t ofStage = plan.getStageBytes();
  schedule.stages = std::min(kStages, (kMaxSharedBytes - plan.getListBytes()) / ofStage);
  if (schedule.tile[0] <= 2 * kLowTile) // stages are small, and memory is far
    schedule.stages = std::clamp(kLowRing / ofStage, kStages, 2 * kStages);
  schedule.width = getResultWidth(op, *product);
  schedule.splits = chooseSplits(*product, schedule, batch);
  return getLowering(op.getContext(), emitters::mma, schedule);
}
