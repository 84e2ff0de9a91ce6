//===- MachineLimits.h - what a processor can do at best ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Rates of all threads together. A kernel takes at least the time of its arithmetic, and at least
// that of its reads and writes; which is longer is what bounds it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_MACHINELIMITS_H
#define WEFT_SUPPORT_MACHINELIMITS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace weft {

/// What multiplies. `Elements`: everything but products, an operation an instruction. The numbers
/// are those of weft_kernel_counts.
enum class Unit { Elements, F32, BF16, Int8 };

/// "elements", "f32", "bf16", "int8".
llvm::StringRef unitName(Unit unit);
std::optional<Unit> findUnit(llvm::StringRef name);

struct MachineLimits {
  /// A cache, or memory, which is the last one and holds everything.
  struct Level {
    std::optional<double> bytes;
    double rate = 0; ///< GB/s
  };

  std::string origin;      ///< the file, or "typical of x86-64-v4"
  double f32 = 0;          ///< GFLOP/s of multiply-adds, each counted as two
  double bf16 = 0;         ///< the same of products of bf16 with f32 sums
  double int8 = 0;         ///< the same of products of codes
  double exponentials = 0; ///< 10^9 a second; other functions count as one
  std::vector<Level> reads;

  /// The fastest level that holds so many bytes.
  size_t levelOf(double bytes) const;
  std::string levelName(size_t level) const;
};

/// What a call of a kernel does.
struct KernelWork {
  double flops = 0;     ///< as in weft_kernel_info
  double functions = 0; ///< exponentials and other functions, of those too that flops leave out
  double bytes = 0;     ///< that are read and written
  double weights = 0;   ///< those of them that are weights
  Unit unit = Unit::Elements;
  int passes = 1; ///< products of the unit's for one of the kernel's, whose factors are split
};

struct Prediction {
  double seconds = 0;
  std::string limit; ///< what binds: "f32", "bf16", "int8", "elements", "exp", "L2", "memory"
};

/// `allWeights`: bytes of the model's, which are read anew in each call. The rest is read from
/// where the caches hold it.
Prediction predictTime(const MachineLimits &machine, const KernelWork &work, double allWeights);

/// Rough figures of a core with vectors of so many f32 lanes and these units.
MachineLimits getTypicalLimits(int64_t lanes, bool tiles, bool codeDots);

/// What printLimits writes (weft-run --machine).
llvm::Expected<MachineLimits> readLimits(llvm::StringRef path);
void printLimits(const MachineLimits &machine, llvm::raw_ostream &os);

/// "machine.json: 100 GFLOP/s in f32, 1000 in bf16, ...": the head of a table.
std::string limitsText(const MachineLimits &machine);

} // namespace weft

#endif // WEFT_SUPPORT_MACHINELIMITS_H
