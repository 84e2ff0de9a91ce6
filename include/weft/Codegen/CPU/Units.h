//===- Units.h - the ops of a processor's units ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_CPU_UNITS_H
#define WEFT_CODEGEN_CPU_UNITS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "weft/Codegen/CPU/UnitDialect.h.inc"

#define GET_OP_CLASSES
#include "weft/Codegen/CPU/UnitOps.h.inc"

namespace weft {

/// Columns and most rows of a `weft_cpu.tile_product`, and the bytes of a row that a step takes:
/// those of a row of a tile register.
inline constexpr int64_t kTileColumns = 32, kTileRows = 32, kTileRowBytes = 64;
/// Words of a row that a step takes: pairs of bf16.
inline constexpr int64_t kTileStepWords = kTileRowBytes / 4;

namespace cpu {
/// Of pairs of bf16 in lanes of 32 bits the first or second halves as f32, which are their upper
/// bits.
mlir::Value extendHalf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pairs, bool isHigh);

/// A sum of the unit of tiles after a step of pairs of bf16, of whose products the first and the
/// second ones have been added up on their own (Intel's manual, TDPBF16PS).
mlir::Value addTileStep(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum, mlir::Value firsts,
                        mlir::Value seconds);

/// Four codes in each lane of 32 bits as words: the even ones, and the odd ones.
std::pair<mlir::Value, mlir::Value> splitCodes(mlir::OpBuilder &b, mlir::Location loc,
                                               mlir::Value codes, bool areSigned);

/// Which parts of a row and of a column are multiplied one after the other, in a product of rows of
/// so many parts with columns of as many or fewer: of neighbours one part is the same, so that its
/// tiles stay.
llvm::SmallVector<std::pair<int64_t, int64_t>> getPartPairs(int64_t parts, int64_t columnParts);
} // namespace cpu

} // namespace weft

#endif // WEFT_CODEGEN_CPU_UNITS_H
