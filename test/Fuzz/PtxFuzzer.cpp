//===- PtxFuzzer.cpp - any bytes as PTX -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A text is refused, or it is read and translated, or what is not known in it is named.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Emulator/Machine.h"

#include <cstdlib>

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  for (const std::string &problem : emulator::Machine::check(text, "t"))
    if (problem.rfind("t:", 0) != 0 || problem.find('\n') != std::string::npos)
      std::abort();
  return 0;
}
