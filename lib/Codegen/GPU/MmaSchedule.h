//===- MmaSchedule.h - what the emitter of products on matrix units can be told -------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_MMASCHEDULE_H
#define WEFT_LIB_CODEGEN_GPU_MMASCHEDULE_H

#include "Chunks.h"
#include "CodedColumns.h"
#include "GroupWalk.h"
#include "SharedMemory.h"

#include "weft/Codegen/Common/RowFactor.h"
#include "weft/Codegen/Common/Schedule.h"
#include "weft/Codegen/GPU/Fragment.h"

namespace weft {

/// A product of two factors of bf16, f16, f32 or codes of 8 bits that can be copied in chunks of 16
/// bytes, or whose B is stored as codes that become such. A has what is summed over side by side, B
/// that or (but for codes) its columns. The number of values of k is known.
struct ChunkedProduct {
  static std::optional<ChunkedProduct> match(ContractOp op);
  /// The same, and those whose matrices data choose.
  static std::optional<ChunkedProduct> matchAny(ContractOp op);

  Product product;
  RowFactor rows, columns;     ///< A; and B, whose rows are columns
  bool transposed;             ///< B has its columns side by side
  mlir::Type element;          ///< of both; f32 is multiplied as tf32, i8 stands for codes
  int64_t sizeM, sizeN, sizeK; ///< bounds of one matrix
  bool isStaticN;
  /// B has the layout of panels of one column: rows of codes, or of whole numbers.
  bool isPacked;
  std::optional<CodedColumns> codes; ///< that are expanded in registers

  bool isWide() const { return element.isF32(); }
  bool isWhole() const { return element.isInteger(8); }
  /// Whole numbers are added up as such.
  mlir::Type getSumType(mlir::Builder &b) const {
    return isWhole() ? mlir::Type(b.getI32Type()) : b.getF32Type();
  }
  bool isCoded() const { return isWhole() || codes; }
  int64_t getBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  /// Of a row of B that is packed.
  int64_t getRowBytes() const { return codes ? codes->getRowBytes() : sizeK * getBytes(); }
  int64_t getChunk() const { return kChunkBytes / getBytes(); }
  /// Whether codes can be expanded in steps of `depth` values of k: products of 32 numbers, or two
  /// of eight reals, have one group.
  bool canStep(int64_t depth) const { return codes->canStep(depth, codes->isNumbers() ? 32 : 16); }
};

/// A task is a tile of the product, and that of a block. Its warps are two times four parts of the
/// tile, or eight next to each other where there are no more rows than one has.
struct MmaSchedule {
  llvm::SmallVector<int64_t> tile; ///< `[rows, columns, k]` that are in shared memory at once
  int64_t stages = 1;              ///< such tiles, all but one on their way
  int64_t width = 1;               ///< neighbouring results that a thread finishes at once
  /// Of f32: 1, of factors rounded to tf32, or 3, of factors that are sums of two such numbers.
  std::optional<int64_t> products;
  /// None, or so many blocks have a part of k each, and another kernel adds up their sums.
  std::optional<int64_t> splits;

  int64_t getSplits() const { return splits.value_or(1); }
  int64_t getWarpsOfRow() const { return tile[0] <= 2 * kMmaRows ? 8 : 4; }
  int64_t getWarpRows() const { return tile[0] * getWarpsOfRow() / (kBlockSize / kWarpSize); }
  int64_t getWarpColumns() const { return tile[1] / getWarpsOfRow(); }

  template <typename Fields> void visit(Fields &fields) {
    fields("tile", tile);
    fields("stages", stages);
    fields("width", width);
    fields("products", products);
    fields("splits", splits);
  }
  void check(ScheduleRules &rules, ContractOp op) const;
};

/// Neighbouring results that a thread finishes at once: the most, a power of two, of which there
/// are whole ones; and the rule for them.
int64_t getResultWidth(ContractOp op, const ChunkedProduct &product);
void checkResultWidth(ScheduleRules &rules, const ChunkedProduct &product, int64_t width);

/// The schedule of a product on matrix units; null where others serve better, or none can be. f32
/// is multiplied as one product of `tf32`, or as three. There are at most `mostRows` rows.
LoweringAttr chooseMma(ContractOp op, bool tf32, int64_t mostRows = INT64_MAX);
/// Up to so many rows or columns have a kernel of their own; tiles have parts of k.
int64_t getFewRows(const ChunkedProduct &product);
inline constexpr int64_t kSkinnyRows = 64;
/// The processors of the smallest GPU of a data centre that the tiles are for (A100), and of the
/// next (H100).
inline constexpr int64_t kProcessors = 108, kMoreProcessors = 132;

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_MMASCHEDULE_H
