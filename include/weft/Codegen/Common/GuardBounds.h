//===- GuardBounds.h - where a condition lets the loops of a sum begin and end --------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `sum(u where t + u >= 2 and t + u < T + 2)` goes from max(0, 2 - t) to min(U, T + 2 - t), and
// there `x[t + u - 2]` is an element of x: nothing is asked for each u.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_GUARDBOUNDS_H
#define WEFT_CODEGEN_COMMON_GUARDBOUNDS_H

#include "weft/Codegen/Common/Kernel.h"
#include "weft/Codegen/Common/ReductionPlan.h"
#include "weft/Dialect/Weft/IR/AffineValue.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace weft {

class GuardBounds {
public:
  /// If all that the condition of a sum says are bounds of indices that scalar loops go over, the
  /// same for all results that these loops compute.
  static std::optional<GuardBounds> match(ReduceOp op, const ReductionPlan &plan);

  /// From where to where the loop over an index of this extent goes, for the values of those
  /// around.
  std::pair<Lanes, Lanes> get(LaneBuilder &lanes, const Kernel &kernel, unsigned position,
                              llvm::ArrayRef<Lanes> values, const Lanes &extent) const;
  /// The reads that are within their buffers then.
  const llvm::SmallPtrSetImpl<mlir::Operation *> &getInside() const { return inside; }

private:
  GuardBounds(ReduceOp op, const ReductionPlan &plan) : op(op), plan(plan) {}

  bool add(mlir::AffineExpr margin);
  bool isInside(AtOp at);
  bool isImplied(mlir::AffineExpr expr);
  mlir::AffineExpr getSize(llvm::StringRef symbol) {
    return getSymbolExpr(symbol, symbols, op.getContext());
  }

  FormulaOpInterface op;
  ReductionPlan plan;
  struct Bound {
    unsigned position;
    mlir::AffineExpr value; ///< the first, or the one behind the last
    bool isFirst;
  };
  llvm::SmallVector<Bound> bounds;
  llvm::SmallVector<mlir::AffineExpr> margins; ///< not negative within the bounds
  llvm::SmallVector<llvm::StringRef> symbols;
  llvm::SmallPtrSet<mlir::Operation *, 2> inside;
};

} // namespace weft

#endif // WEFT_CODEGEN_COMMON_GUARDBOUNDS_H
