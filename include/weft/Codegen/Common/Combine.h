//===- Combine.h - what a reduction starts from and how it goes on --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_COMBINE_H
#define WEFT_CODEGEN_COMMON_COMBINE_H

#include "weft/Codegen/Common/Lanes.h"

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft {

/// Of products that may be fused with the additions that follow; LLVM does so if there is an
/// instruction.
inline constexpr auto kContract = mlir::arith::FastMathFlags::contract;

/// The value of a scalar or vector type that changes nothing.
mlir::TypedAttr getNeutral(LaneBuilder &lanes, ReduceKind kind, mlir::Type type);
/// `accumulator` combined with one more value by the kind (sum, mean, max, min or prod).
mlir::Value combine(LaneBuilder &lanes, ReduceKind kind, mlir::Value accumulator,
                    mlir::Value value);
/// sum + lhs * rhs, which LLVM rounds once if there is an instruction.
mlir::Value multiplyAdd(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum, mlir::Value lhs,
                        mlir::Value rhs);
/// The larger of two reals, the second one where either is no number: a comparison and a choice,
/// which many processors have as one instruction, while MLIR makes more of a maximum.
mlir::Value emitLarger(LaneBuilder &lanes, mlir::Value first, mlir::Value second);
/// The horizontal combination of a vector; a scalar is returned as it is.
mlir::Value reduceLanes(LaneBuilder &lanes, ReduceKind kind, mlir::Value value);
/// The horizontal combinations of several vectors as one vector, that of vector i in lane i. There
/// are at most as many vectors as lanes, and both are powers of two.
mlir::Value reduceTogether(LaneBuilder &lanes, ReduceKind kind,
                           llvm::SmallVector<mlir::Value> vectors);

} // namespace weft

#endif
