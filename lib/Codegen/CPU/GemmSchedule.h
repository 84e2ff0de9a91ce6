//===- GemmSchedule.h - what the emitter of products can be told ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_GEMMSCHEDULE_H
#define WEFT_LIB_CODEGEN_CPU_GEMMSCHEDULE_H

#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/RowFactor.h"
#include "weft/Codegen/Common/Schedule.h"
#include "weft/Dialect/Weft/IR/Product.h"

namespace weft {

/// Bytes of a word, of a sum, of an f32.
inline constexpr int64_t kElement = 4;

/// A product whose factor B lies in panels, with the largest sizes of one matrix.
struct PackedProduct : Product {
  PackedProduct(ContractOp op, const Product &product);
  int64_t nr, sizeN, sizeK, numPanels;
  int64_t depth;       ///< rows of a panel in a step
  int64_t stepWords;   ///< 4 bytes each, of a step of a panel
  int64_t parts;       ///< of which rows are sums; 1: they are not split
  int64_t columnParts; ///< of which columns are then
  mlir::Type columnType;
  bool isDot;                         ///< pairs of bf16 times pairs, or codes times codes
  bool hasHalfRows;                   ///< of 16 bits
  bool isCodes, isNarrow;             ///< these as `#weft.coded` says
  bool hasWholeSteps;                 ///< whatever k is in a call
  bool hasEvenRows;                   ///< equally far from each other, as units read them
  std::optional<NibblePanel> nibbles; ///< what a panel is, of codes of 4 bits
  std::optional<ScaledPanel> scaled;  ///< the same, of codes of a table
  bool isWhole = false;               ///< these are whole numbers, times integers

  bool isSplit() const { return parts > 1; }
  /// Whether the columns of a panel are taken apart: bf16 is its only part.
  bool splitsPanels() const { return columnParts > 1; }
  /// Whether a panel has codes of 4 bits or of a table, in a form of its own.
  bool isEncoded() const { return nibbles || scaled; }
  /// Whether a block of a panel is made what is multiplied first.
  bool isExpanded() const { return isEncoded() || splitsPanels(); }
  int64_t getPanelBytes() const;
  /// Of a panel of codes, at most so many rows that are whole groups, or the rows of one.
  int64_t getWholeRows(int64_t most) const;
  /// Of k, what a unit of tiles multiplies at once.
  int64_t getUnitDepth() const { return isCodes ? kTileRowBytes : kTileRowBytes / 2; }
};

/// The unit of tiles, that of bytes whose products are added up in words, and that of f32, for
/// rows of 16 bits.
inline constexpr llvm::StringLiteral kTilesUnit = "tiles", kWordsUnit = "words",
                                     kRealsUnit = "reals";

/// Whether a product of pairs can be that of tiles: all elements of a row side by side, in pairs. A
/// product of parts is nothing else.
bool hasTiles(const PackedProduct &product, const RowFactor &rows);

/// Whether one row of such a product can be multiplied by multiply-adds, and what its halves take.
bool hasHalves(const PackedProduct &product);
int64_t getHalfBytes(const PackedProduct &product);

/// Whether rows can be made f32 before they are multiplied: of 16 bits, side by side.
bool hasReals(const PackedProduct &product, const RowFactor &rows);

/// Whether products of codes can be added up in words: of 4 bits these have room for several, of
/// 8 bits with a sign for two.
bool hasWords(const PackedProduct &product);

/// Of a product whose other factor is packed. A task is a block of at most `rows` rows times
/// `panels` panels.
struct GemmSchedule {
  int64_t width = 1;
  /// `[mr, nr]`: rows and columns of a register tile, these being a panel's.
  llvm::SmallVector<int64_t> tile;
  int64_t rows = 1, panels = 1;
  /// Blocks of rows that the second cache holds. Of a call with more of them each comes with all
  /// panels before the next one; else the blocks of a panel follow each other, as do those whose
  /// panels share blocks of k, or of a matrix that data choose. None: all are near.
  std::optional<int64_t> near;
  int64_t k = 1; ///< the cache block; all of k where it is not one run
  /// Of tiles: steps of k that all rows of a task are multiplied with before the next ones, with
  /// sums in memory meanwhile. None: each tile multiplies all of a cache block.
  std::optional<int64_t> nearK;
  int64_t unroll = 1; ///< steps of k that are written out
  /// "tiles": a tile is a `weft_cpu.tile_product`; none: it is vectors of sums; "words": these get
  /// what a few products add up to in words; "reals": rows are f32 before they are
  /// multiplied.
  std::optional<std::string> unit;
  /// Rows up to which there are no tiles, but multiply-adds in their order: 1, of bf16 times bf16,
  /// or of parts.
  std::optional<int64_t> halves;
  /// Whether tiles fetch panels ahead: of the next one a line each `unroll` steps, or of their own
  /// where a task has so few rows that the panel is read from memory all the time.
  bool prefetch = false;
  /// Tiles of fewer rows leave their own panel to the processor; none: of one row, too, it is
  /// fetched ahead.
  std::optional<int64_t> fetchRows;
  /// Of tiles: there is memory for rows up to a multiple of so many, kUnitRows, whatever it holds,
  /// so that the unit need not be told how many they are. None: for those that are alone.
  std::optional<int64_t> padded;
  bool parallel = false;

  /// Whether a tile of so many rows fetches its own panel ahead.
  bool fetchesOwn(int64_t tileRows) const { return prefetch && tileRows >= fetchRows.value_or(1); }

  template <typename Fields> void visit(Fields &fields) {
    fields("width", width);
    fields("tile", tile);
    fields("rows", rows);
    fields("panels", panels);
    fields("near", near);
    fields("k", k);
    fields("near_k", nearK);
    fields("unroll", unroll);
    fields("unit", unit);
    fields("halves", halves);
    fields("prefetch", prefetch);
    fields("fetch_rows", fetchRows);
    fields("padded", padded);
    fields("parallel", parallel);
  }
  void check(ScheduleRules &rules, ContractOp op) const;
};

/// Results of products of its kernel that tasks have on their stack, and what they take there of
/// each, in f32.
int64_t countLocals(ContractOp op);
int64_t getLocalBytes(const GemmSchedule &schedule);

/// Rows of a panel that are expanded at once, in whole groups: codes of 4 bits and those of the
/// other factor fit the first cache.
inline constexpr int64_t kExpandedRows = 768;

/// Whether there are loops for such a product: pairs of a row are read as such, and k begins with
/// one.
bool canStep(const PackedProduct &product, const RowFactor &rows);

/// Whether the stack holds what rows add up to in each group, beside their sums.
bool fitsStack(const PackedProduct &product, int64_t rows);

/// Whether rows are put side by side for a unit of tiles: those that choose a matrix lie anywhere.
bool copiesRows(const GemmSchedule &schedule, const PackedProduct &product);

/// Whether a unit of tiles multiplies rows where they lie.
bool multipliesInPlace(const GemmSchedule &schedule, const PackedProduct &product);

/// Whether a block of the rows is made what is multiplied, once for all panels of a task.
bool spreadsRows(const GemmSchedule &schedule, const PackedProduct &product);

/// Of 4 bytes, what a row of such a block takes.
int64_t getSpreadWords(const GemmSchedule &schedule, const PackedProduct &product);

/// Whether a block of k is multiplied with all panels of a task before the next one: the rows' part
/// of it stays in the second cache. What is expanded is read from end to end.
bool sharesBlocks(const GemmSchedule &schedule, const PackedProduct &product);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_GEMMSCHEDULE_H
