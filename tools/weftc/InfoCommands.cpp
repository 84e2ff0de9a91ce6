//===- InfoCommands.cpp - what weftc prints instead of compiling ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "InfoCommands.h"

#include "weft/Pipeline/Compiler.h"
#include "weft/Pipeline/LibraryModels.h"
#include "weft/Support/Json.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace weft;

static ExitStatus listModels(bool json) {
  std::vector<LibraryModel> models = listLibraryModels();
  if (json)
    printJson(modelsAsJson(models), outs());
  else
    printModels(models, outs());
  return ExitSuccess;
}

std::string weft::checkCommand(const Command &command) {
  if (command.action == Action::Compile)
    return command.json ? "--json belongs to --info and --list-models" : "";
  if (command.action == Action::ListModels)
    return command.hasInput ? "--list-models is about the library, not about a model" : "";
  const CompileOptions &options = command.options;
  if (command.hasOutput || !options.dumpStages.empty() || options.verify)
    return "--info writes nothing and compares nothing: it contradicts -o, --emit, --dump-stages "
           "and --verify";
  return "";
}

ExitStatus weft::perform(const Command &command) {
  switch (command.action) {
  case Action::Compile:
    return compile(command.options);
  case Action::Info:
    return printModelInfo(command.options, command.json);
  case Action::ListModels:
    return listModels(command.json);
  }
  llvm_unreachable("unknown action");
}
