//===- CommandLine.cpp - a program's own flags ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/CommandLine.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

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

// There is no memory for a stream.
static void writeLine(const char *text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
    return;
}

void weft::reportOutOfMemory(const char *program) {
  llvm::install_bad_alloc_error_handler(
      [](void *program, const char *, bool) {
        writeLine(static_cast<const char *>(program));
        writeLine(": error: out of memory\n");
        llvm::sys::RunInterruptHandlers(); // removes what is half written
        std::_Exit(1);
      },
      const_cast<char *>(program));
}
