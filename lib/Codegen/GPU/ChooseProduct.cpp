//===- ChooseProduct.cpp - choose how products become threads -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ChooseLowering.h"
#include "Emitters.h"
#include "FewRows.h"
#include "FewRowsMma.h"

#include "weft/Codegen/Common/IndexLoops.h"
#include "weft/Dialect/Weft/IR/AccessCost.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

using namespace mlir;
using namespace weft;

/// Neighbouring results of a product that a thread makes: vectors of them, or single ones.
static constexpr int64_t kColumnVectors = 2, kColumns = 4;
/// Rows of a prompt, for which large tiles are too few where a text has room for many more.
static constexpr int64_t kSomeRows = 512;
/// Products of more rows and columns leave a warp for each result too little to do.
static constexpr int64_t kFewRows = 8;

/// The elements of the wider factor that fill an access, if both factors have them side by side
/// along the index, and its length is a multiple of so many; 1 if not.
static int64_t getFactorWidth(ContractOp op, unsigned position) {
  FormulaOpInterface formula = op;
  unsigned bits = 16; // 8 elements at most
  for (Value factor : {op.getLhs(), op.getRhs()})
    bits = std::max(bits, getStorageBits(cast<MemRefType>(factor.getType()).getElementType()));
  int64_t width = kAccess * 8 / bits;
  IndexAttr index = formula.getIndexAttr(position);
  bool isWhole = !index.getDynamic() && index.getSize() % width == 0;
  return isWhole && getVectorCost(formula, 2, position, width) == 2 ? width : 1;
}

/// A warp for each result of a product of few rows or columns of reals (`isFew`: when it is
/// launched), which reads a row of each
/// factor 16 bytes a thread at once; null for others. Rows of the other factor are read once for
/// each of the few, all but the first time from a cache.
static LoweringAttr chooseFew(ContractOp op, bool isFew) {
  FormulaOpInterface formula = op;
  unsigned summed = op.getSummed().back();
  std::optional<Product> product = Product::matchAny(op, 1);
  for (Value factor : {op.getLhs(), op.getRhs()}) {
    auto type = cast<MemRefType>(factor.getType());
    if (getLayout(type) || !isa<FloatType>(type.getElementType()))
      return {};
  }
  if (!product || !getSharedAxis(op) || product->k.size() != 1 || product->k[0] != summed)
    return {};
  auto bound = [&](ArrayRef<unsigned> m) { return getBoundProduct(op.getIndices(), m); };
  RowThreadsSchedule schedule;
  schedule.width = getFactorWidth(op, summed);
  int64_t size = formula.getIndexAttr(summed).getSize();
  isFew |= std::min(bound(product->m), bound(product->n)) <= kFewRows;
  if (!isFew || schedule.width == 1 || size < schedule.width * kWarpSize)
    return {};
  schedule.held = size <= kWarpRow;
  return getLowering(op.getContext(), emitters::rowThreads, schedule);
}

/// Rows for which a step has kernels of their own, the most first. A row that is codes of two parts
/// is two.
static SmallVector<int64_t> getCountsOfRows(const ChunkedProduct &product) {
  if (!product.codes)
    return {kMostFewRows};
  if (product.codes->isNumbers())
    return {kMostFewNumbers, 2};
  return {kMostFewRows, 4, 1};
}

/// How long the processors with the most tiles have to do with `rows` rows, in results.
static int64_t getLongestWork(ContractOp op, const ChunkedProduct &product, LoweringAttr lowering,
                              int64_t rows) {
  auto schedule = readSchedule<MmaSchedule>(op, lowering);
  if (!schedule)
    return 0;
  int64_t height = schedule->tile[0], width = schedule->tile[1];
  auto tiles = int64_t(llvm::divideCeil(rows, height) * llvm::divideCeil(product.sizeN, width));
  tiles *= getBoundProduct(op.getIndices(), product.product.batch);
  return int64_t(llvm::divideCeil(tiles, kProcessors)) * height * width;
}

/// Smaller tiles for the rows of a prompt, of which the large ones that suit all that there is room
/// for are too few: where they keep a device busy in less than three quarters of the time. Null
/// elsewhere.
static LoweringAttr chooseSmaller(ContractOp op, const ChunkedProduct &product, bool tf32,
                                  LoweringAttr large) {
  if (product.sizeM <= kSomeRows)
    return {};
  LoweringAttr small = chooseMma(op, tf32, kSomeRows);
  auto work = [&](LoweringAttr one) { return getLongestWork(op, product, one, kSomeRows); };
  return 4 * work(small) < 3 * work(large) ? small : LoweringAttr();
}

