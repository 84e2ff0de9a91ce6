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
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "weft/Dialect/Weft/IR/ElementTypes.h"
#include "weft/Support/CodeFormat.h"

#include "weft/Dialect/Weft/IR/WeftEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "weft/Dialect/Weft/IR/WeftAttributes.h.inc"

#include "weft/Dialect/Weft/IR/WeftDialect.h.inc"

namespace weft {
class IndexedOpInterface;
class FormulaOpInterface;

/// The work of the interfaces' methods (IndexedOp.cpp).
namespace detail {
void insertIndex(IndexedOpInterface op, unsigned position, IndexAttr index, bool isOutput);
void substituteIndex(IndexedOpInterface op, unsigned position, mlir::AffineExpr value);
void replaceIndex(IndexedOpInterface op, unsigned position, IndexAttr index);
void permuteIndices(IndexedOpInterface op, llvm::ArrayRef<unsigned> order);
llvm::SmallVector<mlir::BlockArgument> getElementArguments(IndexedOpInterface op, unsigned input);
void eraseInput(IndexedOpInterface op, unsigned input);
void appendInput(IndexedOpInterface op, mlir::Value input, mlir::AffineMap map);
void swapFactors(IndexedOpInterface op, unsigned i, unsigned j);
/// The first `rank` indices, in their order.
mlir::AffineMap getPlainOutputMap(IndexedOpInterface op, unsigned rank);
void setOutputIndexingMaps(FormulaOpInterface op, llvm::ArrayRef<mlir::AffineMap> maps);
} // namespace detail
} // namespace weft

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

/// Indices as ops have them.
mlir::ArrayAttr getIndexArray(mlir::MLIRContext *context, llvm::ArrayRef<IndexAttr> indices);

/// `index`, by a name that none of `others` has: a number follows it if need be.
IndexAttr withFreeName(IndexAttr index, llvm::ArrayRef<IndexAttr> others);

/// The name of the run-time symbol of dimension `dim` of `type`; empty for a static dimension.
llvm::StringRef getSymbol(mlir::RankedTensorType type, unsigned dim);

/// The extent of dimension `dim`, or its symbol's bound.
int64_t getBound(mlir::RankedTensorType type, unsigned dim);

/// The symbols of the dynamic dimensions of `type`; null if there are none.
BoundsAttr getBounds(mlir::RankedTensorType type);

/// Where the elements of a tensor or buffer lie; null: in row-major order.
LayoutAttr getLayout(mlir::Type type);
/// `type` stored in another way; null: in row-major order.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, LayoutAttr layout);

} // namespace weft

#include "weft/Dialect/Weft/IR/DiscardableAttrs.h"

#endif
