//===- NativeUnits.h - what units compute, by their instructions ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_NATIVEUNITS_H
#define WEFT_LIB_CODEGEN_CPU_NATIVEUNITS_H

#include "weft/Codegen/Common/Lanes.h"

namespace weft {

/// `weft_cpu.dot` and `weft_cpu.dot_codes`, in registers of 4, 8 or 16 lanes.
mlir::Value writeUnitDot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum, mlir::Value lhs,
                         mlir::Value rhs);
mlir::Value writeUnitDotCodes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                              mlir::Value lhs, mlir::Value rhs);

/// `weft_cpu.dot_codes` where there is no such instruction, by one that adds up the products of two
/// neighbouring words of 16 bits.
mlir::Value writeDotOfWords(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                            mlir::Value lhs, mlir::Value rhs);

/// The same of codes that are narrow, as they are; and `weft_cpu.dot_signed` by the same
/// instructions.
mlir::Value writeDotOfBytes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                            mlir::Value lhs, mlir::Value rhs);
mlir::Value writeDotSigned(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum, mlir::Value lhs,
                           mlir::Value rhs);

/// `weft_cpu.dot_bytes` and `weft_cpu.dot_words`, in registers of 4, 8 or 16 lanes.
mlir::Value writeUnitDotBytes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                              mlir::Value lhs, mlir::Value rhs);
mlir::Value writeUnitDotWords(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                              mlir::Value lhs, mlir::Value rhs);

/// `arith.truncf` of 32 numbers to bf16, which LLVM would do in two halves.
mlir::Value writeUnitRound(mlir::OpBuilder &b, mlir::Location loc, mlir::Value numbers);

/// `weft_cpu.power_of_two`, in registers of 4, 8 or 16 lanes.
mlir::Value writeUnitPowerOfTwo(LaneBuilder &lanes, mlir::Value x, Power kind);

/// `weft_cpu.look_up` and `weft_cpu.look_up_bytes`, in registers of 8 or 16 lanes.
mlir::Value writeUnitLookUp(mlir::OpBuilder &b, mlir::Location loc, mlir::Value words,
                            llvm::ArrayRef<float> values);
mlir::Value writeUnitLookUpBytes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value words,
                                 llvm::ArrayRef<int8_t> table);

/// What `weft_cpu.begin_flush` returns, and what `weft_cpu.end_flush` sets.
mlir::Value writeUnitBeginFlush(mlir::OpBuilder &b, mlir::Location loc);
void writeUnitEndFlush(mlir::OpBuilder &b, mlir::Location loc, mlir::Value before);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_NATIVEUNITS_H
