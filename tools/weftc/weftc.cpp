//===- weftc.cpp - the compiler driver ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Flags.cpp reads the command line; the compilation itself is lib/Pipeline.
//
//===----------------------------------------------------------------------------------------===//

#include "InfoCommands.h"
#include "weft/Support/CommandLine.h"

int main(int argc, char **argv) {
  weft::InitTool init(argc, argv, "weftc");
  std::optional<weft::Command> command = weft::parseCommandLine(argc, argv);
  return command ? weft::perform(*command) : weft::ExitUsage;
}
