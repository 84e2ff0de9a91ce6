//===- MeasureMachine.h - what this machine can do at best -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_MEASUREMACHINE_H
#define WEFT_RUNNER_MEASUREMACHINE_H

#include "weft/Support/MachineLimits.h"

namespace weft {

/// Measures the rates of `threads` threads at once: multiply-adds, products of bf16 and of codes by
/// the best unit there is (else as multiply-adds), exponentials, reads from each cache and from
/// memory. Takes some seconds.
MachineLimits measureMachine(int threads);

} // namespace weft

#endif // WEFT_RUNNER_MEASUREMACHINE_H
