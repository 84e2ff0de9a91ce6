//===- VerifyComputed.h - computed weights against the interpreter --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_PIPELINE_VERIFYCOMPUTED_H
#define WEFT_PIPELINE_VERIFYCOMPUTED_H

#include "weft/Import/Checkpoint.h"
#include "weft/Reference/Verify.h"

namespace weft {

/// Compares the tensors that are computed from others of the checkpoint, by compiled rules, with
/// what the interpreter makes of the same, up to the first that differs by more than the tolerance.
llvm::Expected<VerifyReport> verifyComputed(const Checkpoint &checkpoint, double tolerance);

} // namespace weft

#endif // WEFT_PIPELINE_VERIFYCOMPUTED_H
