//===- RunProgram.h - a program on the emulated GPU -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_GPU_EMU_RUNPROGRAM_H
#define WEFT_TOOLS_WEFT_GPU_EMU_RUNPROGRAM_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace weft {

/// Runs the program with the emulated driver, once for each of the seeds 0, 1, ...; what it prints
/// the first time is shown. Returns an exit status.
int runProgram(llvm::ArrayRef<std::string> program, unsigned seeds);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_GPU_EMU_RUNPROGRAM_H
