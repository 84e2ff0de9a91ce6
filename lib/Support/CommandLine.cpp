//===- CommandLine.cpp - a program's own flags ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/CommandLine.h"
#include "weft/Support/Version.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

void weft::removeForeignOptions() {
  llvm::SmallVector<llvm::cl::Option *> foreign;
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!llvm::StringSwitch<bool>(name)
             .Cases({"help", "help-hidden", "help-list", "help-list-hidden", "version"}, true)
             .Default(false))
      foreign.push_back(option);
  for (llvm::cl::Option *option : foreign)
    option->removeArgument();
}

static const char *programName;

// There is no memory for a stream.
static void writeLine(const char *text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
    return;
}

static void reportOutOfMemory(void *, const char *, bool) {
  writeLine(programName);
  writeLine(": error: out of memory\n");
  llvm::sys::RunInterruptHandlers(); // removes what is half written
  std::_Exit(1);
}

// The stream's destructor, which comes after this, would abort.
static void finishStandardOutput() {
  llvm::outs().flush();
  std::error_code code = llvm::outs().error();
  if (!code)
    return;
  llvm::errs() << programName << ": error: cannot write to standard output: " << code.message()
               << "\n";
  std::_Exit(1);
}

weft::InitTool::InitTool(int &argc, char **&argv, const char *program) : init(argc, argv) {
  handlers.finish();
  programName = program;
  llvm::install_bad_alloc_error_handler(reportOutOfMemory);
  llvm::outs(), llvm::errs(); // made before, they end after
  std::atexit(finishStandardOutput);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) { printVersion(programName, os); });
}
