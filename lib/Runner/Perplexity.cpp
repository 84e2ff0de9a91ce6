//===- Perplexity.cpp - how well a model predicts a text ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Perplexity.h"

#include <cmath>

using namespace weft;

double weft::logSumExp(llvm::ArrayRef<float> logits) {
  double largest = logits.front(), sum = 0;
  for (float logit : logits)
    largest = std::max(largest, double(logit));
  for (float logit : logits)
    sum += std::exp(double(logit) - largest);
  return std::log(sum) + largest;
}

void Score::add(llvm::ArrayRef<float> logits, int32_t id) {
  bits += (logSumExp(logits) - double(logits[id])) / std::log(2.0);
  ++tokens;
}

llvm::Expected<Score> weft::scoreText(LanguageModel &model, llvm::ArrayRef<int32_t> ids) {
  if (llvm::Error error = model.checkIdsSuffice())
    return std::move(error);
  if (ids.size() < 2)
    return llvm::createStringError("at least two tokens are needed for a perplexity");
  int64_t last = int64_t(ids.size()) - 1; // the last token is predicted only
  Score score;
  for (int64_t start = 0; start < last; start += model.bound()) {
    int64_t length = std::min(model.bound(), last - start);
    llvm::Expected<llvm::ArrayRef<float>> logits = model.logits(ids.slice(start, length));
    if (!logits)
      return logits.takeError();
    for (int64_t i = 0; i < length; ++i)
      score.add(logits->slice(i * model.vocabulary(), model.vocabulary()), ids[start + i + 1]);
  }
  return score;
}
