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

#include "Flags.h"
#include "weft/Pipeline/Compiler.h"
#include "weft/Support/CommandLine.h"

int main(int argc, char **argv) {
  weft::InitTool init(argc, argv, "weftc");
  std::optional<weft::CompileOptions> options = weft::parseCommandLine(argc, argv);
  return options ? weft::compile(*options) : weft::ExitUsage;
}
