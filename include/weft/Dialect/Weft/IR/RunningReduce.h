//===- RunningReduce.h - reductions of all before, or behind --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_RUNNINGREDUCE_H
#define WEFT_DIALECT_WEFT_IR_RUNNINGREDUCE_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// A reduction y[t, ...] = sum(s where s <= t + c and p(s)) f(s, ...), of whose values along t each
/// has the elements of those before, and maybe more; or with s >= t + c, of those behind.
struct RunningReduce {
  unsigned index; ///< t
  /// The comparison of s and t, in the condition, which is true up to some s, or down to it.
  mlir::Value bound;
  bool descends;
  bool isConditional; ///< whether the condition says more
};

/// f and p do not depend on t, and c on no index. It is a sum, a mean or a product whose elements
/// are in the order of s, or a maximum or minimum. Nothing for other reductions.
std::optional<RunningReduce> findRunning(ReduceOp op);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_RUNNINGREDUCE_H
