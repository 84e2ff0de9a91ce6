//===- RoundedRuns.h - runs as compiled code computes them ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Compiled code computes in f32, the interpreter in float64. Where a number is compared, or becomes
// an integer or a code, a last place decides what follows. So where both differ the interpreter
// computes each formula from what the code itself made of those before it, if that is known, and as
// f32 does, too: code is right if it agrees with one of these, and nobody can say whether it is
// right if rounding otherwise makes a difference as large.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_REFERENCE_ROUNDEDRUNS_H
#define WEFT_LIB_REFERENCE_ROUNDEDRUNS_H

#include "weft/Reference/Verify.h"

namespace weft {

class RoundedRuns {
public:
  /// `computed`: what the code made of the results of `entry`, some of which are formulas that
  /// others read; or nothing.
  RoundedRuns(mlir::func::FuncOp entry, const ValidRun &run, const VerifyOptions &options,
              llvm::ArrayRef<TensorRef> computed = {});

  /// Whether the difference of result number `result`, which the report has, is f32's, or may be,
  /// or another formula's: it is taken out of the report then.
  bool explains(unsigned result, const Tensor &actual, double tolerance, VerifyReport &report);

private:
  enum class Verdict { Agrees, Undecided, Differs };
  Verdict judge(unsigned result, const Tensor &actual, double tolerance);
  void compute();

  mlir::func::FuncOp entry;
  const ValidRun &run;
  const VerifyOptions &options;
  llvm::DenseMap<mlir::Value, TensorRef> given;
  std::optional<std::vector<std::vector<TensorRef>>> runs; ///< once they are asked for
};

} // namespace weft

#endif
