//===- RunCommand.cpp - tensors of a file through an entry ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "PrintTensor.h"
#include "weft/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

// What one run reads: the tensors of --inputs, of which one may be the mask, and of --expect.
namespace {

struct Files {
  std::optional<SafeTensorsFile> inputs, expected;
  const StoredTensor *mask = nullptr;

  llvm::ArrayRef<StoredTensor> tensors() const {
    return inputs ? inputs->tensors() : llvm::ArrayRef<StoredTensor>();
  }
};

} // namespace

static llvm::Error open(const RunOptions &options, Files &files) {
  if (llvm::Error error = openFile(options.inputs).moveInto(files.inputs))
    return error;
  if (llvm::Error error = openFile(options.expect).moveInto(files.expected))
    return error;
  files.mask = findTensor(files.tensors(), options.maskedBy);
  if (!options.maskedBy.empty() && !files.mask)
    return llvm::createStringError("--masked-by: the inputs have no tensor '" + options.maskedBy +
                                   "'");
  return llvm::Error::success();
}

// Says what pieces of the bound leave out.
static void noteWholes(const weft_model_info &info, const weft_entry_info &entry,
                       const Binding &binding) {
  for (const weft_tensor_info &output : outputsOf(entry)) {
    bool isState = llvm::any_of(recurrentPairs(info, entry), [&](RecurrentPair pair) {
      return &entry.outputs[pair.output] == &output;
    });
    if (!isState && dimsOf(output, info.generate_symbol) != 1)
      llvm::errs() << "weft-run: note: '" << output.name << "' is left out: it is computed for all "
                   << "positions at once only, and the " << binding.sizes[info.generate_symbol]
                   << " of the inputs are computed in pieces of "
                   << info.symbols[info.generate_symbol].bound << "\n";
  }
}

static llvm::Expected<std::vector<OwnedTensor>> runEntry(CompiledModel &model,
                                                         const weft_entry_info &entry,
                                                         const Binding &binding,
                                                         const RunOptions &options) {
  bool inPieces = options.chunks || binding.isLongerThanCall(model.info());
  if (inPieces && !options.chunks)
    noteWholes(model.info(), entry, binding);
  Chunks chunks{options.chunks.value_or(std::vector<int64_t>{INT64_MAX}), options.sampling.seed};
  llvm::Expected<std::vector<OwnedTensor>> results =
      inPieces ? executeInChunks(model, entry, binding, chunks) : execute(model, entry, binding);
  if (results && options.json)
    printJson(profileAsJson(model), llvm::outs());
  else if (results && options.profile)
    printProfile(model, llvm::errs());
  return results;
}

// Not all outputs can be had piece by piece.
static void leaveOutWholes(const weft_entry_info &entry, llvm::ArrayRef<OwnedTensor> results,
                           ExpectedTensors &wanted) {
  leaveOut(wanted, [&](const StoredTensor &tensor) {
    bool isWhole = findTensor(outputsOf(entry), tensor.name) &&
                   llvm::none_of(results, [&](const OwnedTensor &result) {
                     return result.name == tensor.name;
                   });
    return isWhole ? "it is computed for all positions at once only" : nullptr;
  });
}

llvm::Expected<bool> weft::runCommand(CompiledModel &model, const RunOptions &options) {
  Files files;
  if (llvm::Error error = open(options, files))
    return std::move(error);
  ExpectedTensors wanted;
  if (files.expected)
    wanted = expectedOfCall(model, *files.expected);
  llvm::Expected<const weft_entry_info *> entry =
      chooseEntry(model, options.entry, files.tensors(), wanted);
  if (!entry)
    return entry.takeError();
  llvm::Expected<Binding> binding =
      bindInputs(model.info(), **entry, files.tensors(), /*inPieces=*/true);
  if (!binding)
    return binding.takeError();
  llvm::Expected<std::vector<OwnedTensor>> results = runEntry(model, **entry, *binding, options);
  if (!results)
    return results.takeError();
  if (!options.outputs.empty())
    if (llvm::Error error = writeResults(options.outputs, *results))
      return std::move(error);
  if (options.outputs.empty() && !files.expected && !options.profile)
    for (const OwnedTensor &result : *results)
      printTensor(result.view(), llvm::outs());
  if (!files.expected)
    return true;
  leaveOutWholes(**entry, *results, wanted);
  return compareAll(*results, wanted, options.tolerance, files.mask);
}
