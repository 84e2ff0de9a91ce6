//===- Perplexity.h - how well a model predicts a text --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_PERPLEXITY_H
#define WEFT_RUNNER_PERPLEXITY_H

#include "weft/Runner/LanguageModel.h"

namespace weft {

/// How a text was predicted: the sum of -log2 p over the predicted tokens, and their number.
struct Score {
  double bits = 0;
  int64_t tokens = 0;

  /// Counts a token that these logits predict.
  void add(llvm::ArrayRef<float> logits, int32_t id);
};

/// log(sum(exp(logits))): what a logit is above the logarithm of its probability.
double logSumExp(llvm::ArrayRef<float> logits);

/// Window i of bound() tokens starts at token i * bound(); every token but the first is predicted
/// once, by the window that holds the token before it. An endless model sees the windows before
/// too. Fails for fewer than two tokens.
llvm::Expected<Score> scoreText(LanguageModel &model, llvm::ArrayRef<int32_t> ids);

} // namespace weft

#endif // WEFT_RUNNER_PERPLEXITY_H
