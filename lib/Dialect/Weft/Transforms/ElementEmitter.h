//===- ElementEmitter.h - computes a producer's element inside its consumer -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Walks up from a formula through the formulas it reads and emits, into a FormulaBuilder, the
// scalar code of those that are to be inlined. The others stay tensors and are read.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ELEMENTEMITTER_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ELEMENTEMITTER_H

#include "FormulaBuilder.h"

namespace weft {

class ElementEmitter {
public:
  explicit ElementEmitter(FormulaBuilder &formula) : formula(formula) {}
  virtual ~ElementEmitter() = default;

  /// Emits the code of `source`, a region of `op`, for the given index values. `leading` are the
  /// values of the region's arguments before those of input `firstInput`. Null if it failed.
  mlir::Value emitRegion(mlir::OpBuilder &builder, mlir::Region &region, FormulaOpInterface op,
                         mlir::Region &source, const IndexValues &indices, unsigned firstInput = 0,
                         mlir::ValueRange leading = {});

  /// The same for all that `source` yields, where that is more than a number (the place of argtop).
  llvm::SmallVector<mlir::Value> emitYields(mlir::OpBuilder &builder, mlir::Region &region,
                                            FormulaOpInterface op, mlir::Region &source,
                                            const IndexValues &indices, unsigned firstInput = 0,
                                            mlir::ValueRange leading = {});

  /// Emits the element of `tensor` at `map` of `indices`. The default reads it.
  virtual mlir::Value emitElement(mlir::OpBuilder &builder, mlir::Region &region,
                                  mlir::Value tensor, mlir::AffineMap map,
                                  const IndexValues &indices, mlir::Location loc);

  /// Emits the element of a map formula's result at `map` of `indices`.
  mlir::Value emitMap(mlir::OpBuilder &builder, mlir::Region &region, MapOp op, mlir::AffineMap map,
                      const IndexValues &indices);

  /// Emits the element of a sum, mean, product, maximum or minimum as nested `weft.inner`.
  mlir::Value emitInner(mlir::OpBuilder &builder, mlir::Region &region, ReduceOp op,
                        mlir::AffineMap map, const IndexValues &indices);

  /// The values of a producer's output indices where it is read at `map` of `indices`.
  IndexValues compose(mlir::OpBuilder &builder, mlir::AffineMap map, const IndexValues &indices,
                      mlir::Location loc);

protected:
  /// Opens nested `weft.inner` ops, one for each index in `reduced`, and appends their values to
  /// `indices`. The builder is left in the innermost; returns the outermost.
  InnerOp openInner(mlir::OpBuilder &builder, ReduceKind kind, mlir::ArrayRef<IndexAttr> reduced,
                    IndexValues &indices, mlir::Location loc);
  /// Yields `value` from the innermost region and each inner result from the region around it.
  mlir::Value closeInner(mlir::OpBuilder &builder, InnerOp outermost, mlir::Value value);

  FormulaBuilder &formula;
};

/// Whether `emitInner` can compute `op`: a reduction of f32 by an associative kind, without a
/// predicate.
bool isInnerReduction(ReduceOp op);

} // namespace weft

#endif
