//===- CompareCommand.cpp - a model's predictions beside those of a reference ---------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "weft/Runner/Divergence.h"
#include "weft/Runner/Generate.h"
#include "weft/Runner/Tasks/ModelFolder.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace weft;

static llvm::Error inReference(llvm::Error error) {
  return llvm::createStringError("--reference: " + llvm::toString(std::move(error)));
}

static llvm::Expected<std::unique_ptr<CompiledModel>> loadReference(const RunOptions &options) {
  llvm::Expected<std::string> library = findLibrary(options.reference);
  if (!library)
    return library.takeError();
  llvm::Expected<std::unique_ptr<CompiledModel>> model = CompiledModel::load(*library, "");
  if (model && options.threads > 0)
    (*model)->setThreads(options.threads);
  return model;
}

static llvm::Expected<Divergence> compareText(LanguageModel &model, LanguageModel &reference,
                                              const RunOptions &options) {
  if (llvm::Error error = model.checkIdsSuffice())
    return std::move(error);
  if (llvm::Error error = reference.checkIdsSuffice())
    return inReference(std::move(error));
  llvm::Expected<PredictedText> text = readPredictedText(model, options);
  if (!text)
    return text.takeError();
  Divergence result;
  if (llvm::Error error = addDivergence(model, reference, text->ids, result))
    return std::move(error);
  return result;
}

// Every example is a text of its own.
static llvm::Expected<Divergence> compareInputs(LanguageModel &model, LanguageModel &reference,
                                                const RunOptions &options) {
  llvm::Expected<SafeTensorsFile> file = SafeTensorsFile::open(options.inputs);
  if (!file)
    return file.takeError();
  Generation texts, same;
  if (llvm::Error error = promptFromTensors(model, file->tensors(), texts))
    return std::move(error);
  if (llvm::Error error = promptFromTensors(reference, file->tensors(), same))
    return inReference(std::move(error));
  Divergence result;
  for (auto [example, ids] : llvm::enumerate(texts.prompts)) {
    model.give(texts.given, int64_t(example));
    reference.give(same.given, int64_t(example));
    if (llvm::Error error = addDivergence(model, reference, ids, result))
      return std::move(error);
  }
  return result;
}

static void printScore(llvm::StringRef name, const Score &score) {
  double bits = score.bits / double(score.tokens);
  print(llvm::outs(), "{:<10} {:.6f} bits per token, perplexity {:.6g}\n", name, bits,
        std::exp2(bits));
}

llvm::Expected<bool> weft::compareCommand(CompiledModel &model, const RunOptions &options) {
  llvm::Expected<std::unique_ptr<CompiledModel>> other = loadReference(options);
  if (!other)
    return inReference(other.takeError());
  llvm::Expected<LanguageModel> language = LanguageModel::create(model, /*incremental=*/true);
  if (!language)
    return language.takeError();
  llvm::Expected<LanguageModel> reference = LanguageModel::create(**other, /*incremental=*/true);
  if (!reference)
    return inReference(reference.takeError());
  llvm::Expected<Divergence> found = options.inputs.empty()
                                         ? compareText(*language, *reference, options)
                                         : compareInputs(*language, *reference, options);
  if (!found)
    return found.takeError();
  double tokens = double(found->tokens()), mean = found->nats / tokens;
  print(llvm::outs(),
        "KL(reference || model) {:.4g} nats per token, {:.4g} at most, at token {}; the likeliest "
        "token is the same for {:.2f} % of {} tokens\n",
        mean, found->largest, found->place, 100 * double(found->agreed) / tokens, found->tokens());
  printScore("reference:", found->reference);
  printScore("model:", found->model);
  if (options.profile)
    printProfile(model, llvm::errs());
  return !options.mostDivergence || mean <= *options.mostDivergence;
}
