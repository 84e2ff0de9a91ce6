//===- Perplexity.cpp - how well a model predicts a text ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Perplexity.h"

#include "llvm/ADT/STLExtras.h"

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

llvm::Error weft::forEachWindow(
    llvm::ArrayRef<int32_t> ids, int64_t size,
    llvm::function_ref<llvm::Error(llvm::ArrayRef<int32_t>, llvm::ArrayRef<int32_t>)> visit) {
  for (llvm::ArrayRef<int32_t> rest = ids; rest.size() > 1;) {
    auto length = std::min(size_t(size), rest.size() - 1);
    if (llvm::Error error = visit(rest.take_front(length), rest.slice(1, length)))
      return error;
    rest = rest.drop_front(length);
  }
  return llvm::Error::success();
}

llvm::Expected<Score> weft::scoreText(LanguageModel &model, llvm::ArrayRef<int32_t> ids) {
  if (llvm::Error error = model.checkIdsSuffice())
    return std::move(error);
  if (ids.size() < 2)
    return llvm::createStringError("at least two tokens are needed for a perplexity");
  Score score;
  int64_t row = model.vocabulary();
  auto predict = [&](llvm::ArrayRef<int32_t> window, llvm::ArrayRef<int32_t> next) -> llvm::Error {
    llvm::Expected<llvm::ArrayRef<float>> logits = model.logits(window);
    if (!logits)
      return logits.takeError();
    for (auto [i, id] : llvm::enumerate(next))
      score.add(logits->slice(i * row, row), id);
    return llvm::Error::success();
  };
  if (llvm::Error error = forEachWindow(ids, model.bound(), predict))
    return std::move(error);
  return score;
}
