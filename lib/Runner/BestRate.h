//===- BestRate.h - how fast a loop runs -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_RUNNER_BESTRATE_H
#define WEFT_LIB_RUNNER_BESTRATE_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace weft {

/// Giga-units a second of the best of some attempts, in which all threads run `work` with their
/// number, which does so many `units`.
double bestRate(int threads, int attempts, double units, llvm::function_ref<void(int thread)> work);

} // namespace weft

#endif // WEFT_LIB_RUNNER_BESTRATE_H
