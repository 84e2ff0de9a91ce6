//===- main.cpp - runs models compiled by weftc ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Commands.h"
#include "weft/Runner/Describe.h"
#include "weft/Runner/MeasureMachine.h"
#include "weft/Runner/Tasks/ModelFolder.h"
#include "weft/Support/CommandLine.h"
#include "weft/Support/ExitStatus.h"
#include "weft/Support/Format.h"
#include "weft/Support/Json.h"

#include "llvm/Support/raw_ostream.h"

using namespace weft;

static llvm::Error startProfile(CompiledModel &model, const RunOptions &options) {
  if (!options.profile)
    return llvm::Error::success();
  if (model.info().kernel_count == 0)
    return llvm::createStringError(options.model +
                                   ": no kernels to profile: compile it with weftc --profile");
  std::optional<MachineLimits> limits;
  if (!options.machine.empty())
    if (llvm::Error error = readLimits(options.machine).moveInto(limits))
      return error;
  model.startProfile(std::move(limits));
  return llvm::Error::success();
}

static llvm::Expected<bool> perform(RunOptions options) {
  if (options.action == Action::Machine) {
    printLimits(measureMachine(std::max(options.threads, 1)), llvm::outs());
    return true;
  }
  if (llvm::Error error = findLibrary(options.model).moveInto(options.model))
    return std::move(error);
  if (llvm::Error error = checkOutput(options))
    return std::move(error);
  llvm::Expected<std::unique_ptr<CompiledModel>> model = CompiledModel::load(
      options.model, options.weights, options.hugePages ? WEFT_WEIGHTS_COPY_HUGE : 0);
  if (!model)
    return model.takeError();
  if (options.threads > 1 && !(*model)->info().threaded)
    llvm::errs() << "weft-run: note: the model is compiled for one thread\n";
  if (options.threads > 0)
    (*model)->setThreads(options.threads);
  if (llvm::Error error = startProfile(**model, options))
    return std::move(error);

  switch (options.action) {
  case Action::Describe:
    if (options.json)
      printJson(describeAsJson((*model)->info()), llvm::outs());
    else
      describe((*model)->info(), llvm::outs());
    return true;
  case Action::Run:
    return runCommand(**model, options);
  case Action::Generate:
    return generateCommand(**model, options);
  case Action::Perplexity:
    return perplexityCommand(**model, options);
  case Action::Compare:
    return compareCommand(**model, options);
  case Action::Answer:
    return answerCommand(**model, options);
  case Action::Bench:
    return benchCommand(**model, options);
  case Action::Machine:
    break;
  }
  llvm_unreachable("unknown action");
}

int main(int argc, char **argv) {
  InitTool init(argc, argv, "weft-run");
  std::optional<RunOptions> options = parseOptions(argc, argv);
  if (!options)
    return ExitUsage;
  llvm::Expected<bool> agree = perform(*options);
  if (!agree) {
    // An error in a file says so itself: "FILE: error: ...".
    std::string message = printableText(llvm::toString(agree.takeError()));
    bool isOfFile = llvm::StringRef(message).contains(": error: ");
    llvm::errs() << (isOfFile ? "" : "weft-run: error: ") << message << "\n";
    return ExitError;
  }
  return *agree ? ExitSuccess : ExitMismatch;
}
