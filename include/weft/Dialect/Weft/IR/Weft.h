//===- Weft.h - the weft dialect ------------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The dialect of stages `graph` to `kernels`: one op is one formula. See WeftDialect.td.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_WEFT_H
#define WEFT_DIALECT_WEFT_IR_WEFT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "weft/Dialect/Weft/IR/WeftDialect.h.inc"
#include "weft/Dialect/Weft/IR/WeftEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "weft/Dialect/Weft/IR/WeftAttributes.h.inc"

#include "weft/Dialect/Weft/IR/WeftInterfaces.h.inc"

#define GET_OP_CLASSES
#include "weft/Dialect/Weft/IR/WeftOps.h.inc"

namespace weft {

/// The tensor type of a formula's output: the extents of `indices`, with the symbols of the
/// dynamic ones in its encoding. Types of the dialect are made here and nowhere else.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<IndexAttr> indices, mlir::Type elementType);

/// The indices (with the given names, or "d0", "d1", ...) that range over the dimensions of `type`.
llvm::SmallVector<IndexAttr> getIndicesOf(mlir::RankedTensorType type,
                                          llvm::ArrayRef<llvm::StringRef> names = {});

/// The name of the run-time symbol of dimension `dim` of `type`; empty for a static dimension.
llvm::StringRef getSymbol(mlir::RankedTensorType type, unsigned dim);

/// The extent of dimension `dim`, or its symbol's bound.
int64_t getBound(mlir::RankedTensorType type, unsigned dim);

/// Names of attributes on functions and arguments that several stages read.
namespace attrs {
inline constexpr llvm::StringLiteral kEntry = "weft.entry";     ///< unit, on entry functions
inline constexpr llvm::StringLiteral kName = "weft.name";       ///< argument or result name
inline constexpr llvm::StringLiteral kDefault = "weft.default"; ///< default of an optional input
inline constexpr llvm::StringLiteral kComputed =
    "weft.computed"; ///< unit, on an optional input: left out, the entry computes its elements
inline constexpr llvm::StringLiteral kGiven =
    "weft.given"; ///< on an i1 behind an optional input: its name; whether the caller passes it
inline constexpr llvm::StringLiteral kModel = "weft.model"; ///< module: the model's name
inline constexpr llvm::StringLiteral kSymbols =
    "weft.symbols"; ///< module: #weft.bounds of all symbols
inline constexpr llvm::StringLiteral kGenerate = "weft.generate"; ///< entry: [output name, symbol]
inline constexpr llvm::StringLiteral kStep =
    "weft.step"; ///< entry that continues another one: [its name, length symbol, count symbol]
inline constexpr llvm::StringLiteral kStart =
    "weft.start"; ///< entry that begins what another one continues: the name of that one
inline constexpr llvm::StringLiteral kState =
    "weft.state"; ///< argument or result of such an entry: a part of its state
inline constexpr llvm::StringLiteral kKernel = "weft.kernel";     ///< unit, on kernel functions
inline constexpr llvm::StringLiteral kLowering = "weft.lowering"; ///< on anchors: #weft.lowering
inline constexpr llvm::StringLiteral kScratch = "weft.scratch";   ///< function: bytes of its arena
inline constexpr llvm::StringLiteral kLabel = "weft.label";       ///< formula: the name it defines
inline constexpr llvm::StringLiteral kFolded =
    "weft.folded"; ///< formula: names of the formulas that are computed in it
inline constexpr llvm::StringLiteral kLocation =
    "weft.location"; ///< result of an exposed formula: its place in the text
inline constexpr llvm::StringLiteral kConstant = "weft.constant"; ///< formula: evaluate in weftc
inline constexpr llvm::StringLiteral kUnfusedReason =
    "weft.unfused_reason"; ///< formula: why its tensor of position pairs stays
} // namespace attrs

} // namespace weft

#endif
