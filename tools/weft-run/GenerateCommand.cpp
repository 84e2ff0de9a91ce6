//===- GenerateCommand.cpp - writes text ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "Report.h"
#include "weft/Runner/Tasks/Prompt.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

// Reads the prompts.
static llvm::Error readPrompts(const LanguageModel &language, const ModelFolder &folder,
                               const RunOptions &options, Generation &generation) {
  if (options.prompt) {
    llvm::Expected<Encoding> text = promptFromText(language, folder, *options.prompt, generation);
    if (!text)
      return text.takeError();
    noteCut(*text);
    return llvm::Error::success();
  }
  llvm::Expected<SafeTensorsFile> file = SafeTensorsFile::open(options.inputs);
  if (!file)
    return file.takeError();
  return promptFromTensors(language, file->tensors(), generation);
}

static void reportSpeed(const CompiledModel &model, const Generated &result) {
  llvm::outs().flush(); // the last line of the text comes before the report
  print(llvm::errs(), "weft-run: {} tokens in {}, {:.1f} tokens/s; {}\n", result.tokens,
        timeText(result.seconds), double(result.tokens) / result.seconds,
        memoryText(memoryOf(model)));
}

// Where the tokens are written. A text of the user's is written as it was given, unless it is
// another one than the model's, and ends where the model or the user says.
static llvm::Expected<TextStream> openStream(const LanguageModel &language,
                                             const ModelFolder &folder, const RunOptions &options) {
  llvm::Expected<TokenText> kind = tokenText(language, folder);
  if (!kind)
    return kind.takeError();
  TextStream stream(*kind, folder.tokenizer(), llvm::outs());
  if (options.prompt) {
    stream.openWith(readsSource(language) ? "" : *options.prompt);
    stream.stopAt(folder.ids(TokenRole::End), options.stop);
  }
  return stream;
}

static void noteUnheeded(const ModelFolder &folder) {
  if (std::vector<std::string> keys = folder.unheeded(); !keys.empty())
    llvm::errs() << "weft-run: note: " << llvm::join(keys, ", ")
                 << ": not heeded, though the model's configuration says so; the text may differ\n";
}

// How many tokens to make: as asked for, or as the positions allow.
static int64_t chooseCount(const LanguageModel &language, const RunOptions &options,
                           const Generation &generation) {
  int64_t left = language.bound() + 1 - int64_t(generation.prompts.front().size());
  if (options.generate)
    return options.generate;
  return language.isEndless() ? 256 : std::clamp<int64_t>(left, 1, 256);
}

namespace {

// A generation and what it points to.
struct Job {
  ModelFolder folder;
  std::optional<TextStream> stream; // nothing if results are kept instead
  std::optional<SafeTensorsFile> expected;
  Generation generation;
};

} // namespace

static llvm::Error prepare(const LanguageModel &language, const RunOptions &options, Job &job) {
  Generation &generation = job.generation;
  generation.sampling = options.sampling;
  generation.keepLogits = !options.outputs.empty() || !options.expect.empty();
  // From tensors to tensors: no text, and so no tokenizer that could be missing or bad.
  if (options.prompt || !generation.keepLogits)
    if (llvm::Error error =
            ModelFolder::load(options.model, options.tokenizer).moveInto(job.folder))
      return error;
  if (!generation.keepLogits) {
    llvm::Expected<TextStream> opened = openStream(language, job.folder, options);
    if (!opened)
      return opened.takeError();
    generation.sink = &job.stream.emplace(std::move(*opened));
  }
  if (llvm::Error error = readPrompts(language, job.folder, options, generation))
    return error;
  if (options.prompt)
    noteUnheeded(job.folder);
  generation.count = chooseCount(language, options, generation);
  if (llvm::Error error = openFile(options.expect).moveInto(job.expected))
    return error;
  if (const StoredTensor *ids = job.expected ? job.expected->find("generated_ids") : nullptr)
    forceTokens(*ids, generation);
  return llvm::Error::success();
}

llvm::Expected<bool> weft::generateCommand(CompiledModel &model, const RunOptions &options) {
  llvm::Expected<LanguageModel> language = LanguageModel::create(model, options.cache);
  if (!language)
    return language.takeError();
  Job job;
  if (llvm::Error error = prepare(*language, options, job))
    return std::move(error);
  if (language->needsWindows(job.generation.length()))
    llvm::errs() << "weft-run: note: more than the " << language->bound()
                 << " positions the model is compiled for: each step sees the last "
                 << language->bound() << " tokens\n";
  llvm::Expected<Generated> result = generate(*language, job.generation);
  if (!result)
    return result.takeError();
  reportSpeed(model, *result);
  if (options.profile)
    printProfile(model, llvm::errs());
  OwnedTensor results[] = {std::move(result->ids), std::move(result->logits)};
  if (!options.outputs.empty())
    if (llvm::Error error = writeResults(options.outputs, results))
      return std::move(error);
  if (!job.expected)
    return true;
  return compareAll(results, expectedOfGeneration(model, *job.expected), options.tolerance);
}
