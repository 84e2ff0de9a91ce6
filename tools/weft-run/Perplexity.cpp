//===- Perplexity.cpp - how well a model predicts a text ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "Prompt.h"
#include "weft/Support/Format.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace weft;

namespace {

// Sum of -log2 p over the predicted tokens of a text, their number, and that of their bytes.
// Window i of bound() tokens starts at token i * bound(); every token but the first is predicted
// once, by the window that holds the token before it. An endless model sees the windows before too.
struct Score {
  double bits = 0;
  int64_t tokens = 0, bytes = 0;
};

} // namespace

// -log2 of the softmax of `logits` at `id`.
static double bitsOf(llvm::ArrayRef<float> logits, int32_t id) {
  double largest = logits.front(), sum = 0;
  for (float logit : logits)
    largest = std::max(largest, double(logit));
  for (float logit : logits)
    sum += std::exp(double(logit) - largest);
  return (std::log(sum) + largest - double(logits[id])) / std::log(2.0);
}

// `bytes`: of the whole text.
static llvm::Expected<Score> scoreText(LanguageModel &model, const Encoding &text, int64_t bytes) {
  if (llvm::Error error = model.checkIdsSuffice())
    return std::move(error);
  llvm::ArrayRef<int32_t> ids = text.ids;
  if (ids.size() < 2)
    return fail("at least two tokens are needed for a perplexity");
  int64_t last = int64_t(ids.size()) - 1; // the last token is predicted only
  Score score;
  // What the first token says is not predicted.
  score.bytes = bytes - (text.source.front() < 0 ? 0 : text.spans.front().end);
  for (int64_t start = 0; start < last; start += model.bound()) {
    int64_t length = std::min(model.bound(), last - start);
    llvm::Expected<llvm::ArrayRef<float>> logits = model.logits(ids.slice(start, length));
    if (!logits)
      return logits.takeError();
    for (int64_t i = 0; i < length; ++i)
      score.bits +=
          bitsOf(logits->slice(i * model.vocabulary(), model.vocabulary()), ids[start + i + 1]);
    score.tokens += length;
  }
  return score;
}

static void printScore(const Score &score, bool words) {
  double perToken = score.bits / double(score.tokens), perByte = score.bits / double(score.bytes);
  if (words)
    print(llvm::outs(), "{:.6f} bits per token, {:.6f} bits per byte over {} tokens, {} bytes\n",
          perToken, perByte, score.tokens, score.bytes);
  else
    print(llvm::outs(), "{:.6f} bits per character over {} characters\n", perByte, score.bytes);
}

llvm::Expected<bool> weft::perplexityCommand(Model &model, const RunOptions &options) {
  llvm::Expected<LanguageModel> language = LanguageModel::create(model, /*incremental=*/true);
  if (!language)
    return language.takeError();
  auto file = llvm::MemoryBuffer::getFile(options.perplexity);
  if (!file)
    return fail(options.perplexity + ": " + file.getError().message());
  llvm::Expected<Companions> companions = Companions::load(options.model, options.tokenizer);
  if (!companions)
    return companions.takeError();
  llvm::Expected<Encoding> text = encodeOpenText(*language, *companions, (*file)->getBuffer());
  if (!text)
    return text.takeError();
  llvm::Expected<Score> score = scoreText(*language, *text, (*file)->getBufferSize());
  if (!score)
    return score.takeError();
  printScore(*score, companions->tokenizer() != nullptr);
  if (options.profile)
    printProfile(model, std::nullopt, llvm::errs());
  return true;
}
