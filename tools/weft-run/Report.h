//===- Report.h - what weft-run prints about models and their speed -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_REPORT_H
#define WEFT_TOOLS_WEFT_RUN_REPORT_H

#include "weft/Runner/CompiledModel.h"
#include "weft/Tokenizer/Tokenizer.h"

#include "llvm/Support/JSON.h"

#include <optional>

namespace weft {

/// What is to be measured.
struct Bench {
  int64_t runs = 0;                   ///< 0: at least 5, and as many as a second holds
  llvm::SmallVector<int64_t> lengths; ///< of all symbols; empty: the bound, at most 128
};

/// Prints what was noted of every kernel since the last reset, the longest first: time and rates,
/// and with limits of the machine what these allow for.
void printProfile(const CompiledModel &model, llvm::raw_ostream &os);
/// The same for programs; docs/Running.md has the keys.
llvm::json::Object profileAsJson(const CompiledModel &model);

/// Notes what the tokenizer has cut off a text.
void noteCut(const Encoding &encoding);

/// Bytes of a run: of the model, and of the process at its peak.
struct MemoryUse {
  int64_t weights, scratch, resident;
};
MemoryUse memoryOf(const CompiledModel &model);
/// "weights 3.3 MB, scratch 512 B, resident 24.0 MB (peak)"
std::string memoryText(const MemoryUse &memory);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_REPORT_H
