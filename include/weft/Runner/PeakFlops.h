//===- PeakFlops.h - what the processor can do at best --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_PEAKFLOPS_H
#define WEFT_RUNNER_PEAKFLOPS_H

namespace weft {

/// Measures the rate of independent float32 multiply-adds from registers, in GFLOP/s, on `threads`
/// threads at once, with the widest vectors the processor has. Takes about 0.2 s. No program can
/// be faster, and clock speeds vary, so take it right before or after what it is compared with.
double measurePeak(int threads);

/// "AVX-512", "AVX2" or "plain": the vectors measurePeak uses.
const char *peakVectors();

} // namespace weft

#endif // WEFT_RUNNER_PEAKFLOPS_H
