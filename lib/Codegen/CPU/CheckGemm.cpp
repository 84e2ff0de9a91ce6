//===- CheckGemm.cpp - which schedules products can have ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GemmSchedule.h"

using namespace mlir;
using namespace weft;

/// The most vectors of a register tile: more than any processor has registers.
static constexpr int64_t kMaxSums = 64;

void GemmSchedule::check(ScheduleRules &rules, ContractOp op) const {
  PackedProduct shape(op, *Product::matchPacked(op));
  RowFactor factor(op, shape);
  rules.requireWhole(canStep(shape, factor),
                     "pairs and codes are read of one run of k, side by side");
  bool isTiles = unit == kTilesUnit;
  if (unit)
    rules.require(
        (isTiles && hasTiles(shape, factor) && (width == kTileColumns / 2 || shape.isSplit())) ||
            (unit == kWordsUnit && hasWords(shape)) ||
            (unit == kRealsUnit && hasReals(shape, factor)),
        "unit",
        "none, \"tiles\" for pairs of bf16 side by side in panels of 32 columns, "
        "\"words\" for codes of 4 bits or of the checkpoint, or \"reals\" for rows of 16 bits side "
        "by side");
  rules.require(isTiles || !shape.isSplit(), "unit", "\"tiles\" for factors that are split");
  bool canHalve = isTiles && hasHalves(shape) && width == kTileColumns / 2;
  rules.require(
      !halves || (canHalve && *halves == 1), "halves",
      "none, or 1 for tiles of 16 lanes, of parts or of bf16 with rows as far from each other");
  rules.requireWidth(width);
  rules.require(width > 1 && shape.nr % width == 0, "width",
                "vectors that divide the " + Twine(shape.nr) + " columns of a panel");
  rules.require(tile.size() == 2 && tile[1] == shape.nr, "tile",
                "rows, and the " + Twine(shape.nr) + " columns of a panel");
  if (!rules.hold())
    return;
  rules.require(isTiles ? tile[0] == kTileRows : tile[0] <= kMaxSums / (shape.nr / width), "tile",
                isTiles ? "32 rows" : "at most " + Twine(kMaxSums) + " vectors");
  rules.require(tile[0] % op.getNumSums() == 0, "tile",
                "a multiple of " + Twine(op.getNumSums()) + " rows, the sums of a result");
  rules.require(rows % tile[0] == 0, "rows", "a multiple of the rows of the tile");
  // Runs of k are not cut.
  if (shape.isSplit()) {
    int64_t most = shape.splitsPanels() ? std::min(shape.sizeK, kExpandedRows) : shape.sizeK;
    rules.require(k <= most && (k == shape.sizeK || k % kSplitTile == 0), "k",
                  "at most " + Twine(most) + ", in whole tiles");
  } else if (factor.isOneRun()) {
    rules.require(k <= shape.sizeK && (k % shape.depth == 0 || k == shape.sizeK), "k",
                  "at most " + Twine(shape.sizeK) + ", in whole steps");
  } else {
    rules.require(k == shape.sizeK, "k", Twine(shape.sizeK) + ", as it is not one run");
  }
  bool isInPlace = multipliesInPlace(*this, shape);
  rules.require(
      !nearK || (isInPlace && *nearK > 0 && *nearK <= k && *nearK % shape.getUnitDepth() == 0),
      "near_k", "none, or whole steps of tiles that multiply rows where they lie, at most k");
  rules.require(!padded || (isInPlace && *padded == kUnitRows), "padded",
                "none, or " + Twine(kUnitRows) + " for tiles that multiply rows where they lie");
  if (shape.isWhole)
    rules.require(k % shape.scaled->group == 0, "k", "whole groups of codes");
  else if (shape.isEncoded()) {
    int64_t group = shape.nibbles ? shape.nibbles->group : shape.scaled->group;
    int64_t step = group == shape.sizeK ? shape.scaled ? shape.scaled->getLineRows() : 1 : group;
    rules.require(k <= kExpandedRows && (k == shape.sizeK || k % step == 0), "k",
                  "at most " + Twine(kExpandedRows) + ", in whole groups of codes");
  }
  rules.require(panels <= shape.numPanels, "panels", "at most " + Twine(shape.numPanels));
  rules.requireRepetition(unroll, "unroll");
  // The sums of a task's rows for one panel, or for all.
  int64_t held = sharesBlocks(*this, shape) ? panels : 1;
  int64_t most = kTaskStack - (halves ? getHalfBytes(shape) : 0);
  if (int64_t locals = countLocals(op)) {
    int64_t bytes = locals * getLocalBytes(*this), limit = kTaskStack / 4;
    rules.require(bytes <= limit, "panels",
                  "results of at most " + Twine(limit) + " bytes for other products");
    most -= std::min(bytes, limit);
  }
  rules.require(rows <= most / kElement / shape.nr / std::max<int64_t>(held, 1), "rows",
                "sums of at most " + Twine(most) + " bytes for " +
                    (held == 1 ? "a panel" : "the task's panels"));
  rules.require(!spreadsRows(*this, shape) ||
                    rows <= kTaskStack / 2 / kElement / getSpreadWords(*this, shape),
                "rows", "words or reals of at most " + Twine(kTaskStack / 2) + " bytes");
  rules.require(!shape.isWhole || fitsStack(shape, rows), "rows",
                "sums of groups of at most " + Twine(kTaskStack / 2) + " bytes");
}
