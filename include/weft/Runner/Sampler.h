//===- Sampler.h - chooses the next token ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_SAMPLER_H
#define WEFT_RUNNER_SAMPLER_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace weft {

/// How a token is chosen.
struct Sampling {
  double temperature = 0; ///< logits are divided by it; 0: the best token, always
  int64_t topK = 0;       ///< only the best k tokens; 0: all
  double topP = 1;        ///< only the best tokens that together reach this probability
  uint64_t seed = 0;      ///< of the draws
  /// Above 1: tokens that are in the text already lose (Keskar et al., 2019): a logit above 0 is
  /// divided by it, one below 0 multiplied, so that the token becomes less likely either way.
  double repetitionPenalty = 1;
};

/// Choices depend on the seed and the logits alone, on every machine. Of equal logits the token
/// with the smaller id comes first.
class Sampler {
public:
  explicit Sampler(const Sampling &sampling) : sampling(sampling), state(sampling.seed) {}

  /// The token after `before`.
  int32_t pick(llvm::ArrayRef<float> logits, llvm::ArrayRef<int32_t> before);

private:
  int32_t draw(llvm::ArrayRef<float> logits);
  double random(); ///< uniform in [0, 1)

  Sampling sampling;
  uint64_t state;
};

/// The place of the largest; of equal ones the first.
int32_t argmax(llvm::ArrayRef<float> logits);

} // namespace weft

#endif // WEFT_RUNNER_SAMPLER_H
