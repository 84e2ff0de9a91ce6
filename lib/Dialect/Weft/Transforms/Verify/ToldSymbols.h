//===- ToldSymbols.h - which run-time sizes a caller tells ------------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A compiled function receives the values of the symbols that its tensors have. A formula that runs
// over another symbol would have no value for it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_DIALECT_WEFT_TRANSFORMS_VERIFY_TOLDSYMBOLS_H
#define WEFT_LIB_DIALECT_WEFT_TRANSFORMS_VERIFY_TOLDSYMBOLS_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/StringSet.h"

namespace weft {

/// A symbol that a function uses and no caller tells, and where.
struct UntoldSymbol {
  mlir::Operation *op;
  std::string symbol;
};

/// Adds the symbols of what `function` takes and returns. An input that may be left out counts: its
/// sizes are told in any case.
void addToldSymbols(mlir::func::FuncOp function, llvm::StringSet<> &told);

/// The first use, in `function` or what it calls, of a symbol that is not in `told`.
std::optional<UntoldSymbol> findUntoldSymbol(mlir::func::FuncOp function,
                                             const llvm::StringSet<> &told);

/// The same for an entry of a module: what its signature tells, and for a function that goes on
/// with a sequence, or begins one, what the other one tells and the numbers of positions.
std::optional<UntoldSymbol> findUntoldSymbol(mlir::func::FuncOp entry);

} // namespace weft

#endif // WEFT_LIB_DIALECT_WEFT_TRANSFORMS_VERIFY_TOLDSYMBOLS_H
