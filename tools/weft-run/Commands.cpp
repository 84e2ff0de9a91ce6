//===- Commands.cpp - the actions of weft-run -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "Prompt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

// A file of expected values may hold those of a run and those of a generation; each action looks
// at its own and says which it leaves out.
static bool belongsToGeneration(llvm::StringRef name) {
  return name == "generated_ids" || name == "step_logits";
}

static bool isOutput(const weft_entry_info &entry, llvm::StringRef name) {
  return llvm::any_of(llvm::ArrayRef(entry.outputs, entry.output_count),
                      [name](const weft_tensor_info &output) { return name == output.name; });
}

static void noteLeftOut(llvm::StringRef name, const char *reason) {
  llvm::errs() << "weft-run: note: expected '" << name << "' is not compared: " << reason << "\n";
}

// Compares every expected tensor with the result of its name.
static llvm::Expected<bool> compareAll(llvm::ArrayRef<OwnedTensor> results,
                                       llvm::ArrayRef<const StoredTensor *> expected,
                                       Tolerance tolerance, const StoredTensor *mask = nullptr) {
  bool agree = true;
  for (const StoredTensor *wanted : expected) {
    const OwnedTensor *result = llvm::find_if(
        results, [&](const OwnedTensor &candidate) { return candidate.name == wanted->name; });
    if (result == results.end()) {
      std::vector<std::string> names;
      for (const OwnedTensor &candidate : results)
        names.push_back(candidate.name);
      return fail("the model has no output '" + wanted->name + "'; it has: " + joinNames(names));
    }
    agree &= compare(result->view(), *wanted, tolerance, mask, llvm::outs());
  }
  if (expected.empty())
    return fail("nothing to compare with: the file of expected values has no result of this run");
  return agree;
}

// Opens the file of an option; without the option there is none.
static llvm::Error openFile(const std::string &path, std::optional<SafeTensorsFile> &file) {
  if (path.empty())
    return llvm::Error::success();
  llvm::Expected<SafeTensorsFile> opened = SafeTensorsFile::open(path);
  if (opened)
    file.emplace(std::move(*opened));
  return opened.takeError();
}

// The expected tensors that are results of one call.
static llvm::SmallVector<const StoredTensor *> expectedResults(const Model &model,
                                                               const SafeTensorsFile &expected) {
  llvm::SmallVector<const StoredTensor *> wanted;
  for (const StoredTensor &tensor : expected.tensors())
    if (model.info().generate_entry >= 0 && belongsToGeneration(tensor.name))
      noteLeftOut(tensor.name, "it belongs to --generate");
    else
      wanted.push_back(&tensor);
  return wanted;
}

llvm::Expected<bool> weft::runCommand(Model &model, const RunOptions &options) {
  std::optional<SafeTensorsFile> inputs, expected;
  if (llvm::Error error = openFile(options.inputs, inputs))
    return std::move(error);
  if (llvm::Error error = openFile(options.expect, expected))
    return std::move(error);
  llvm::ArrayRef<StoredTensor> tensors;
  if (inputs)
    tensors = inputs->tensors();
  const StoredTensor *mask = findTensor(tensors, options.maskedBy);
  if (!options.maskedBy.empty() && !mask)
    return fail("--masked-by: the inputs have no tensor '" + options.maskedBy + "'");
  llvm::SmallVector<const StoredTensor *> wanted;
  if (expected)
    wanted = expectedResults(model, *expected);
  llvm::Expected<const weft_entry_info *> entry =
      chooseEntry(model, options.entry, tensors, wanted);
  if (!entry)
    return entry.takeError();
  llvm::Expected<Binding> binding = bindInputs(model.info(), **entry, tensors);
  if (!binding)
    return binding.takeError();
  if (options.chunks)
    llvm::erase_if(wanted, [&](const StoredTensor *tensor) {
      bool isOther = isOutput(**entry, tensor->name) &&
                     tensor->name != (*entry)->outputs[model.info().generate_output].name;
      if (isOther)
        noteLeftOut(tensor->name, "a step gives the generated output only");
      return isOther;
    });
  llvm::Expected<std::vector<OwnedTensor>> results =
      options.chunks
          ? executeInChunks(model, **entry, *binding, {*options.chunks, options.sampling.seed})
          : execute(model, **entry, *binding);
  if (!results)
    return results.takeError();
  if (options.profile) {
    int32_t symbol = (*entry)->flops_symbol;
    printProfile(model, symbol >= 0 ? binding->sizes[symbol] : 0, llvm::errs());
  }
  if (!options.outputs.empty())
    if (llvm::Error error = writeResults(options.outputs, *results))
      return std::move(error);
  if (!expected)
    return true;
  return compareAll(*results, wanted, options.tolerance, mask);
}

// Reads the prompts.
static llvm::Error readPrompts(const LanguageModel &language, const Companions &companions,
                               const RunOptions &options, Generation &generation) {
  if (options.prompt)
    return promptFromText(language, companions, *options.prompt, generation);
  llvm::Expected<SafeTensorsFile> file = SafeTensorsFile::open(options.inputs);
  if (!file)
    return file.takeError();
  return promptFromTensors(language, file->tensors(), generation);
}

