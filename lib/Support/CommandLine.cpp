//===- CommandLine.cpp - a program's own flags ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/CommandLine.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"

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
