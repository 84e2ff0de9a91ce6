//===- WeightFactors.h - weights that are written in the sum of values -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `sum(s) exp(z[t, s]) * v[s, c]`: the factors that depend on a pair of positions become a formula
// over these alone, so that each weight is computed once, and the sum is a contraction.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_WEIGHTFACTORS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_WEIGHTFACTORS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

namespace weft {

/// The factors of a sum over keys.
class WeightFactors {
public:
  explicit WeightFactors(ReduceOp sum) : sum(sum), formula(sum) {}

  /// Whether some make weights that are computed for each pair of positions, the others values.
  bool match();
  void outline(mlir::RewriterBase &rewriter);

private:
  bool areWeights();
  bool isPosition(unsigned index);

  ReduceOp sum;
  FormulaOpInterface formula;
  mlir::Value value;
  llvm::SmallVector<mlir::Value> weights;
  double scale = 1;
  llvm::SmallBitVector used; ///< by the weights
};

/// The index of a map of weights over which its one reader sums them with values.
std::optional<unsigned> getKey(MapOp weights);

/// The one factor of `value` that depends on index `key`, if the others multiply and divide it.
mlir::Value findKeyFactor(FormulaOpInterface op, mlir::Value value, unsigned key);

/// What the formula's body yields.
mlir::Value getYielded(FormulaOpInterface op);

/// `op` reads `tensor`, over these of its indices, in the place of `value`. Gives the element.
mlir::Value readInstead(FormulaOpInterface op, mlir::Value value, mlir::Value tensor,
                        llvm::ArrayRef<unsigned> used);

/// Erases what nothing uses in the formula's body, and inputs that nothing reads.
void eraseUnused(FormulaOpInterface op);

} // namespace weft

#endif
