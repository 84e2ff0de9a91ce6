//===- ReadPlanner.h - How the elements of a formula are fetched ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A coordinate that is in range for all values of the indices needs nothing. Otherwise, if it is in
// range wherever the element is used (`if c < n then x[c]`), the read gives 0 elsewhere. Otherwise,
// if the coordinate follows from indices alone and is used without a condition, the text is wrong;
// what is left is decided by data and checked at run time.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_READPLANNER_H
#define WEFT_LIB_FRONTEND_SEMA_READPLANNER_H

#include "Bounds.h"
#include "Reporter.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseSet.h"

namespace weft::sema {

enum class ReadKind {
  Map,        ///< an input of the op, through an affine map
  AtInBounds, ///< `weft.at` at coordinates that are in range
  At          ///< `weft.at`, which gives 0 outside of the tensor
};

/// A coordinate that must be checked at run time wherever the conditions hold.
struct PendingCheck {
  const Scalar *read = nullptr;
  unsigned dim = 0;
  llvm::SmallVector<Condition, 2> conditions;
};

/// Decides for every read of a formula how the element is fetched.
class ReadPlanner {
public:
  ReadPlanner(Reporter &reporter, BoundsAnalysis &bounds) : reporter(reporter), bounds(bounds) {}

  /// False after an error.
  bool plan(const Scalar *root);
  ReadKind kind(const Scalar *read) const { return kinds.lookup(read); }
  /// Plans a read like another one with the same coordinates and dimensions.
  void planLike(const Scalar *read, const Scalar *other) { kinds[read] = kind(other); }
  std::vector<PendingCheck> checks;

private:
  using Conditions = llvm::SmallVector<Condition, 2>;
  bool visit(const Scalar *scalar, unsigned context);
  bool visitArgs(const Scalar *scalar, unsigned context);
  bool planRead(const Scalar *read, unsigned context);
  bool planCoordinate(const Scalar *read, unsigned dim, unsigned context, ReadKind &kind);
  bool reportOutOfRange(const Scalar *read, unsigned dim, llvm::StringRef low,
                        llvm::StringRef high);
  unsigned extend(unsigned context, const Scalar *condition, bool negated);

  Reporter &reporter;
  BoundsAnalysis &bounds;
  llvm::DenseMap<const Scalar *, ReadKind> kinds;
  std::vector<Conditions> contexts{Conditions()}; ///< lists of conditions; 0 is the empty one
  std::map<std::tuple<unsigned, const Scalar *, bool>, unsigned> extended;
  llvm::DenseSet<std::pair<const Scalar *, unsigned>> visited;
};

/// The expression as an affine expression of op indices (of indices that are not listed, by their
/// order in the formula); null if it is none.
mlir::AffineExpr toAffine(const Scalar *scalar, llvm::ArrayRef<const Index *> indices,
                          mlir::MLIRContext *context);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_READPLANNER_H