/// Of few rows each reads the matrix that it chooses; of codes, which nothing else expands as fast,
/// tiles are low.
static LoweringAttr chooseChosen(ContractOp op, bool tf32, const ChunkedProduct &product,
                                 LoweringAttr many) {
  int64_t most = product.isCoded() ? kMmaRows : kFewRows;
  LoweringAttr few = product.isCoded() ? chooseMma(op, tf32, most) : chooseFew(op, /*isFew=*/true);
  if (!few || few == many)
    return many;
  return product.sizeM <= most
             ? few
             : getLowering(op.getContext(), emitters::byCount, CountSchedule{most, few, many});
}

/// A step multiplies one row or a few by each weight, or many: kernels for each, where the weight
/// is large enough for that to matter.
static LoweringAttr chooseByRows(ContractOp op, bool tf32, const llvm::StringSet<> &counts,
                                 LoweringAttr many) {
  FormulaOpInterface formula = op;
  auto product = ChunkedProduct::matchAny(op);
  if (product->product.chosen)
    return chooseChosen(op, tf32, *product, many);
  bool isCounted = llvm::any_of(product->product.m, [&](unsigned m) {
    IndexAttr index = formula.getIndexAttr(m);
    return index.getDynamic() && counts.contains(index.getDim());
  });
  if (!isCounted || product->sizeN * product->sizeK < kLargeWeight)
    return many;
  MLIRContext *context = op.getContext();
  auto choose = [&](int64_t most, LoweringAttr few, LoweringAttr more) {
    bool differs = few && few != more;
    return differs ? getLowering(context, emitters::byCount, CountSchedule{most, few, more}) : more;
  };
  if (LoweringAttr some = chooseSmaller(op, *product, tf32, many))
    many = choose(kSomeRows, some, many);
  if (product->sizeM > kSkinnyRows)
    many = choose(kSkinnyRows, chooseMma(op, tf32, kSkinnyRows), many);
  if (product->isCoded() && product->sizeM > kMmaRows)
    many = choose(kMmaRows, chooseMma(op, tf32, kMmaRows), many);
  if (LoweringAttr few = chooseFewRowsMma(op, kMostRowsOfUnits))
    return choose(kMostRowsOfUnits, few, many);
  int64_t ofWarps = getFewRows(*product);
  for (int64_t rows : getCountsOfRows(*product))
    if (LoweringAttr few = chooseFewRows(op, rows)) {
      many = choose(rows, few, many);
      ofWarps = kRowsOfWarps;
    }
  return product->isCoded() ? many : choose(ofWarps, chooseFew(op, /*isFew=*/true), many);
}

/// Tiles on matrix units; a warp for each of few results; neighbouring columns in vectors, where a
/// factor has them so, else vectors of what is summed over.
LoweringAttr weft::chooseContract(ContractOp op, bool tf32, const llvm::StringSet<> &counts) {
  if (LoweringAttr few = chooseFewRows(op))
    return few;
  if (LoweringAttr few = chooseFewRowsMma(op))
    return few;
  if (LoweringAttr units = chooseMma(op, tf32))
    return chooseByRows(op, tf32, counts, units);
  if (LoweringAttr few = chooseFew(op, /*isFew=*/false))
    return few;
  FormulaOpInterface formula = op;
  ReductionSchedule schedule;
  schedule.tasks = oneEach(false);
  SmallVector<unsigned> order = getStoredOrder(op);
  auto isWhole = [&](int64_t columns) {
    IndexAttr index = order.empty() ? IndexAttr() : formula.getIndexAttr(order.back());
    return index && !index.getDynamic() && index.getSize() % columns == 0;
  };
  auto use = [&](unsigned position, int64_t width, int64_t tile) {
    schedule.lane = position;
    schedule.width = width;
    schedule.tile = tile;
  };
  int64_t columns = order.empty() ? 1 : getFactorWidth(op, order.back());
  unsigned summed = op.getSummed().back();
  if (columns > 1 && isWhole(columns * kColumnVectors))
    use(order.back(), columns, kColumnVectors);
  else if (int64_t width = getFactorWidth(op, summed); width > 1)
    use(summed, width, isWhole(kColumns) ? kColumns : 1);
  return getLowering(op.getContext(), emitters::contract, schedule);
}
