//===- Report.cpp - the memory of a run, and notes ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Report.h"
#include "weft/Support/Format.h"

#include <sys/resource.h>

using namespace weft;

void weft::noteCut(const Encoding &encoding) {
  if (encoding.cut > 0)
    llvm::errs() << "weft-run: note: the tokenizer cuts the text to " << encoding.ids.size()
                 << " tokens: " << encoding.cut << " are left out\n";
}

MemoryUse weft::memoryOf(const CompiledModel &model) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return {model.info().weights_bytes, model.scratchBytes(), int64_t(usage.ru_maxrss) * 1024};
}

std::string weft::memoryText(const MemoryUse &memory) {
  return fmt::format("weights {}, scratch {}, resident {} (peak)", sizeText(memory.weights),
                     sizeText(memory.scratch), sizeText(memory.resident));
}
