//===- PlainUnits.h - what units compute, as vector code ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CODEGEN_CPU_PLAINUNITS_H
#define WEFT_LIB_CODEGEN_CPU_PLAINUNITS_H

#include "weft/Codegen/CPU/Units.h"

namespace weft {

/// What `weft_cpu.dot` and `weft_cpu.dot_codes` compute.
mlir::Value writePlainDot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum, mlir::Value lhs,
                          mlir::Value rhs);
mlir::Value writePlainDotCodes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                               mlir::Value lhs, mlir::Value rhs);

/// What `weft_cpu.dot_signed` computes.
mlir::Value writePlainDotSigned(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                                mlir::Value lhs, mlir::Value rhs);
/// What `weft_cpu.dot_bytes` and `weft_cpu.dot_words` compute.
mlir::Value writePlainDotBytes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                               mlir::Value lhs, mlir::Value rhs);
mlir::Value writePlainDotWords(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                               mlir::Value lhs, mlir::Value rhs);

/// What `weft_cpu.look_up_bytes` finds.
mlir::Value writePlainLookUpBytes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value words,
                                  llvm::ArrayRef<int8_t> table);

/// Writes in front of a tile product loops that compute it by dots.
void writePlainTile(cpu::TileProductOp op, decltype(writePlainDot) *dot);
/// Their memory holds them.
void writePlainLoadSums(cpu::LoadSumsOp op);

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_PLAINUNITS_H
