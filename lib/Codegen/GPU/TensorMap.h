//===- TensorMap.h - tensors that are copied in boxes ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The copies of boxes of sm_90 (`nvx.tma_load`, `nvx.tma_store`) take a map of the tensor: up to
// five dimensions, of which one lies side by side and the others have strides of whole chunks of 16
// bytes. What a map cannot say is left to other code, by the rules of MappedTensor alone.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_GPU_TENSORMAP_H
#define WEFT_LIB_CODEGEN_GPU_TENSORMAP_H

#include "weft/Codegen/Common/RowFactor.h"
#include "weft/Codegen/GPU/MatrixDescriptor.h"
#include "weft/Codegen/GPU/Passes.h"

namespace weft {

/// A factor of a formula, or its output, whose elements have one offset for each combination of
/// indices. Chunks of 16 bytes of a factor are those of getChunk (Chunks.h).
struct MappedTensor {
  /// `inner` are indices whose values lie side by side, those of `rows` are equally far from each
  /// other; a box has both. None, if there is no map: in the dimensions of the box the offset is no
  /// sum of multiples of indices, there are no rows, or there are more than three others: indices
  /// that move through these dimensions, and dimensions without any of the box.
  /// Of the index `further` a box has some values, too, behind each other, each with all rows: none
  /// if it alone is not a dimension.
  static std::optional<MappedTensor> match(FormulaOpInterface op, unsigned input,
                                           llvm::ArrayRef<unsigned> inner,
                                           llvm::ArrayRef<unsigned> rows,
                                           std::optional<unsigned> further = std::nullopt);
  /// The output as boxes of columns and rows, whose last indices are the fastest. Such boxes begin
  /// at multiples of 128 bytes of columns. None, if its rows are not equally far from each other,
  /// by multiples of 16 bytes, or such a box would have columns that do not lie side by side.
  static std::optional<MappedTensor> matchOutput(FormulaOpInterface op,
                                                 llvm::ArrayRef<unsigned> columns,
                                                 llvm::ArrayRef<unsigned> rows,
                                                 std::optional<unsigned> further = std::nullopt);

  /// A map whose boxes have so many rows of 128 bytes (on the host), and values of the further
  /// index.
  mlir::Value makeMap(LaneBuilder &lanes, const Kernel &kernel, int64_t boxRows,
                      int64_t boxFurther = 1) const;
  /// Begins to copy the box of these first elements (on the device); `values` has all other
  /// indices.
  void load(LaneBuilder &lanes, mlir::Value target, mlir::Value map, const Lanes &inner,
            const Lanes &row, llvm::ArrayRef<Lanes> values, mlir::Value barrier) const;
  void store(LaneBuilder &lanes, mlir::Value map, const Lanes &inner, const Lanes &row,
             llvm::ArrayRef<Lanes> values, mlir::Value source) const;
  /// Elements of 128 bytes.
  int64_t getPanelElements() const;
  /// The indices whose values lie side by side.
  llvm::ArrayRef<unsigned> getInner() const { return inner; }

private:
  static std::optional<MappedTensor> match(mlir::Value buffer, mlir::AffineMap places,
                                           mlir::ArrayAttr indices, llvm::ArrayRef<unsigned> inner,
                                           llvm::ArrayRef<unsigned> rows,
                                           std::optional<unsigned> further);
  bool isFurther(unsigned dimension) const;
  bool hasFurther() const;
  mlir::MemRefType getType() const;
  Lanes getStride(LaneBuilder &lanes, const Buffer &tensor, unsigned position) const;
  llvm::SmallVector<mlir::Value> getCoordinates(LaneBuilder &lanes, const Lanes &inner,
                                                const Lanes &row,
                                                llvm::ArrayRef<Lanes> values) const;

  mlir::Value buffer;
  mlir::AffineMap places; ///< from indices to dimensions
  mlir::ArrayAttr indices;
  llvm::SmallVector<unsigned> inner, rows, others; ///< indices
  llvm::SmallVector<unsigned> whole;               ///< dimensions that are so of the map
  std::optional<unsigned> further;                 ///< an index
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_GPU_TENSORMAP_H
