//===- Compiler.h - a whole compilation -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the driver `weftc` does, as a library: reads the input, runs the stages up to the one that
// is asked for, writes the outputs.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_PIPELINE_COMPILER_H
#define WEFT_PIPELINE_COMPILER_H

#include "weft/Pipeline/Options.h"
#include "weft/Support/ExitStatus.h"

namespace weft {

/// Compiles as `options` say: ExitError after any error, ExitMismatch where `options.verify` finds
/// a difference. Diagnostics and progress go to stderr, an output named "-" to stdout.
ExitStatus compile(const CompileOptions &options);

/// Prints to stdout what the model is and what the stages up to `kernels` make of it, for readers
/// or as JSON. Writes no file: `options` ask for stage `kernels` and no output.
ExitStatus printModelInfo(const CompileOptions &options, bool json);

} // namespace weft

#endif