static void reportSpeed(const Model &model, const Generated &result) {
  llvm::outs().flush(); // the last line of the text comes before the report
  llvm::errs() << "weft-run: " << result.tokens << " tokens in "
               << llvm::format("%.2f s, %.1f tokens/s; ", result.seconds,
                               double(result.tokens) / result.seconds)
               << memoryText(model) << "\n";
}

static llvm::Expected<bool> compareGenerated(const weft_entry_info &entry, Generated &result,
                                             const SafeTensorsFile &expected, Tolerance tolerance) {
  llvm::SmallVector<const StoredTensor *> wanted;
  for (const StoredTensor &tensor : expected.tensors())
    if (isOutput(entry, tensor.name))
      noteLeftOut(tensor.name, "it belongs to a run without --generate");
    else
      wanted.push_back(&tensor);
  std::vector<OwnedTensor> results;
  results.push_back(std::move(result.ids));
  results.push_back(std::move(result.logits));
  return compareAll(results, wanted, tolerance);
}

// Where the tokens are written. A text of the user's is written as it was given, unless it is
// another one than the model's, and ends where the model or the user says.
static llvm::Expected<TextStream>
openStream(const LanguageModel &language, const Companions &companions, const RunOptions &options) {
  llvm::Expected<TokenText> kind = tokenText(language, companions);
  if (!kind)
    return kind.takeError();
  TextStream stream(*kind, companions.tokenizer(), llvm::outs());
  if (options.prompt) {
    stream.openWith(readsSource(language) ? "" : *options.prompt);
    stream.stopAt(companions.ids("eos_token"), options.stop);
  }
  return stream;
}

// How many tokens to make: what was asked for, or as the positions allow.
static int64_t chooseCount(const LanguageModel &language, const RunOptions &options,
                           const Generation &generation) {
  int64_t left = language.bound() + 1 - int64_t(generation.prompts.front().size());
  return options.generate ? options.generate : std::clamp<int64_t>(left, 1, 256);
}

llvm::Expected<bool> weft::generateCommand(Model &model, const RunOptions &options) {
  llvm::Expected<LanguageModel> language = LanguageModel::create(model, options.cache);
  if (!language)
    return language.takeError();
  Generation generation;
  generation.sampling = options.sampling;
  generation.keepLogits = !options.outputs.empty() || !options.expect.empty();
  // From tensors to tensors: no text, and so no tokenizer that could be missing or bad.
  Companions companions;
  if (options.prompt || !generation.keepLogits)
    if (llvm::Error error = Companions::load(options.model, options.tokenizer).moveInto(companions))
      return std::move(error);
  std::optional<TextStream> stream;
  if (!generation.keepLogits) {
    llvm::Expected<TextStream> opened = openStream(*language, companions, options);
    if (!opened)
      return opened.takeError();
    generation.stream = &stream.emplace(std::move(*opened));
  }
  if (llvm::Error error = readPrompts(*language, companions, options, generation))
    return std::move(error);
  generation.count = chooseCount(*language, options, generation);

  std::optional<SafeTensorsFile> expected;
  if (!options.expect.empty()) {
    llvm::Expected<SafeTensorsFile> file = SafeTensorsFile::open(options.expect);
    if (!file)
      return file.takeError();
    expected.emplace(std::move(*file));
    if (const StoredTensor *ids = expected->find("generated_ids"))
      forceTokens(*ids, generation);
  }
  llvm::Expected<Generated> result = generate(*language, generation);
  if (!result)
    return result.takeError();
  reportSpeed(model, *result);
  if (options.profile)
    printProfile(model, 0, llvm::errs());
  if (!options.outputs.empty()) {
    std::vector<StoredTensor> tensors = {result->ids.view(), result->logits.view()};
    if (llvm::Error error = writeSafeTensors(options.outputs, tensors))
      return std::move(error);
  }
  if (!expected)
    return true;
  return compareGenerated(model.entries()[model.info().generate_entry], *result, *expected,
                          options.tolerance);
}

static void printScore(const Score &score, bool words) {
  auto count = [](int64_t value) { return static_cast<long long>(value); };
  double perToken = score.bits / double(score.tokens), perByte = score.bits / double(score.bytes);
  if (words)
    llvm::outs() << llvm::format("%.6f bits per token, %.6f bits per byte over %lld tokens, "
                                 "%lld bytes\n",
                                 perToken, perByte, count(score.tokens), count(score.bytes));
  else
    llvm::outs() << llvm::format("%.6f bits per character over %lld characters\n", perByte,
                                 count(score.bytes));
}

llvm::Expected<bool> weft::perplexityCommand(Model &model, const RunOptions &options) {
  llvm::Expected<LanguageModel> language = LanguageModel::create(model, /*incremental=*/false);
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
    printProfile(model, 0, llvm::errs());
  return true;
}

llvm::Expected<bool> weft::benchCommand(Model &model, const RunOptions &options) {
  llvm::Expected<const weft_entry_info *> entry = model.findEntry(options.entry);
  if (!entry)
    return entry.takeError();
  if (llvm::Error error = bench(model, **entry, options.bench, llvm::outs()))
    return std::move(error);
  // The profile covers the calls of the last length, and comes after their line.
  llvm::outs().flush();
  if (options.profile)
    printProfile(model, options.bench.lengths.empty() ? 0 : options.bench.lengths.back(),
                 llvm::errs());
  return true;
}
