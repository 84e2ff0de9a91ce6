//===- Causality.h - proofs that a formula does not look ahead ------------------------------===//
//
// Obligations (O1) and (O2) of docs/Decoding.md, on the affine predicates that the mask fusion
// uses as well.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_CAUSALITY_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_CAUSALITY_H

#include "StepPlan.h"

namespace weft {

/// Which positions `s` of a reduced index (or the axis of a softmax) count for row `t`.
struct KeyRange {
  bool causal = false;                ///< s <= t, or what s contributes is 0
  int64_t reach = Demand::kUnbounded; ///< t - s is at most this
};

/// What the predicate, the bounds of the keys, a mask of minus infinity or a factor that is 0 say
/// about index `key` of `op` for the positions of index `row`.
KeyRange getKeyRange(FormulaOpInterface op, unsigned key, unsigned row);

/// How far behind row `row` the first key lies that `op` visits at all (in groups as large as a
/// vector can be); kUnbounded if that is not bounded by its `key_lower`.
int64_t getVisitedReach(AttentionOp op, unsigned row);

/// An index whose values are positions that the row may see: t - s <= reach.
struct SeenIndex {
  unsigned index;
  int64_t reach;
};

/// Whether a coordinate is proved not to be ahead of every index that is seen; of a formula without
/// any, whether it is the first position. `reach` is how far it can lie behind the row.
bool isNotAhead(mlir::AffineExpr coordinate, llvm::ArrayRef<SeenIndex> seen, int64_t &reach);
bool isNotAhead(mlir::Value coordinate, llvm::ArrayRef<SeenIndex> seen, int64_t &reach);

} // namespace weft

#endif
