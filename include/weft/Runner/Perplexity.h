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

/// Calls `visit` for each window of at most `size` tokens that predicts others, with the tokens
/// that follow those of the window. Window i starts at token i * size; the last token is predicted
/// only.
llvm::Error forEachWindow(
    llvm::ArrayRef<int32_t> ids, int64_t size,
    llvm::function_ref<llvm::Error(llvm::ArrayRef<int32_t> window, llvm::ArrayRef<int32_t> next)>
        visit);

/// log(sum(exp(logits))): what a logit is above the logarithm of its probability.
double logSumExp(llvm::ArrayRef<float> logits);

/// Every token but the first is predicted once, by the window of bound() tokens that holds the
/// token before it. An endless model sees the windows before too. Fails for fewer than two tokens.
llvm::Expected<Score> scoreText(LanguageModel &model, llvm::ArrayRef<int32_t> ids);

} // namespace weft

#endif // WEFT_RUNNER_PERPLEXITY_H
