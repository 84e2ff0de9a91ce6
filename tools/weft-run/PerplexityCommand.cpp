//===- PerplexityCommand.cpp - how well a model predicts a text -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "weft/Runner/Perplexity.h"
#include "weft/Runner/Tasks/Prompt.h"
#include "weft/Support/Format.h"
#include "weft/Support/InputFile.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

static void printScore(const Score &score, const PredictedText &text) {
  double perToken = score.bits / double(score.tokens), perByte = score.bits / double(text.bytes);
  if (text.words)
    print(llvm::outs(), "{:.6f} bits per token, {:.6f} bits per byte over {} tokens, {} bytes\n",
          perToken, perByte, score.tokens, text.bytes);
  else
    print(llvm::outs(), "{:.6f} bits per character over {} characters\n", perByte, text.bytes);
}

llvm::Expected<PredictedText> weft::readPredictedText(const LanguageModel &model,
                                                      const RunOptions &options) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = readInputFile(options.perplexity);
  if (!file)
    return file.takeError();
  llvm::Expected<ModelFolder> folder = ModelFolder::load(options.model, options.tokenizer);
  if (!folder)
    return folder.takeError();
  llvm::Expected<Encoding> text = encodeOpenText(model, *folder, (*file)->getBuffer());
  if (!text)
    return text.takeError();
  // What the first token says is not predicted.
  int64_t first = text->ids.empty() || text->source.front() < 0 ? 0 : text->spans.front().end;
  return PredictedText{std::move(text->ids), int64_t((*file)->getBufferSize()) - first,
                       folder->tokenizer() != nullptr};
}

llvm::Expected<bool> weft::perplexityCommand(CompiledModel &model, const RunOptions &options) {
  llvm::Expected<LanguageModel> language = LanguageModel::create(model, /*incremental=*/true);
  if (!language)
    return language.takeError();
  llvm::Expected<PredictedText> text = readPredictedText(*language, options);
  if (!text)
    return text.takeError();
  llvm::Expected<Score> score = scoreText(*language, text->ids);
  if (!score)
    return score.takeError();
  printScore(*score, *text);
  if (options.profile)
    printProfile(model, llvm::errs());
  return true;
}
