//===- Divergence.h - how far the predictions of a model are from those of another ----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_DIVERGENCE_H
#define WEFT_RUNNER_DIVERGENCE_H

#include "weft/Runner/Perplexity.h"

namespace weft {

/// Over the predicted tokens of texts: what a model and a reference say of each.
struct Divergence {
  Score model, reference;
  double nats = 0;    ///< the sum of KL(reference || model)
  double largest = 0; ///< that of one token
  int64_t place = 0;  ///< and its number
  int64_t agreed = 0; ///< tokens where both have the same one for the likeliest

  int64_t tokens() const { return model.tokens; }
};

/// Adds a text, which both models see in the windows of scoreText; these are of the smaller bound.
/// Fails if the models have other vocabularies, and as scoreText does.
llvm::Error addDivergence(LanguageModel &model, LanguageModel &reference,
                          llvm::ArrayRef<int32_t> ids, Divergence &into);

} // namespace weft

#endif // WEFT_RUNNER_DIVERGENCE_H
