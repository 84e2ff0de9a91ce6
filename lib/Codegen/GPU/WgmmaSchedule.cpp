//===- WgmmaSchedule.cpp - which products four warps compute together, and in which tiles ---===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WgmmaSchedule.h"

#include "ResultBoxes.h"
#include "TileRing.h"

#include "weft/Codegen/Common/IndexLoops.h"

#include <cmath>

using namespace mlir;
using namespace weft;

static constexpr int64_t kPanelColumns = WgmmaSchedule::kPanelColumns, kMaxColumns = 256;
static constexpr int64_t kMostStages = 8;
/// Less than such rows, columns or values of k leave half of a tile empty.
static constexpr int64_t kFewRows = 64, kFewColumns = 32, kFewK = 32;

std::optional<MappedProduct> MappedProduct::match(ContractOp op) {
  auto shape = ChunkedProduct::match(op);
  if (!shape || shape->isPacked || shape->isWhole()) // codes are no numbers yet when boxes arrive
    return std::nullopt;
  if (!shape->rows.hasEvenRows() || (shape->isWide() && shape->transposed))
    return std::nullopt;
  const Product &product = shape->product;
  auto rows = MappedTensor::match(op, product.getRows(), product.k, product.m);
  auto columns = shape->transposed ? MappedTensor::match(op, product.columns, product.n, product.k)
                                   : MappedTensor::match(op, product.columns, product.k, product.n);
  if (!rows || !columns || (!shape->transposed && !shape->columns.hasEvenRows()))
    return std::nullopt;
  return MappedProduct{*shape, *rows, *columns,
                       MappedTensor::matchOutput(op, product.n, product.m)};
}

int64_t WgmmaPlan::getWarpBytes() const {
  return schedule.boxes ? WarpBoxes::kBytes : ResultRows::getBytes(kResultColumns);
}

int64_t WgmmaPlan::getBarriers() const { return getRingBytes() + kConsumerWarps * getWarpBytes(); }

int64_t WgmmaPlan::getSharedBytes() const {
  return getBarriers() + TileRing::getBarrierBytes(schedule.stages);
}

void WgmmaSchedule::check(ScheduleRules &rules, ContractOp op) const {
  auto product = MappedProduct::match(op);
  rules.requireWhole(product.has_value(),
                     "the factors are no matrices of bf16, f16 or f32 that have tensor maps");
  if (!rules.hold())
    return;
  int64_t depth = kPanelBytes / product->shape.getBytes();
  rules.require(tile.size() == 3 && tile[0] == kRows && tile[1] % kPanelColumns == 0 &&
                    tile[1] >= kPanelColumns && tile[1] <= kMaxColumns && tile[2] == depth,
                "tile",
                Twine(kRows) + " rows, 64, 128, 192 or 256 columns and " + Twine(depth) + " of k");
  rules.require(stages >= 2, "stages", "2 or more");
  if (!rules.hold())
    return;
  int64_t shared = WgmmaPlan(*product, *this).getSharedBytes();
  rules.require(shared <= kMaxTileBytes, "stages",
                "so many that they take at most " + Twine(kMaxTileBytes) + " bytes, not " +
                    Twine(shared));
  checkResultWidth(rules, product->shape, width);
  rules.require(!boxes || product->results, "boxes", "false, as the output has no tensor map");
  rules.require(!narrow ||
                    (*narrow >= kPanelColumns && *narrow % kPanelColumns == 0 && *narrow < tile[1]),
                "narrow", "64, 128 or 192 columns, fewer than the tile's");
}

int64_t WgmmaSchedule::getMostStages() const {
  int64_t ofWarp = boxes ? WarpBoxes::kBytes : ResultRows::getBytes(WgmmaPlan::kResultColumns);
  int64_t ofWarps = kConsumerWarps * ofWarp;
  int64_t ofStage = (tile[0] + tile[1]) * kPanelBytes + TileRing::getBarrierBytes(1);
  return std::min((kMaxTileBytes - ofWarps) / ofStage, kMostStages);
}

/// Columns of a tile: those for which the processors with the most tiles are done first.
static int64_t chooseColumns(ContractOp op, const ChunkedProduct &shape) {
  double batch = double(getBoundProduct(op.getIndices(), shape.product.batch)), least = 0;
  int64_t best = 0;
  for (int64_t columns = kMaxColumns; columns >= kPanelColumns; columns -= kPanelColumns) {
    if (columns > kPanelColumns && shape.sizeN <= columns / 2)
      continue;
    double tiles = batch * double(llvm::divideCeil(shape.sizeM, WgmmaSchedule::kRows)) *
                   double(llvm::divideCeil(shape.sizeN, columns));
    double work = std::ceil(tiles / kMoreProcessors) * double(WgmmaSchedule::getWork(columns));
    if (best == 0 || work < least) {
      least = work;
      best = columns;
    }
  }
  return best;
}

LoweringAttr weft::chooseWgmma(ContractOp op, bool tf32) {
  auto product = MappedProduct::match(op);
  if (!product || (product->shape.isWide() && !tf32))
    return {};
  const ChunkedProduct &shape = product->shape;
  if (shape.sizeM <= kFewRows || shape.sizeN < kFewColumns || shape.sizeK < kFewK)
    return {};
  WgmmaSchedule schedule;
  int64_t columns = chooseColumns(op, shape);
  schedule.tile = {WgmmaSchedule::kRows, columns, kPanelBytes / shape.getBytes()};
  schedule.width = getResultWidth(op, shape);
  schedule.boxes = product->results.has_value();
  schedule.stages = schedule.getMostStages();
  bool isDynamic = llvm::any_of(shape.product.m, [&](unsigned m) {
    return FormulaOpInterface(op).getIndexAttr(m).getDynamic();
  });
  if (isDynamic && columns > kPanelColumns)
    schedule.narrow = kPanelColumns;
  return getLowering(op.getContext(), emitters::wgmma, schedule);
}
