//===- Dimensions.h - Dimensions ------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `dim`, and the expressions that say a dimension. Run-time dimensions are the module's: entries
// that declare one must agree on its bound.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_DIMENSIONS_H
#define WEFT_LIB_FRONTEND_EMIT_DIMENSIONS_H

#include "Env.h"
#include "llvm/ADT/MapVector.h"

namespace weft::sema {

struct Elaboration;

/// The run-time dimensions of a model by name.
using RuntimeDimensions = llvm::MapVector<llvm::StringRef, Extent>;

class Dimensions {
public:
  explicit Dimensions(Elaboration &shared);

  bool executeDim(const ast::DimStmt &stmt, Env &env);
  std::optional<Extent> evaluateExtent(const ast::Expr &expr, Env &env);
  bool evaluateDims(const ast::TensorType &type, Env &env, llvm::SmallVectorImpl<Extent> &dims);
  /// False, after an error, if the tensor `name` would have too many elements.
  bool checkSize(llvm::ArrayRef<Extent> dims, SourceRange range, llvm::StringRef name);
  const RuntimeDimensions &runtime() const { return symbols; }

private:
  bool declareDim(const ast::DimStmt::Dimension &dimension, Env &env);
  bool fixDim(Extent &extent, bool bounded, SourceRange range, Function &function);
  bool declareSymbol(const Extent &extent, SourceRange range);

  Elaboration &shared;
  Reporter &reporter;
  RuntimeDimensions symbols;
  llvm::StringMap<SourceRange> symbolRanges;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_DIMENSIONS_H
