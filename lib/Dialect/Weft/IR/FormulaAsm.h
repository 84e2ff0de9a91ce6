//===- FormulaAsm.h - custom assembly directives of the formula ops -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_IR_FORMULAASM_H
#define WEFT_LIB_DIALECT_WEFT_IR_FORMULAASM_H

#include "weft/Dialect/Weft/IR/Weft.h"

namespace weft::detail {
mlir::FailureOr<IndexAttr> parseIndex(mlir::AsmParser &parser);
void printIndex(mlir::AsmPrinter &printer, IndexAttr index);
} // namespace weft::detail

/// `[t in T to 1024, d in D = 64]`
mlir::ParseResult parseIndexList(mlir::OpAsmParser &parser, mlir::ArrayAttr &indices);
void printIndexList(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr indices);

/// `[0.25, 1.0]`, every number with all its digits: the default for an array rounds to six.
mlir::ParseResult parseScales(mlir::OpAsmParser &parser, mlir::DenseF64ArrayAttr &scales);
void printScales(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseF64ArrayAttr scales);

/// `(e in E = 64)`
mlir::ParseResult parseParenthesizedIndex(mlir::OpAsmParser &parser, weft::IndexAttr &index);
void printParenthesizedIndex(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                             weft::IndexAttr index);

/// `ins(%x[t, d], %b[d] : tensor<...>, tensor<...>)`, or nothing without inputs.
mlir::ParseResult parseFormulaInputs(
    mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &inputs,
    llvm::SmallVectorImpl<mlir::Type> &types, mlir::ArrayAttr &maps, mlir::ArrayAttr indices);
void printFormulaInputs(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange inputs,
                        mlir::TypeRange types, mlir::ArrayAttr maps, mlir::ArrayAttr indices);

/// `{ ... } where { ... }`, or only the first region. Neither may use values of the other: the
/// parser frees the two one after the other when it gives up, which such a use would not survive.
mlir::ParseResult parseBodyAndPredicate(mlir::OpAsmParser &parser, mlir::Region &body,
                                        mlir::Region &predicate);
void printBodyAndPredicate(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Region &body,
                           mlir::Region &predicate);

/// `mean { ... } max { ... } element { ... }`. What is said of a body and its predicate holds here.
mlir::ParseResult parseRowRegions(mlir::OpAsmParser &parser, mlir::ArrayAttr &kinds,
                                  llvm::SmallVectorImpl<std::unique_ptr<mlir::Region>> &reductions,
                                  mlir::Region &element);
void printRowRegions(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr kinds,
                     llvm::MutableArrayRef<mlir::Region> reductions, mlir::Region &element);

#endif
