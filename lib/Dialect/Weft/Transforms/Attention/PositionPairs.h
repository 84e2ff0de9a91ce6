//===- PositionPairs.h - which tensors are over pairs of positions --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Two run-time dimensions do not make a tensor of pairs: the activations of several texts are over
// examples and positions, the answer of a matcher over words and labels. Pairs are what attention
// is about: one dimension twice, or queries and the keys that they sum over.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_POSITIONPAIRS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_ATTENTION_POSITIONPAIRS_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Answers for the formulas of a function, each found once: they hold as long as no formula
/// changes.
class PositionPairs {
public:
  /// Whether `value` is used as weights: it, or what is made of it element by element in the same
  /// function, is summed over one of its dimensions together with something that depends on that
  /// dimension too.
  bool areWeights(mlir::Value value);
  /// The same over its dimension `key`.
  bool areWeightsOver(mlir::Value value, unsigned key) { return isSummed({value, key, kNoQuery}); }

  /// Whether `value` is over pairs of positions: two of its dimensions are the same run-time
  /// dimension; or it is used as weights over one run-time dimension, of a value that does not
  /// depend on another one of it. `batch` is the symbol of the examples, or empty: it counts no
  /// positions.
  bool contain(mlir::Value value, llvm::StringRef batch = "");

private:
  static constexpr unsigned kNoQuery = ~0u;
  /// A tensor that may be weights over its dimension `key`, of a value that does not depend on its
  /// dimension `query`.
  using Weights = std::tuple<mlir::Value, unsigned /*key*/, unsigned /*query*/>;

  static bool follow(mlir::OpOperand &use, Weights weights, std::optional<Weights> &made);
  bool isSummed(Weights weights);

  llvm::DenseMap<Weights, bool> known;
};

} // namespace weft

#endif
