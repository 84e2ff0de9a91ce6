//===- FormulaBuilder.h - a formula under construction --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Fusion is inlining: the element of a producer, at the coordinates at which the consumer reads
// it, is computed in the consumer's own region. A FormulaBuilder holds the consumer's new form
// while its reads and its scalar code are collected; it touches nothing of the old ops, so that a
// fusion that turns out impossible half-way is simply dropped.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_FORMULABUILDER_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_FORMULABUILDER_H

#include "weft/Dialect/Weft/IR/EmitAffine.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace weft {

/// What stands for an index of a producer inside the consumer: an affine expression of the
/// consumer's indices, or a scalar (the index of a `weft.inner`, a gathered coordinate).
struct IndexValue {
  mlir::AffineExpr expr; ///< of the consumer's indices; null if `scalar` is set
  mlir::Value scalar;    ///< of type index
};
using IndexValues = llvm::SmallVector<IndexValue>;

/// The identity: the consumer's own indices 0 .. count-1.
IndexValues getIdentityIndices(mlir::MLIRContext *context, unsigned count);

/// The indices whose values are the results of `map`, an affine map of the consumer's indices.
IndexValues getIndexValues(mlir::AffineMap map);

class FormulaBuilder {
public:
  FormulaBuilder(mlir::MLIRContext *context, mlir::ArrayRef<IndexAttr> indices);

  /// Appends an index and returns its position. Its name gets a number if it is taken: within an
  /// op names are unique.
  unsigned addIndex(IndexAttr index);

  /// Adds a body argument before those of the reads: the sum of a contraction, a dot product.
  mlir::Value addLeadingArgument(mlir::Type type, mlir::Location loc);

  /// The element of `tensor` at affine coordinates, as an argument of `region` (the body or the
  /// predicate). The same read gives the same argument.
  mlir::Value read(mlir::Region &region, mlir::Value tensor,
                   mlir::ArrayRef<mlir::AffineExpr> coordinates, mlir::Location loc);

  /// The element of `tensor` at `map` of `indices`: a read if the coordinates are affine,
  /// otherwise a `weft.at`. `map` must be in range, as that of an input is.
  mlir::Value readAt(mlir::OpBuilder &builder, mlir::Region &region, mlir::Value tensor,
                     mlir::AffineMap map, const IndexValues &indices, mlir::Location loc);

  /// Notes that a formula is computed in this one, and names all of them on its new form.
  void noteFolded(mlir::Operation *producer) { folded.insert(producer); }
  void nameFolded(mlir::Operation *op) const;

  mlir::Region &getBody() { return body; }
  mlir::Region &getPredicate() { return predicate; }
  mlir::ArrayRef<IndexAttr> getIndices() const { return indices; }
  mlir::ArrayRef<mlir::Value> getReads() const { return reads; }
  /// The maps of the reads, over all indices added so far.
  llvm::SmallVector<mlir::AffineMap> getReadMaps() const;
  mlir::AffineMap getMap(mlir::ArrayRef<mlir::AffineExpr> coordinates) const;
  mlir::ArrayAttr getIndicesAttr() const;
  mlir::ArrayAttr getMapsAttr() const;

private:
  mlir::MLIRContext *context;
  llvm::SmallVector<IndexAttr> indices;
  llvm::SmallVector<mlir::Value> reads;
  llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>> coordinates;
  unsigned numLeading = 0;
  llvm::SetVector<mlir::Operation *> folded;
  mlir::Region body, predicate;
};

/// No fusion makes a formula larger than this: registers run out long before, and the passes and
/// the code generator take more than linear time in the size of one formula.
inline constexpr unsigned kMaxFusedOps = 256;

/// The operations in the regions of `formula`, constants included.
unsigned countScalarOps(mlir::Operation *formula);

/// Emits the value of `expr`, whose dimensions stand for `indices`, as index arithmetic.
mlir::Value emitAffine(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expr,
                       const IndexValues &indices);

/// Clones the code of `source`, a region of a formula, at the builder's place: its arguments
/// become `arguments` and its indices `indices`. Returns what it yields: one value, of argtop two.
llvm::SmallVector<mlir::Value> cloneScalarCode(mlir::OpBuilder &builder, mlir::Region &source,
                                               mlir::ValueRange arguments,
                                               const IndexValues &indices);

/// The coordinates `map` gives for `indices`, or nothing if one of them is no affine expression.
std::optional<llvm::SmallVector<mlir::AffineExpr>> getAffineCoordinates(mlir::AffineMap map,
                                                                        const IndexValues &indices);

/// A builder at the end of a region that no op owns yet.
mlir::OpBuilder getBuilderAtEnd(mlir::Region &region, mlir::MLIRContext *context);

/// Moves a finished region of `formula` into the op, closed by a yield of `results`.
void finishRegion(mlir::Region &from, mlir::Region &to, mlir::ValueRange results,
                  mlir::Location loc);

/// Gives `op` the formula label of `labelled`, whose value it computes.
void copyLabel(mlir::Operation *labelled, mlir::Operation *op);
/// Gives `op` the label "NAME.part": it computes only a part of the formula's value, so it must not
/// be taken for the formula.
void labelPart(mlir::Operation *labelled, mlir::Operation *op);

/// Adds the name of `producer`, and of what is computed in it, to what is computed in `op`.
void addFolded(mlir::Operation *op, mlir::Operation *producer);

/// Erases `op` and the formulas that only it used, if nothing uses it any more.
void eraseIfDead(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace weft

#endif
